package oracle

import "s2g/schema/vocab"

// implied are the terms that a graph with materialized terms has beside the
// others: its quads of such a term are those of the terms that it follows from,
// with another class or predicate. A quad's text names neither, so the checksum
// is the sum of theirs, where no quad of one is a quad of another.
//
// This is the alignment as the design lists it, on purpose not as ontology.ttl
// says it: the graph is written by the one and checked by the other.
var implied = [...]struct {
	name string
	of   []string
}{
	{vocab.Post, posted}, {vocab.Content, append(posted[:len(posted):len(posted)], vocab.Comment)},
	{"sioc:Post", posted},
	{"sioct:Question", []string{vocab.Question}}, {"schema:Question", []string{vocab.Question}},
	{"sioct:Answer", []string{vocab.Answer}}, {"schema:Answer", []string{vocab.Answer}},
	{"sioct:BestAnswer", []string{vocab.AcceptedAnswer}},
	{"sioct:Comment", []string{vocab.Comment}}, {"schema:Comment", []string{vocab.Comment}},
	{"skos:Concept", []string{vocab.Tag}}, {"sioct:Tag", []string{vocab.Tag}}, {"schema:DefinedTerm", []string{vocab.Tag}},

	{"sioc:content", []string{vocab.HasBody}}, {"schema:text", []string{vocab.HasBody}},
	{"dcterms:title", []string{vocab.HasTitle}}, {"schema:name", []string{vocab.HasTitle}},
	{"schema:suggestedAnswer", []string{vocab.HasAnswer}},
	{"sioc:has_reply", []string{vocab.HasAnswer, vocab.HasComment}},
	{"schema:acceptedAnswer", []string{vocab.HasAcceptedAnswer}},
	{"schema:comment", []string{vocab.HasComment}},
	{"sioc:topic", []string{vocab.TaggedWith}}, {"dcterms:subject", []string{vocab.TaggedWith}},
	{"skos:note", []string{vocab.HasTagWiki}}, {"skos:definition", []string{vocab.HasTagWikiExcerpt}},
	{"sioc:links_to", linked}, {"dcterms:references", []string{"sioc:links_to"}},
	{"schema:upvoteCount", []string{vocab.UpVotes}}, {"schema:downvoteCount", []string{vocab.DownVotes}},
	{"schema:answerCount", []string{vocab.AnswerCount}},
	{"dcterms:created", []string{vocab.CreationDate}}, {"dcterms:modified", []string{vocab.LastEditDate}},
	{"dcterms:license", []string{vocab.License}},
	{"sioc:has_creator", []string{vocab.Author}},
	{"skos:prefLabel", []string{vocab.TagName}},
}

var posted = []string{vocab.Question, vocab.Answer, vocab.TagWiki, vocab.TagWikiExcerpt}

// linked have quads in common: a question can be linked to a question and be its
// duplicate. A rule of the links' own counts them once.
var linked = []string{vocab.LinkedTo, vocab.DuplicateOf}

// namespaces are those of the terms of others, by prefix.
var namespaces = map[string]string{
	"sioc":    "http://rdfs.org/sioc/ns#",
	"sioct":   "http://rdfs.org/sioc/types#",
	"schema":  "https://schema.org/",
	"skos":    "http://www.w3.org/2004/02/skos/core#",
	"dcterms": "http://purl.org/dc/terms/",
}

// derive adds the tallies of implied terms to those of a graph, but for the terms
// that rules have counted.
func derive(t *Tallies, ruled map[Term]bool) {
	for i := range implied {
		if ruled[Terms+Term(i)] {
			continue
		}
		for _, name := range implied[i].of {
			t[Terms+Term(i)].Merge(t[named(name)])
		}
	}
}

// sources are the terms whose quads are those of an implied term, down to terms
// that rules count.
func sources(term Term, ruled map[Term]bool) []Term {
	if term < Terms || ruled[term] {
		return []Term{term}
	}
	var all []Term
	for _, name := range implied[term-Terms].of {
		all = append(all, sources(named(name), ruled)...)
	}
	return all
}

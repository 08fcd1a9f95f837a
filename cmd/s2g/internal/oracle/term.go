package oracle

import (
	"strings"

	"s2g/schema/vocab"
)

// Term is what the quads of a graph are counted by: a concrete class, for the
// quads that give a node this type, or a predicate.
type Term int

// TermKind says what the objects of a term are.
type TermKind uint8

// The kinds of term.
const (
	Class   TermKind = iota // rdf:type
	Edge                    // IRIs
	Literal                 // strings, numbers, dates
)

// terms are all terms, in the order in which they are shown.
var terms = [...]struct {
	name string
	kind TermKind
}{
	{vocab.Question, Class}, {vocab.AnsweredQuestion, Class}, {vocab.UnansweredQuestion, Class},
	{vocab.Answer, Class}, {vocab.AcceptedAnswer, Class}, {vocab.PossibleBetterAnswer, Class},
	{vocab.Comment, Class}, {vocab.Tag, Class}, {vocab.TagWiki, Class}, {vocab.TagWikiExcerpt, Class},

	{vocab.HasAnswer, Edge}, {vocab.HasAcceptedAnswer, Edge}, {vocab.HasPossibleBetterAnswer, Edge}, {vocab.HasComment, Edge},
	{vocab.TaggedWith, Edge}, {vocab.HasTagWiki, Edge}, {vocab.HasTagWikiExcerpt, Edge},
	{vocab.LinkedTo, Edge}, {vocab.DuplicateOf, Edge}, {vocab.Author, Edge}, {vocab.License, Edge},

	{vocab.PostID, Literal}, {vocab.CommentID, Literal}, {vocab.HasTitle, Literal}, {vocab.HasBody, Literal},
	{vocab.Score, Literal}, {vocab.UpVotes, Literal}, {vocab.DownVotes, Literal}, {vocab.ViewCount, Literal},
	{vocab.AnswerCount, Literal}, {vocab.CommentCount, Literal}, {vocab.FavoriteCount, Literal},
	{vocab.CreationDate, Literal}, {vocab.LastEditDate, Literal}, {vocab.LastActivityDate, Literal},
	{vocab.ClosedDate, Literal}, {vocab.CommunityOwnedDate, Literal},
	{vocab.AuthorName, Literal}, {vocab.TagName, Literal}, {vocab.TagCount, Literal},
}

// Terms is how many terms every graph has; they are numbered from 0. After them
// come those that follow from them, up to AllTerms.
const Terms = Term(len(terms))

// AllTerms is how many terms a graph with materialized terms has.
const AllTerms = Terms + Term(len(implied))

// LookupTerm finds the term of a local name in the ontology's namespace, or of a name
// with another prefix, as "sioc:content". Classes begin with another word than
// predicates, so the name decides.
func LookupTerm(name string) (Term, bool) {
	for t := range AllTerms {
		if t.Name() == name {
			return t, true
		}
	}
	return 0, false
}

// Name returns the term's local name, as "AcceptedAnswer"; with a prefix where
// the term is not of the ontology.
func (t Term) Name() string {
	if t >= Terms {
		return implied[t-Terms].name
	}
	return terms[t].name
}

// Kind returns the kind of the term's objects.
func (t Term) Kind() TermKind {
	if t >= Terms {
		of, _ := LookupTerm(implied[t-Terms].of[0])
		return of.Kind()
	}
	return terms[t].kind
}

// IRI returns the term's IRI.
func (t Term) IRI() string {
	prefix, local, ok := strings.Cut(t.Name(), ":")
	if !ok {
		return vocab.NS + t.Name()
	}
	return namespaces[prefix] + local
}

// String returns the term as it stands in TriG: "a so:Question", "so:hasBody".
func (t Term) String() string {
	name := t.Name()
	if !strings.Contains(name, ":") {
		name = "so:" + name
	}
	if t.Kind() == Class {
		return "a " + name
	}
	return name
}

// Tally is how many quads there are, and the sum of the CRC-32C of their texts.
type Tally struct {
	Count int64
	Sum   uint64
}

// Add puts one quad's checksum into the tally.
func (t *Tally) Add(crc uint32) {
	t.Count++
	t.Sum += uint64(crc)
}

// Merge adds another tally.
func (t *Tally) Merge(u Tally) {
	t.Count += u.Count
	t.Sum += u.Sum
}

// Tallies has a tally for each term.
type Tallies [AllTerms]Tally

// Quads returns the number of quads in all.
func (t *Tallies) Quads() (n int64) {
	for i := range t {
		n += t[i].Count
	}
	return n
}

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

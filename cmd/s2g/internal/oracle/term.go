package oracle

import (
	"strings"

	"s2g/schema/vocab"
)

// Term is a class or a predicate. Quads with rdf:type are counted by their class, others
// by their predicate.
type Term int

// TermKind is the kind of a term's objects.
type TermKind uint8

// The kinds of term.
const (
	Class   TermKind = iota // rdf:type
	Edge                    // IRIs
	Literal                 // strings, numbers, dates
)

// terms are the terms of every graph, in the order in which they are printed.
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

// implied are the terms that only a materialized graph has, each with the terms that it
// follows from. Each quad of these implies one that differs only in its class or
// predicate. The text of a quad has neither, so the tally of an implied term is the sum
// of theirs, provided that no two of them share subject and object.
//
// The table repeats docs/formats.md. It does not read ontology.ttl, by which the graph
// is written, so that the one checks the other.
var implied = [...]struct {
	name string
	of   []string
}{
	{vocab.Post, posts}, {vocab.Content, append(posts[:len(posts):len(posts)], vocab.Comment)},
	{"sioc:Post", posts},
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
	// A question can be both linked to a question and its duplicate. The two have
	// quads in common, so the scan of links counts this term itself.
	{"sioc:links_to", []string{vocab.LinkedTo, vocab.DuplicateOf}}, {"dcterms:references", []string{"sioc:links_to"}},
	{"schema:upvoteCount", []string{vocab.UpVotes}}, {"schema:downvoteCount", []string{vocab.DownVotes}},
	{"schema:answerCount", []string{vocab.AnswerCount}},
	{"dcterms:created", []string{vocab.CreationDate}}, {"dcterms:modified", []string{vocab.LastEditDate}},
	{"dcterms:license", []string{vocab.License}},
	{"sioc:has_creator", []string{vocab.Author}},
	{"skos:prefLabel", []string{vocab.TagName}},
}

var posts = []string{vocab.Question, vocab.Answer, vocab.TagWiki, vocab.TagWikiExcerpt}

// namespaces are those of other vocabularies' terms, by prefix.
var namespaces = map[string]string{
	"sioc":    "http://rdfs.org/sioc/ns#",
	"sioct":   "http://rdfs.org/sioc/types#",
	"schema":  "https://schema.org/",
	"skos":    "http://www.w3.org/2004/02/skos/core#",
	"dcterms": "http://purl.org/dc/terms/",
}

// Terms is the number of terms of every graph. They are 0 to Terms-1; the implied terms
// follow, up to AllTerms-1.
const Terms = Term(len(terms))

// AllTerms is the number of terms of a materialized graph.
const AllTerms = Terms + Term(len(implied))

// LookupTerm returns the term of a local name in the ontology's namespace, or of
// a name with another prefix, as "sioc:content".
func LookupTerm(name string) (Term, bool) {
	for t := range AllTerms {
		if t.Name() == name {
			return t, true
		}
	}
	return 0, false
}

// mustTerm is LookupTerm for a name in this package.
func mustTerm(name string) Term {
	t, ok := LookupTerm(name)
	if !ok {
		panic("oracle: a rule names " + name + ", which is no term")
	}
	return t
}

// Name returns the term's local name, as "AcceptedAnswer", with a prefix where
// the term is of another vocabulary.
func (t Term) Name() string {
	if t >= Terms {
		return implied[t-Terms].name
	}
	return terms[t].name
}

// Kind returns the kind of the term's objects.
func (t Term) Kind() TermKind {
	if t >= Terms {
		return mustTerm(implied[t-Terms].of[0]).Kind()
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

// String returns the term as TriG spells it: "a so:Question", "so:hasBody".
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

// sources returns the scanned terms that give a term its quads: the term itself, or
// those that imply it.
func (t Term) sources(scanned map[Term]bool) []Term {
	if t < Terms || scanned[t] {
		return []Term{t}
	}
	var all []Term
	for _, name := range implied[t-Terms].of {
		all = append(all, mustTerm(name).sources(scanned)...)
	}
	return all
}

// Tallies has a tally for each term.
type Tallies [AllTerms]Tally

// Quads returns the number of all quads.
func (t *Tallies) Quads() (n int64) {
	for i := range t {
		n += t[i].Count
	}
	return n
}

// addImplied adds the tallies of the implied terms that scans do not count, in the order
// of implied: a term follows those that imply it.
func (t *Tallies) addImplied(scanned map[Term]bool) {
	for i := range implied {
		if scanned[Terms+Term(i)] {
			continue
		}
		for _, name := range implied[i].of {
			t[Terms+Term(i)].Merge(t[mustTerm(name)])
		}
	}
}

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

// Named finds the term of a local name in the ontology's namespace, or of a name
// with another prefix, as "sioc:content". Classes begin with another word than
// predicates, so the name decides.
func Named(name string) (Term, bool) {
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
		of, _ := Named(implied[t-Terms].of[0])
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

package graph

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/knakk/rdf"

	"s2g/graph/trig"
	"s2g/schema/threads"
	"s2g/schema/vocab"
)

// newSyntax is the syntax of the batches: its prefixes cover the ontology, the
// nodes that are numbered and, where they are written, the terms of others.
func newSyntax(f trig.Format, site vocab.Site, aligned bool) *trig.Syntax {
	prefixes := []trig.Prefix{
		{Name: "so", IRI: vocab.NS},
		{Name: "xsd", IRI: vocab.XSD},
		{Name: "q", IRI: questionIRI(site)},
		{Name: "a", IRI: answerIRI(site)},
		{Name: "c", IRI: commentIRI(site)},
		{Name: "w", IRI: postIRI(site)},
		{Name: "u", IRI: userIRI(site)},
	}
	if aligned {
		prefixes = append(prefixes, alignedPrefixes...)
	}
	return trig.NewSyntax(f, prefixes...)
}

// alignedPrefixes shorten what the ontology is aligned with.
var alignedPrefixes = []trig.Prefix{
	{Name: "sioc", IRI: "http://rdfs.org/sioc/ns#"},
	{Name: "sioct", IRI: "http://rdfs.org/sioc/types#"},
	{Name: "schema", IRI: "https://schema.org/"},
	{Name: "skos", IRI: "http://www.w3.org/2004/02/skos/core#"},
	{Name: "dcterms", IRI: "http://purl.org/dc/terms/"},
}

// The IRIs of numbered nodes, without the number.
func questionIRI(s vocab.Site) string { return stem(s.Question(0)) }
func answerIRI(s vocab.Site) string   { return stem(s.Answer(0)) }
func commentIRI(s vocab.Site) string  { return stem(s.Comment(0)) }
func postIRI(s vocab.Site) string     { return stem(s.Post(0)) }
func userIRI(s vocab.Site) string     { return stem(s.User(0)) }

func stem(iri string) string { return iri[:len(iri)-1] }

// standing is how an answer stands to its question's accepted answer.
type standing int

const (
	ordinary standing = iota
	accepted
	better
	standings
)

func standingOf(p threads.Post) standing {
	switch {
	case p.IsAccepted:
		return accepted
	case p.IsBetter:
		return better
	}
	return ordinary
}

// terms are the constant parts of the graph's triples, spelled.
type terms struct {
	question, answer, comment, post, user trig.Frame
	systemUser                            trig.Frame // a negative number is no prefixed name everywhere
	tag                                   trig.Frame
	integer, dateTime                     trig.Frame
	syntax                                *trig.Syntax
	kinds                                 kinds

	isAnswered, isUnanswered, isComment, isTag, isTagWiki, isTagWikiExcerpt types
	isAnswer                                                                [standings]types

	HasAnswer                                                                          [standings]property
	HasComment, TaggedWith, HasTagWiki, HasTagWikiExcerpt, LinkedTo, DuplicateOf       property
	DuplicateToo                                                                       property // where LinkedTo leads to the same post
	author, licenseOf, postID, commentID, hasTitle, hasBody, score, upVotes, downVotes property
	viewCount, answerCount, commentCount, favoriteCount, authorName, tagName, tagCount property
	creationDate, lastEditDate, lastActivityDate, closedDate, communityOwnedDate       property
}

func newTerms(s *trig.Syntax, site vocab.Site, above hierarchy) *terms {
	t := &terms{
		question: s.NameFrame(questionIRI(site)), answer: s.NameFrame(answerIRI(site)), comment: s.NameFrame(commentIRI(site)),
		post: s.NameFrame(postIRI(site)), user: s.NameFrame(userIRI(site)), systemUser: trig.IRIFrame(userIRI(site)),
		tag: trig.IRIFrame(site.Tag("")), integer: s.LiteralFrame(vocab.XSD + "integer"), dateTime: s.LiteralFrame(vocab.XSD + "dateTime"),
		syntax: s,
	}
	is := func(classes ...string) types { return t.types(above, classes...) }
	t.isAnswered, t.isUnanswered = is(vocab.Question, vocab.AnsweredQuestion), is(vocab.Question, vocab.UnansweredQuestion)
	t.isAnswer = [standings]types{is(vocab.Answer), is(vocab.Answer, vocab.AcceptedAnswer), is(vocab.Answer, vocab.PossibleBetterAnswer)}
	t.isComment, t.isTag, t.isTagWiki, t.isTagWikiExcerpt = is(vocab.Comment), is(vocab.Tag), is(vocab.TagWiki), is(vocab.TagWikiExcerpt)

	so := func(locals ...string) property { return t.property(above, locals...) }
	t.HasAnswer = [standings]property{so(vocab.HasAnswer), so(vocab.HasAnswer, vocab.HasAcceptedAnswer), so(vocab.HasAnswer, vocab.HasPossibleBetterAnswer)}
	t.HasComment, t.TaggedWith, t.HasTagWiki, t.HasTagWikiExcerpt = so(vocab.HasComment), so(vocab.TaggedWith), so(vocab.HasTagWiki), so(vocab.HasTagWikiExcerpt)
	t.LinkedTo, t.DuplicateOf = so(vocab.LinkedTo), so(vocab.DuplicateOf)
	t.DuplicateToo = slices.DeleteFunc(slices.Clone(t.DuplicateOf), func(p trig.Predicate) bool { return slices.Contains(t.LinkedTo, p) })
	t.author, t.licenseOf = so(vocab.Author), so(vocab.License)
	t.postID, t.commentID, t.hasTitle, t.hasBody = so(vocab.PostID), so(vocab.CommentID), so(vocab.HasTitle), so(vocab.HasBody)
	t.score, t.upVotes, t.downVotes = so(vocab.Score), so(vocab.UpVotes), so(vocab.DownVotes)
	t.viewCount, t.answerCount, t.commentCount, t.favoriteCount = so(vocab.ViewCount), so(vocab.AnswerCount), so(vocab.CommentCount), so(vocab.FavoriteCount)
	t.authorName, t.tagName, t.tagCount = so(vocab.AuthorName), so(vocab.TagName), so(vocab.TagCount)
	t.creationDate, t.lastEditDate, t.lastActivityDate = so(vocab.CreationDate), so(vocab.LastEditDate), so(vocab.LastActivityDate)
	t.closedDate, t.communityOwnedDate = so(vocab.ClosedDate), so(vocab.CommunityOwnedDate)
	return t
}

// types spells what a node of some classes is.
func (t *terms) types(above hierarchy, classes ...string) types {
	a := t.syntax.Predicate(vocab.RDF + "type")
	list := make(types, 0, len(classes))
	for _, class := range above.closure(inNS(classes)...) {
		a.Tally = t.kinds.add(class, true)
		list = append(list, struct {
			predicate trig.Predicate
			class     string
		}{a, t.syntax.IRI(class)})
	}
	return list
}

// property spells the predicates of an edge or a literal that has some names.
func (t *terms) property(above hierarchy, names ...string) property {
	var p property
	for _, iri := range above.closure(inNS(names)...) {
		q := t.syntax.Predicate(iri)
		q.Tally = t.kinds.add(iri, false)
		p = append(p, q)
	}
	return p
}

func inNS(names []string) []string {
	iris := make([]string, len(names))
	for i, n := range names {
		iris[i] = vocab.NS + n
	}
	return iris
}

// kinds are what quads are counted by: the class, of those that say what a node
// is, else the predicate. They are numbered in the order in which the terms of
// the graph were spelled.
type kinds struct {
	all    []kind
	number map[string]uint8 // by IRI
}

type kind struct {
	iri     string
	isClass bool
}

func (k *kinds) add(iri string, isClass bool) uint8 {
	n, ok := k.number[iri]
	if !ok {
		n = uint8(len(k.all))
		k.all = append(k.all, kind{iri, isClass})
		if k.number == nil {
			k.number = map[string]uint8{}
		}
		k.number[iri] = n
	}
	return n
}

// of returns the kind of a quad that was read back.
func (k *kinds) of(q *trig.Quad) (n uint8, ok bool) {
	if string(q.Predicate.Value) == vocab.RDF+"type" {
		n, ok = k.number[string(q.Object.Value)]
		return n, ok
	}
	n, ok = k.number[string(q.Predicate.Value)]
	return n, ok
}

// property is a predicate of the graph and those that it implies, which are
// written with it: a triple is as many pieces of a fragment.
type property []trig.Predicate

func (p property) term(f *trig.Fragment, object string) {
	for _, q := range p {
		f.Term(q, object)
	}
}

func (p property) int(f *trig.Fragment, object trig.Frame, v int64) {
	for _, q := range p {
		f.Int(q, object, v)
	}
}

func (p property) bytes(f *trig.Fragment, object trig.Frame, v []byte) {
	for _, q := range p {
		f.Bytes(q, object, v)
	}
}

func (p property) text(f *trig.Fragment, v []byte) {
	for _, q := range p {
		f.Text(q, v)
	}
}

// types are the triples that say what a node is.
type types []struct {
	predicate trig.Predicate
	class     string // spelled
}

func (t types) write(f *trig.Fragment) {
	for _, c := range t {
		f.Term(c.predicate, c.class)
	}
}

const (
	subClassOf    = "http://www.w3.org/2000/01/rdf-schema#subClassOf"
	subPropertyOf = "http://www.w3.org/2000/01/rdf-schema#subPropertyOf"
)

// hierarchy is what stands directly above a class or a property, by IRI. The
// zero value has nothing above anything.
type hierarchy map[string][]string

// readHierarchy reads the subclasses and subproperties of an ontology in Turtle.
func readHierarchy(ontology []byte) (hierarchy, error) {
	h := hierarchy{}
	for d := rdf.NewTripleDecoder(bytes.NewReader(ontology), rdf.Turtle); ; {
		t, err := d.Decode()
		if errors.Is(err, io.EOF) {
			return h, nil
		}
		if err != nil {
			return nil, fmt.Errorf("reading the ontology: %w", err)
		}
		if p := t.Pred.String(); p == subClassOf || p == subPropertyOf {
			h[t.Subj.String()] = append(h[t.Subj.String()], t.Obj.String())
		}
	}
}

// closure returns some terms and all that stands above them, each once: the
// terms first, then the rest from the nearest up.
func (h hierarchy) closure(terms ...string) []string {
	all := slices.Clone(terms)
	for i := 0; i < len(all); i++ {
		for _, above := range h[all[i]] {
			if !slices.Contains(all, above) {
				all = append(all, above)
			}
		}
	}
	return all
}

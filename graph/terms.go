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

// newSyntax returns the syntax of the batches. Its prefixes cover the ontology, the
// numbered nodes and, if aligned, the terms of other vocabularies.
func newSyntax(f trig.Format, site vocab.Site, aligned bool) *trig.Syntax {
	prefixes := []trig.Prefix{
		{Name: "so", IRI: vocab.NS},
		{Name: "xsd", IRI: vocab.XSD},
		{Name: "q", IRI: numbered(site.Question)},
		{Name: "a", IRI: numbered(site.Answer)},
		{Name: "c", IRI: numbered(site.Comment)},
		{Name: "w", IRI: numbered(site.Post)},
		{Name: "u", IRI: numbered(site.User)},
	}
	if aligned {
		prefixes = append(prefixes, alignedPrefixes...)
	}
	return trig.NewSyntax(f, prefixes...)
}

// alignedPrefixes abbreviate the vocabularies that the ontology aligns with.
var alignedPrefixes = []trig.Prefix{
	{Name: "sioc", IRI: "http://rdfs.org/sioc/ns#"},
	{Name: "sioct", IRI: "http://rdfs.org/sioc/types#"},
	{Name: "schema", IRI: "https://schema.org/"},
	{Name: "skos", IRI: "http://www.w3.org/2004/02/skos/core#"},
	{Name: "dcterms", IRI: "http://purl.org/dc/terms/"},
}

// numbered returns the IRI of numbered nodes without the number.
func numbered(iri func(id int64) string) string {
	zero := iri(0)
	return zero[:len(zero)-1]
}

// answerStatus compares an answer with its question's accepted answer.
type answerStatus int

const (
	otherAnswer answerStatus = iota
	acceptedAnswer
	betterAnswer // its score is higher than the accepted one's
	answerStatuses
)

func statusOf(p threads.Post) answerStatus {
	switch {
	case p.IsAccepted:
		return acceptedAnswer
	case p.IsBetter:
		return betterAnswer
	}
	return otherAnswer
}

// terms are the constant parts of the graph's triples, as the syntax spells them. Their
// fields have the ontology's names, in its case (so:HasComment, so:hasTitle). A new
// property of the graph is a field here, a line in newTerms, and the line that writes
// it in posts.go or tags.go.
type terms struct {
	syntax *trig.Syntax
	kinds  *kinds

	question, answer, comment, post, user trig.Frame // nodes
	systemUser                            trig.Frame // a user with a negative number, which some parsers refuse in a prefixed name
	tag                                   trig.Frame
	integer, dateTime                     trig.Frame // literals

	isAnswered, isUnanswered, isComment, isTag, isTagWiki, isTagWikiExcerpt types
	isAnswer                                                                [answerStatuses]types

	HasAnswer                                                                          [answerStatuses]property
	HasComment, TaggedWith, HasTagWiki, HasTagWikiExcerpt, LinkedTo, DuplicateOf       property
	DuplicateOfLinked                                                                  property // beside LinkedTo to the same post: DuplicateOf without the predicates that LinkedTo has
	author, license, postID, commentID, hasTitle, hasBody, score, upVotes, downVotes   property
	viewCount, answerCount, commentCount, favoriteCount, authorName, tagName, tagCount property
	creationDate, lastEditDate, lastActivityDate, closedDate, communityOwnedDate       property
}

// newTerms spells the terms. The order of the calls numbers the kinds: checkpoints
// and void.ttl depend on it.
func newTerms(s *trig.Syntax, site vocab.Site, above hierarchy) *terms {
	t := &terms{
		syntax: s, kinds: &kinds{number: map[string]uint8{}},
		question: s.NameFrame(numbered(site.Question)), answer: s.NameFrame(numbered(site.Answer)), comment: s.NameFrame(numbered(site.Comment)),
		post: s.NameFrame(numbered(site.Post)), user: s.NameFrame(numbered(site.User)), systemUser: trig.IRIFrame(numbered(site.User)),
		tag: trig.IRIFrame(site.Tag("")), integer: s.LiteralFrame(vocab.XSD + "integer"), dateTime: s.LiteralFrame(vocab.XSD + "dateTime"),
	}
	is := func(classes ...string) types { return t.types(above, classes...) }
	t.isAnswered, t.isUnanswered = is(vocab.Question, vocab.AnsweredQuestion), is(vocab.Question, vocab.UnansweredQuestion)
	t.isAnswer = [answerStatuses]types{is(vocab.Answer), is(vocab.Answer, vocab.AcceptedAnswer), is(vocab.Answer, vocab.PossibleBetterAnswer)}
	t.isComment, t.isTag, t.isTagWiki, t.isTagWikiExcerpt = is(vocab.Comment), is(vocab.Tag), is(vocab.TagWiki), is(vocab.TagWikiExcerpt)

	so := func(names ...string) property { return t.property(above, names...) }
	t.HasAnswer = [answerStatuses]property{so(vocab.HasAnswer), so(vocab.HasAnswer, vocab.HasAcceptedAnswer), so(vocab.HasAnswer, vocab.HasPossibleBetterAnswer)}
	t.HasComment = so(vocab.HasComment)
	t.TaggedWith = so(vocab.TaggedWith)
	t.HasTagWiki = so(vocab.HasTagWiki)
	t.HasTagWikiExcerpt = so(vocab.HasTagWikiExcerpt)
	t.LinkedTo = so(vocab.LinkedTo)
	t.DuplicateOf = so(vocab.DuplicateOf)
	t.DuplicateOfLinked = slices.DeleteFunc(slices.Clone(t.DuplicateOf), func(p trig.Predicate) bool { return slices.Contains(t.LinkedTo, p) })
	t.author = so(vocab.Author)
	t.license = so(vocab.License)
	t.postID = so(vocab.PostID)
	t.commentID = so(vocab.CommentID)
	t.hasTitle = so(vocab.HasTitle)
	t.hasBody = so(vocab.HasBody)
	t.score = so(vocab.Score)
	t.upVotes = so(vocab.UpVotes)
	t.downVotes = so(vocab.DownVotes)
	t.viewCount = so(vocab.ViewCount)
	t.answerCount = so(vocab.AnswerCount)
	t.commentCount = so(vocab.CommentCount)
	t.favoriteCount = so(vocab.FavoriteCount)
	t.authorName = so(vocab.AuthorName)
	t.tagName = so(vocab.TagName)
	t.tagCount = so(vocab.TagCount)
	t.creationDate = so(vocab.CreationDate)
	t.lastEditDate = so(vocab.LastEditDate)
	t.lastActivityDate = so(vocab.LastActivityDate)
	t.closedDate = so(vocab.ClosedDate)
	t.communityOwnedDate = so(vocab.CommunityOwnedDate)
	return t
}

// types are the rdf:type triples of a node.
type types []typeTriple

type typeTriple struct {
	predicate trig.Predicate // rdf:type, with the class's counter
	class     string         // spelled
}

// types spells the classes of a node, and those above them.
func (t *terms) types(above hierarchy, classes ...string) types {
	a := t.syntax.Predicate(vocab.RDF + "type")
	list := make(types, 0, len(classes))
	for _, class := range above.closure(inNS(classes)...) {
		a.Tally = t.kinds.register(class, true)
		list = append(list, typeTriple{a, t.syntax.IRI(class)})
	}
	return list
}

func (t types) write(f *trig.Fragment) {
	for _, c := range t {
		f.Term(c.predicate, c.class)
	}
}

// property is a predicate of the graph and the predicates that it implies. Its methods
// write one triple for each of them, all with the same object.
type property []trig.Predicate

// property spells predicates, and those above them.
func (t *terms) property(above hierarchy, names ...string) property {
	var p property
	for _, iri := range above.closure(inNS(names)...) {
		q := t.syntax.Predicate(iri)
		q.Tally = t.kinds.register(iri, false)
		p = append(p, q)
	}
	return p
}

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

func inNS(names []string) []string {
	iris := make([]string, len(names))
	for i, n := range names {
		iris[i] = vocab.NS + n
	}
	return iris
}

// kinds are the kinds of triples that void.ttl counts: each class of an rdf:type triple,
// and each other predicate. They are numbered in the order in which newTerms spells them.
type kinds struct {
	all    []kind
	number map[string]uint8 // by IRI
}

type kind struct {
	iri     string
	isClass bool
}

// register returns the number of a class or predicate, a new number for a new IRI.
func (k *kinds) register(iri string, isClass bool) uint8 {
	n, ok := k.number[iri]
	if !ok {
		n = uint8(len(k.all))
		k.all = append(k.all, kind{iri, isClass})
		k.number[iri] = n
	}
	return n
}

// find returns the number of a quad's kind.
func (k *kinds) find(q *trig.Quad) (n uint8, ok bool) {
	term := &q.Predicate
	if string(term.Value) == vocab.RDF+"type" {
		term = &q.Object
	}
	n, ok = k.number[string(term.Value)]
	return n, ok
}

const (
	subClassOf    = "http://www.w3.org/2000/01/rdf-schema#subClassOf"
	subPropertyOf = "http://www.w3.org/2000/01/rdf-schema#subPropertyOf"
)

// hierarchy holds the direct superclasses of a class, and the direct superproperties
// of a property, by IRI. The zero value is empty.
type hierarchy map[string][]string

// readHierarchy reads the hierarchy of an ontology in Turtle.
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

// closure returns terms and everything above them, each once: first the terms, then
// the others, the nearest first.
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

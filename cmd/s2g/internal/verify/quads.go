package verify

import (
	"bytes"
	"fmt"

	"s2g/cmd/s2g/internal/oracle"
	"s2g/graph/trig"
	"s2g/schema/vocab"
)

// census counts quads as expect does: by graph and term, with the sum of the
// CRC-32C of their texts.
type census struct {
	site      []byte
	positions map[string]int // of graphs, by IRI
	graphs    []oracle.Tallies
	// Posts that have a so:postId, by their graph: the text is that of their type, as of shardTally.
	questions, answers []oracle.Tally

	predicates map[string]oracle.Term // by IRI
	classes    map[string]oracle.Term // by IRI

	last  []byte // IRI of the graph that the last quad was of
	graph int    // its position

	subject []byte // IRI of the subject that the last quad was of
	text    []byte // of the last quad; the first node bytes are its subject
	node    int
	sum     uint32 // of these
	post    []byte // room for postCRC
}

const rdfType = vocab.RDF + "type"

func newCensus(b *build) *census {
	c := &census{
		site: []byte(b.site), positions: map[string]int{},
		predicates: map[string]oracle.Term{}, classes: map[string]oracle.Term{},
		graphs:    make([]oracle.Tallies, len(b.graphs)),
		questions: make([]oracle.Tally, len(b.graphs)), answers: make([]oracle.Tally, len(b.graphs)),
	}
	for i, g := range b.graphs {
		c.positions[g.iri] = i
	}
	for t := range b.terms {
		if t.Kind() == oracle.Class {
			c.classes[t.IRI()] = t
		} else {
			c.predicates[t.IRI()] = t
		}
	}
	return c
}

// add counts a quad. What is in no graph of the design is a difference.
func (c *census) add(q *trig.Quad) (bad string) {
	term, crc, bad := c.read(q)
	if bad != "" {
		return bad
	}
	c.graphs[c.graph][term].Add(crc)
	if term == postID {
		c.addPost(q)
	}
	return ""
}

var postID, _ = oracle.LookupTerm(vocab.PostID)

// addPost counts a question or answer for the shards, by the id that so:postId gives.
func (c *census) addPost(q *trig.Quad) {
	switch subject := c.text[:c.node]; {
	case bytes.HasPrefix(subject, []byte(questionPath)):
		c.questions[c.graph].Add(c.postCRC(questionPath, q.Object.Value))
	case bytes.HasPrefix(subject, []byte(answerPath)):
		c.answers[c.graph].Add(c.postCRC(answerPath, q.Object.Value))
	}
}

const (
	questionPath = "/questions/"
	answerPath   = "/a/"
)

// postCRC is the checksum of the text that says that a post is of its type.
func (c *census) postCRC(path string, id []byte) uint32 {
	c.post = append(append(c.post[:0], path...), id...)
	return typeCRC(c.post)
}

// typeCRC is the same, of the post's IRI without the site.
func typeCRC(post []byte) uint32 {
	return oracle.CRC(oracle.CRC(0, post), isOfType)
}

var isOfType = []byte(" a") // not on the heap at every use

// read finds graph and term of a quad and makes its text.
func (c *census) read(q *trig.Quad) (term oracle.Term, crc uint32, bad string) {
	if !bytes.Equal(q.Graph.Value, c.last) || c.last == nil {
		g, ok := c.positions[string(q.Graph.Value)]
		if !ok {
			return 0, 0, fmt.Sprintf("<%s> is no graph of this build", q.Graph.Value)
		}
		c.last, c.graph = append(c.last[:0], q.Graph.Value...), g
	}
	var ok bool
	isType := string(q.Predicate.Value) == rdfType
	if isType {
		if term, ok = c.classes[string(q.Object.Value)]; !ok {
			return 0, 0, fmt.Sprintf("<%s> is no class of the graph", q.Object.Value)
		}
	} else if term, ok = c.predicates[string(q.Predicate.Value)]; !ok {
		return 0, 0, fmt.Sprintf("<%s> is no predicate of the graph", q.Predicate.Value)
	}
	if len(c.subject) == 0 || !bytes.Equal(q.Subject.Value, c.subject) || q.Subject.Kind != trig.IRI {
		c.subject = c.subject[:0]
		if c.text, ok = c.appendIRI(c.text[:0], &q.Subject); !ok || !bytes.HasPrefix(c.text, []byte("/")) {
			return 0, 0, fmt.Sprintf("<%s> is not spelled as a node of the site", q.Subject.Value)
		}
		c.subject, c.node, c.sum = append(c.subject[:0], q.Subject.Value...), len(c.text), oracle.CRC(0, c.text)
	}
	if isType {
		return term, oracle.CRC(c.sum, isOfType), ""
	}
	var text []byte // of a long literal, which is not copied
	if c.text, text, ok = c.appendObject(c.text[:c.node], &q.Object); !ok {
		return 0, 0, fmt.Sprintf("<%s> %s has the object %q, which is not spelled as the design says", q.Subject.Value, term, q.Object.Value)
	}
	crc = oracle.CRC(c.sum, c.text[c.node:])
	if text != nil {
		crc = oracle.CRC(crc, text)
	}
	return term, crc, ""
}

// appendIRI appends an IRI, without the site where it is of the site, and with
// the tag's name where it is a tag's.
func (c *census) appendIRI(dst []byte, t *trig.Term) ([]byte, bool) {
	if t.Kind != trig.IRI {
		return dst, false
	}
	path, inSite := bytes.CutPrefix(t.Value, c.site)
	if !inSite {
		return append(dst, t.Value...), true
	}
	name, isTag := bytes.CutPrefix(path, []byte("/tags/"))
	if !isTag {
		return append(dst, path...), true
	}
	return appendDecoded(append(dst, "/tags/"...), name)
}

// shortText is up to where a literal is copied to be hashed with its mark.
const shortText = 128

// appendObject appends an object; of a long literal it appends the mark alone, and
// returns the text.
func (c *census) appendObject(dst []byte, t *trig.Term) (_, text []byte, ok bool) {
	if t.Kind != trig.Literal {
		dst, ok = c.appendIRI(append(dst, " <"...), t)
		return dst, nil, ok
	}
	if len(t.Language) > 0 {
		return dst, nil, false
	}
	switch string(t.Datatype) {
	case vocab.XSD + "string":
		dst = append(dst, ` "`...)
	case vocab.XSD + "integer":
		dst = append(dst, " #"...)
	case vocab.XSD + "dateTime":
		dst = append(dst, " @"...)
	default:
		return dst, nil, false
	}
	if len(t.Value) > shortText {
		return dst, t.Value, true
	}
	return append(dst, t.Value...), nil, true
}

// appendDecoded undoes percent-encoding. It refuses another spelling than the
// one that encodes all but RFC 3986's unreserved characters, in upper case:
// stores compare IRIs byte by byte.
func appendDecoded(dst, segment []byte) ([]byte, bool) {
	const unreserved = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~"
	const hex = "0123456789ABCDEF"
	for i := 0; i < len(segment); i++ {
		c := segment[i]
		if c != '%' {
			if bytes.IndexByte([]byte(unreserved), c) < 0 {
				return dst, false
			}
			dst = append(dst, c)
			continue
		}
		if i+2 >= len(segment) {
			return dst, false
		}
		high, low := bytes.IndexByte([]byte(hex), segment[i+1]), bytes.IndexByte([]byte(hex), segment[i+2])
		if high < 0 || low < 0 {
			return dst, false
		}
		c = byte(high<<4 | low)
		if bytes.IndexByte([]byte(unreserved), c) >= 0 {
			return dst, false
		}
		dst = append(dst, c)
		i += 2
	}
	return dst, true
}

func (c *census) merge(d *census) {
	for g := range c.graphs {
		for t := range oracle.AllTerms {
			c.graphs[g][t].Merge(d.graphs[g][t])
		}
		c.questions[g].Merge(d.questions[g])
		c.answers[g].Merge(d.answers[g])
	}
}

package verify

import (
	"bytes"
	"fmt"

	"s2g/cmd/s2g/internal/oracle"
	"s2g/graph/trig"
	"s2g/schema/vocab"
)

// quadCounter counts quads as package oracle does: by graph and term, with the sum
// of the CRC-32C of their texts.
type quadCounter struct {
	site       []byte
	positions  map[string]int         // of graphs, by IRI
	predicates map[string]oracle.Term // by IRI
	classes    map[string]oracle.Term // by IRI

	graphs []oracle.Tallies
	posts  [2][]oracle.Tally // of posts with a so:postId, by kind and graph, as shardTally.posts

	// of the last quad
	graphIRI   []byte
	graph      int // position of graphIRI
	subjectIRI []byte
	text       []byte // its first subjectEnd bytes are the subject
	subjectEnd int
	subjectCRC uint32

	post []byte // path of postCRC's last post
}

const rdfType = vocab.RDF + "type"

var postID, _ = oracle.LookupTerm(vocab.PostID)

func newQuadCounter(v *verifier) *quadCounter {
	c := &quadCounter{
		site: []byte(v.site), positions: map[string]int{}, predicates: map[string]oracle.Term{}, classes: map[string]oracle.Term{},
		graphs: make([]oracle.Tallies, len(v.graphs)),
		posts:  [2][]oracle.Tally{make([]oracle.Tally, len(v.graphs)), make([]oracle.Tally, len(v.graphs))},
	}
	for i, g := range v.graphs {
		c.positions[g.iri] = i
	}
	for t := range v.terms {
		if t.Kind() == oracle.Class {
			c.classes[t.IRI()] = t
		} else {
			c.predicates[t.IRI()] = t
		}
	}
	return c
}

// count counts a quad. A graph or term that the build does not have is a difference, and
// so is a spelling that no build has.
func (c *quadCounter) count(q *trig.Quad) (difference string) {
	term, crc, difference := c.parse(q)
	if difference != "" {
		return difference
	}
	c.graphs[c.graph][term].Add(crc)
	if term == postID {
		for kind := range c.posts {
			if kind := postKind(kind); bytes.HasPrefix(c.subject(), []byte(kind.path())) {
				c.posts[kind][c.graph].Add(c.postCRC(kind, q.Object.Value))
			}
		}
	}
	return ""
}

// subject returns the subject of the last quad, without the site.
func (c *quadCounter) subject() []byte { return c.text[:c.subjectEnd] }

// postCRC returns the checksum of the quad that gives a post its type. It stores the
// post's path in c.post.
func (c *quadCounter) postCRC(kind postKind, id []byte) uint32 {
	c.post = append(append(c.post[:0], kind.path()...), id...)
	return typeCRC(c.post)
}

// typeCRC returns the checksum of the quad that gives a subject a type.
func typeCRC(subject []byte) uint32 {
	return oracle.CRC(oracle.CRC(0, subject), typeText)
}

var typeText = []byte(" a") // a variable: a constant is copied to the heap at every use

// parse returns the term of a quad and the checksum of its text, and sets c.graph
// and the subject.
func (c *quadCounter) parse(q *trig.Quad) (term oracle.Term, crc uint32, difference string) {
	if !bytes.Equal(q.Graph.Value, c.graphIRI) || c.graphIRI == nil {
		g, ok := c.positions[string(q.Graph.Value)]
		if !ok {
			return 0, 0, fmt.Sprintf("<%s> is no graph of this build", q.Graph.Value)
		}
		c.graphIRI, c.graph = append(c.graphIRI[:0], q.Graph.Value...), g
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
	if len(c.subjectIRI) == 0 || !bytes.Equal(q.Subject.Value, c.subjectIRI) || q.Subject.Kind != trig.IRI {
		c.subjectIRI = c.subjectIRI[:0]
		if c.text, ok = c.appendIRI(c.text[:0], &q.Subject); !ok || !bytes.HasPrefix(c.text, []byte("/")) {
			return 0, 0, fmt.Sprintf("<%s> is not spelled as a node of the site", q.Subject.Value)
		}
		c.subjectIRI, c.subjectEnd, c.subjectCRC = append(c.subjectIRI[:0], q.Subject.Value...), len(c.text), oracle.CRC(0, c.text)
	}
	if isType {
		return term, oracle.CRC(c.subjectCRC, typeText), ""
	}
	if c.text, ok = c.appendObject(c.subject(), &q.Object); !ok {
		return 0, 0, fmt.Sprintf("<%s> %s has the object %q, in another spelling than that of docs/formats.md", q.Subject.Value, term, q.Object.Value)
	}
	return term, oracle.CRC(c.subjectCRC, c.text[c.subjectEnd:]), ""
}

// appendIRI appends an IRI: without the site if it begins with it, and with the tag's
// own name if it is a tag's. It returns false for another term or spelling.
func (c *quadCounter) appendIRI(dst []byte, t *trig.Term) ([]byte, bool) {
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

// appendObject appends a space, the mark of an object (package oracle) and the object.
func (c *quadCounter) appendObject(dst []byte, t *trig.Term) ([]byte, bool) {
	if t.Kind != trig.Literal {
		return c.appendIRI(append(dst, " <"...), t)
	}
	if len(t.Language) > 0 {
		return dst, false
	}
	switch string(t.Datatype) {
	case vocab.XSD + "string":
		dst = append(dst, ` "`...)
	case vocab.XSD + "integer":
		dst = append(dst, " #"...)
	case vocab.XSD + "dateTime":
		dst = append(dst, " @"...)
	default:
		return dst, false
	}
	return append(dst, t.Value...), true
}

// appendDecoded appends a segment of an IRI without its percent-encoding. It returns
// false for a second spelling of an IRI, because stores compare IRIs byte by byte: an
// unreserved character of RFC 3986 is encoded, another one is not, or the hexadecimal
// digits are in lower case.
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

// merge adds the counts of another counter.
func (c *quadCounter) merge(d *quadCounter) {
	for g := range c.graphs {
		for t := range oracle.AllTerms {
			c.graphs[g][t].Merge(d.graphs[g][t])
		}
		for kind := range c.posts {
			c.posts[kind][g].Merge(d.posts[kind][g])
		}
	}
}

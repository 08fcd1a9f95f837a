package trig

import (
	"bytes"
	"fmt"
)

// IRIs that TriG abbreviates, and datatypes that follow from a literal's form.
const (
	rdfType       = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
	rdfLangString = "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString"
	xsdString     = "http://www.w3.org/2001/XMLSchema#string"
	xsdInteger    = "http://www.w3.org/2001/XMLSchema#integer"
	xsdDecimal    = "http://www.w3.org/2001/XMLSchema#decimal"
	xsdDouble     = "http://www.w3.org/2001/XMLSchema#double"
	xsdBoolean    = "http://www.w3.org/2001/XMLSchema#boolean"
)

// Kind is the kind of a term.
type Kind uint8

// The kinds of terms. None is the graph of a triple in the default graph.
const (
	None Kind = iota
	IRI
	Blank
	Literal
)

// Term is a term independent of its spelling. Value is an absolute IRI without brackets,
// the label of a blank node, or the text of a literal without escapes. Datatype is the
// IRI of a literal's datatype, also for xsd:string and rdf:langString. Language is the
// language tag of a literal, as written.
type Term struct {
	Kind                      Kind
	Value, Datatype, Language []byte
}

// Quad is a triple and its graph.
type Quad struct {
	Subject, Predicate, Object, Graph Term
}

// Clone returns a copy that shares no memory with q.
func (q *Quad) Clone() Quad {
	c := func(t Term) Term {
		t.Value, t.Datatype, t.Language = bytes.Clone(t.Value), bytes.Clone(t.Datatype), bytes.Clone(t.Language)
		return t
	}
	return Quad{c(q.Subject), c(q.Predicate), c(q.Object), c(q.Graph)}
}

// SyntaxError is an error in the text that a [Reader] reads.
type SyntaxError struct {
	Line, Column int // from 1; the column counts bytes
	Msg          string
}

// Error returns the message with its line and column.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Msg)
}

package trig

import (
	"bytes"
	"fmt"
)

// Kind says what a term is.
type Kind uint8

// The kinds of terms. None is the graph of a triple in the default graph.
const (
	None Kind = iota
	IRI
	Blank
	Literal
)

// Term is one term in normal form: Value is an IRI without brackets, whole,
// the label of a blank node, or the text of a literal without escapes.
// Datatype is the IRI of a literal's datatype, xsd:string and rdf:langString
// included; Language is a language tag as it was written.
type Term struct {
	Kind                      Kind
	Value, Datatype, Language []byte
}

// Equal reports whether two terms are the same, language tags by letter.
func (t Term) Equal(u Term) bool {
	return t.Kind == u.Kind && bytes.Equal(t.Value, u.Value) &&
		bytes.Equal(t.Datatype, u.Datatype) && bytes.Equal(t.Language, u.Language)
}

// Quad is a triple and the graph it stands in.
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

// SyntaxError is what a [Reader] met that is not in the language it reads.
type SyntaxError struct {
	Line, Column int // from 1; the column counts bytes
	Msg          string
}

// Error gives the message with its line and column.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Msg)
}

package graph

import (
	"s2g/graph/trig"
	"s2g/schema/vocab"
)

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

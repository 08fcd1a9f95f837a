package graph

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/knakk/rdf"
)

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

package verify

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"s2g/graph/rdf4j"
	"s2g/graph/trig"
)

// sampleFiles is over how many batches a sample is spread: each is read whole.
const sampleFiles = 16

// askFor is how many nodes one question names.
const askFor = 50

// spelled is a statement as a text that two statements share only if they are
// equal.
func spelled(q *trig.Quad) string {
	o := q.Object
	return fmt.Sprintf("<%s> <%s> <%s> %d %q %s@%s", q.Graph.Value, q.Subject.Value, q.Predicate.Value, o.Kind, o.Value, o.Datatype, strings.ToLower(string(o.Language)))
}

// compareDescribed compares the graph of a file that stands in it alone, value by
// value, and returns the file's number of statements.
func (s *store) compareDescribed(ctx context.Context, c *Check, graph, name string) (int64, error) {
	want := map[string]bool{}
	bad, err := s.found.build.quads(ctx, file{name: name}, func(q *trig.Quad) string {
		q.Graph = trig.Term{Kind: trig.IRI, Value: []byte(graph)}
		want[spelled(q)] = true
		return ""
	})
	if err != nil {
		return 0, err
	}
	if bad != "" {
		c.differ("%s", bad)
	}
	n := int64(len(want))
	var extra string
	missing := map[string]bool{}
	err = s.rows(ctx, fmt.Sprintf("SELECT ?s ?p ?o { GRAPH <%s> { ?s ?p ?o } }", graph), func() {
		extra = ""
		clear(missing)
		for text := range want {
			missing[text] = true
		}
	}, func(r map[string]rdf4j.Term) error {
		q := statement(graph, r["s"], r["p"], r["o"])
		if text := spelled(&q); missing[text] {
			delete(missing, text)
		} else {
			extra = text
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	c.Count++
	if len(missing) > 0 {
		c.differ("the repository lacks %d of the %d statements of %s, as %s", len(missing), n, name, least(missing))
	}
	if extra != "" {
		c.differ("the repository has a statement that is not in %s: %s", name, extra)
	}
	return n, nil
}

func least(set map[string]bool) string {
	var least string
	for text := range set {
		if least == "" || text < least {
			least = text
		}
	}
	return least
}

// compareSample looks for the statements of some nodes of the files.
func (s *store) compareSample(ctx context.Context) (Check, error) {
	c := newCheck("graphdb values", "statements of sampled nodes in "+s.Repository.ID()+", one by one")
	var batches []file
	for _, f := range s.found.build.files {
		if f.kind == aBatch {
			batches = append(batches, f)
		}
	}
	chosen := spread(batches, sampleFiles)
	for i, f := range chosen {
		s.Progress(filepath.Base(f.name), int64(i), int64(len(chosen)))
		nodes, err := s.sample(ctx, f, (s.Nodes+len(chosen)-1)/len(chosen))
		if err != nil {
			return c, err
		}
		for some := range slices.Chunk(nodes, askFor) {
			if err := s.compareNodes(ctx, &c, f, some); err != nil {
				return c, err
			}
		}
	}
	return c, nil
}

// spread takes n elements of a list at equal distances, first and last among
// them.
func spread[T any](list []T, n int) []T {
	if len(list) <= n {
		return list
	}
	var some []T
	for i := range n {
		some = append(some, list[i*(len(list)-1)/max(1, n-1)])
	}
	return some
}

// node is a node and what a file says of it.
type node struct {
	iri        string
	statements []string
}

// sample takes n nodes of a file with all that it says of them.
func (s *store) sample(ctx context.Context, f file, n int) ([]node, error) {
	var all []string
	seen := map[string]bool{}
	last := ""
	if _, err := s.found.build.quads(ctx, f, func(q *trig.Quad) string {
		if string(q.Subject.Value) == last {
			return ""
		}
		if last = string(q.Subject.Value); !seen[last] {
			seen[last] = true
			all = append(all, last)
		}
		return ""
	}); err != nil {
		return nil, err
	}
	at := map[string]int{}
	var nodes []node
	for _, iri := range spread(all, n) {
		at[iri] = len(nodes)
		nodes = append(nodes, node{iri: iri})
	}
	_, err := s.found.build.quads(ctx, f, func(q *trig.Quad) string {
		if i, ok := at[string(q.Subject.Value)]; ok {
			nodes[i].statements = append(nodes[i].statements, spelled(q))
		}
		return ""
	})
	return nodes, err
}

// compareNodes asks for nodes and looks for what the file says of them. What it
// does not say may stand in another file: the counts tell.
func (s *store) compareNodes(ctx context.Context, c *Check, f file, nodes []node) error {
	var query strings.Builder
	query.WriteString("SELECT ?g ?s ?p ?o { VALUES ?s {")
	for _, n := range nodes {
		fmt.Fprintf(&query, " <%s>", n.iri)
	}
	query.WriteString(" } GRAPH ?g { ?s ?p ?o } }")
	has := map[string]bool{}
	err := s.rows(ctx, query.String(), func() { clear(has) }, func(r map[string]rdf4j.Term) error {
		q := statement(r["g"].Value, r["s"], r["p"], r["o"])
		has[spelled(&q)] = true
		return nil
	})
	if err != nil {
		return err
	}
	for _, n := range nodes {
		for _, text := range n.statements {
			c.Count++
			if !has[text] {
				c.differ("<%s>: the repository does not have what %s says: %.300s", n.iri, f.name, text)
			}
		}
	}
	return nil
}

package verify

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"s2g/graph/rdf4j"
	"s2g/graph/trig"
)

// sampleFiles is the number of batches that a sample is spread over. Each is read
// whole.
const sampleFiles = 16

// nodesPerQuery is how many nodes a query names.
const nodesPerQuery = 50

// compareFileGraph compares a graph that has a file of its own, statement by
// statement. It returns the file's number of statements.
func (r *repositoryComparison) compareFileGraph(ctx context.Context, c *Check, graph, name string) (int64, error) {
	want := map[string]bool{}
	difference, err := r.build.verifier.readQuads(ctx, file{name: name}, func(q *trig.Quad) string {
		q.Graph = trig.Term{Kind: trig.IRI, Value: []byte(graph)}
		want[statementText(q)] = true
		return ""
	})
	if err != nil {
		return 0, err
	}
	if difference != "" {
		c.differ("%s", difference)
	}
	var extra string
	var missing map[string]bool
	begin := func() { extra, missing = "", maps.Clone(want) }
	err = r.rows(ctx, fmt.Sprintf("SELECT ?s ?p ?o { GRAPH <%s> { ?s ?p ?o } }", graph), begin, func(row map[string]rdf4j.Term) error {
		q := quadOf(graph, row["s"], row["p"], row["o"])
		if text := statementText(&q); missing[text] {
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
		c.differ("the repository lacks %d of the %d statements of %s, as %s", len(missing), len(want), name, slices.Min(slices.Collect(maps.Keys(missing))))
	}
	if extra != "" {
		c.differ("the repository has a statement that is not in %s: %s", name, extra)
	}
	return int64(len(want)), nil
}

// statementText returns a text that is the same of equal statements alone.
func statementText(q *trig.Quad) string {
	o := q.Object
	return fmt.Sprintf("<%s> <%s> <%s> %d %q %s@%s", q.Graph.Value, q.Subject.Value, q.Predicate.Value, o.Kind, o.Value, o.Datatype, strings.ToLower(string(o.Language)))
}

// compareSample compares the statements of some nodes of the files.
func (r *repositoryComparison) compareSample(ctx context.Context) (Check, error) {
	c := newCheck("graphdb values", "statements of sampled nodes in "+r.Repository.ID()+", one by one")
	files := spread(r.build.verifier.filesOf(batchFile), sampleFiles)
	for i, f := range files {
		r.Progress(filepath.Base(f.name), int64(i), int64(len(files)))
		nodes, err := r.sampleNodes(ctx, f, (r.Nodes+len(files)-1)/len(files))
		if err != nil {
			return c, err
		}
		for some := range slices.Chunk(nodes, nodesPerQuery) {
			if err := r.compareNodes(ctx, &c, f, some); err != nil {
				return c, err
			}
		}
	}
	return c, nil
}

// spread returns n elements of a list at equal distances, the first and the last
// among them.
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

// sampledNode is a node and its statements in a file.
type sampledNode struct {
	iri        string
	statements []string // by statementText
}

// sampleNodes returns n nodes of a file.
func (r *repositoryComparison) sampleNodes(ctx context.Context, f file, n int) ([]sampledNode, error) {
	var iris []string
	seen := map[string]bool{}
	last := ""
	if _, err := r.build.verifier.readQuads(ctx, f, func(q *trig.Quad) string {
		if string(q.Subject.Value) == last {
			return ""
		}
		if last = string(q.Subject.Value); !seen[last] {
			seen[last] = true
			iris = append(iris, last)
		}
		return ""
	}); err != nil {
		return nil, err
	}
	at := map[string]int{}
	var nodes []sampledNode
	for _, iri := range spread(iris, n) {
		at[iri] = len(nodes)
		nodes = append(nodes, sampledNode{iri: iri})
	}
	_, err := r.build.verifier.readQuads(ctx, f, func(q *trig.Quad) string {
		if i, ok := at[string(q.Subject.Value)]; ok {
			nodes[i].statements = append(nodes[i].statements, statementText(q))
		}
		return ""
	})
	return nodes, err
}

// compareNodes checks that the repository has the statements of a file's nodes.
// Others may come from another file; the counts cover them.
func (r *repositoryComparison) compareNodes(ctx context.Context, c *Check, f file, nodes []sampledNode) error {
	var query strings.Builder
	query.WriteString("SELECT ?g ?s ?p ?o { VALUES ?s {")
	for _, n := range nodes {
		fmt.Fprintf(&query, " <%s>", n.iri)
	}
	query.WriteString(" } GRAPH ?g { ?s ?p ?o } }")
	has := map[string]bool{}
	err := r.rows(ctx, query.String(), func() { clear(has) }, func(row map[string]rdf4j.Term) error {
		q := quadOf(row["g"].Value, row["s"], row["p"], row["o"])
		has[statementText(&q)] = true
		return nil
	})
	if err != nil {
		return err
	}
	for _, n := range nodes {
		for _, text := range n.statements {
			c.Count++
			if !has[text] {
				c.differ("<%s>: the repository lacks a statement of %s: %.300s", n.iri, f.name, text)
			}
		}
	}
	return nil
}

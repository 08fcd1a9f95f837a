package verify

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"s2g/cmd/s2g/internal/oracle"
	"s2g/graph/rdf4j"
	"s2g/graph/trig"
)

// sampleFiles is the number of batches that a sample is spread over. They are read
// whole.
const sampleFiles = 16

// nodesPerQuery is the number of nodes that one query requests.
const nodesPerQuery = 50

// compareAll reads every statement and compares checksums by graph and term.
func (r *repositoryComparison) compareAll(ctx context.Context) (Check, error) {
	c := newCheck("graphdb values", "statements in "+r.Repository.ID()+", by checksums")
	for i, g := range r.build.graphs {
		r.Progress(g.tag, int64(i), int64(len(r.build.graphs)))
		var tallies oracle.Tallies
		var malformed string
		query := fmt.Sprintf("SELECT ?s ?p ?o { GRAPH <%s> { ?s ?p ?o } }", g.iri)
		err := r.rows(ctx, query, func() { tallies, malformed = oracle.Tallies{}, "" }, func(row map[string]rdf4j.Term) error {
			q := quadOf(g.iri, row["s"], row["p"], row["o"])
			term, crc, difference := r.quads.parse(&q)
			if difference != "" {
				malformed = difference
			} else {
				tallies[term].Add(crc)
			}
			return nil
		})
		if err != nil {
			return c, err
		}
		c.Count += tallies.Quads()
		if malformed != "" {
			c.differ("graph <%s>: %s", g.iri, malformed)
		}
		for t := range r.build.terms {
			if tallies[t] == r.build.graphQuads[i][t] || !c.OK {
				continue
			}
			where, err := r.findNode(ctx, i, t)
			if err != nil {
				return c, err
			}
			c.differ("graph <%s>, %s: other values in the repository than in the build%s", g.iri, t, where)
		}
	}
	return c, nil
}

// compareSample draws nodes from the files and compares their statements one by one.
func (r *repositoryComparison) compareSample(ctx context.Context) (Check, error) {
	c := newCheck("graphdb values", "statements of sampled nodes in "+r.Repository.ID()+", one by one")
	files := spread(r.build.filesOf(batchFile), sampleFiles)
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
// included.
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
	statements []string // of statementText
}

// sampleNodes returns n nodes of a file.
func (r *repositoryComparison) sampleNodes(ctx context.Context, f file, n int) ([]sampledNode, error) {
	var iris []string
	seen := map[string]bool{}
	last := ""
	if _, err := r.build.readQuads(ctx, f, func(q *trig.Quad) string {
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
	_, err := r.build.readQuads(ctx, f, func(q *trig.Quad) string {
		if i, ok := at[string(q.Subject.Value)]; ok {
			nodes[i].statements = append(nodes[i].statements, statementText(q))
		}
		return ""
	})
	return nodes, err
}

// compareNodes checks that the repository has the statements of a file's nodes. It
// ignores other statements of the nodes, which may be those of another file:
// compareCounts covers them.
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

// statementText returns a text that only equal statements share.
func statementText(q *trig.Quad) string {
	o := q.Object
	return fmt.Sprintf("<%s> <%s> <%s> %d %q %s@%s", q.Graph.Value, q.Subject.Value, q.Predicate.Value, o.Kind, o.Value, o.Datatype, strings.ToLower(string(o.Language)))
}

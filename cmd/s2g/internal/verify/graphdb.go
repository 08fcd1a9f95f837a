package verify

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"time"

	"s2g/cmd/s2g/internal/oracle"
	"s2g/graph/graphdb"
	"s2g/graph/rdf4j"
	"s2g/graph/trig"
	"s2g/schema"
	"s2g/schema/vocab"
)

// GraphDB is a repository of GraphDB or RDF4J Server that the graph was loaded
// into, a [Server]. Its checks are
//
//	graphdb         the graphs, and the statements of each by class and predicate, are those of the build
//	graphdb values  the statements of some nodes, or all, have the build's values
type GraphDB struct {
	Repository *rdf4j.Repository
	// Nodes is the number of nodes (posts, comments, tags) whose statements are
	// compared one by one, spread over the files. Where it is negative all
	// statements are compared by checksums, which reads the whole repository.
	Nodes    int
	RetryFor time.Duration                        // how long a query that fails is retried
	Log      *slog.Logger                         // nil: nothing is logged
	Progress func(what string, done, total int64) // receives the number of graphs; nil: none
}

// Compare queries the repository. Where the first check finds a difference in a
// graph, it reads the statements of that term to name the node.
func (g *GraphDB) Compare(ctx context.Context, build *Contents) ([]Check, error) {
	r := &repositoryComparison{GraphDB: g, build: build, quads: newQuadCounter(build.verifier)}
	if r.Progress == nil {
		r.Progress = func(string, int64, int64) {}
	}
	counts, err := r.compareCounts(ctx)
	if err != nil {
		return nil, err
	}
	compareValues := r.compareSample
	if g.Nodes < 0 {
		compareValues = r.compareAll
	}
	values, err := compareValues(ctx)
	return []Check{counts, values}, err
}

// repositoryComparison is the comparison of a repository with a build.
type repositoryComparison struct {
	*GraphDB
	build *Contents
	quads *quadCounter // parses statements
}

// retry retries a query that fails for a reason that may pass.
func (r *repositoryComparison) retry(ctx context.Context, query func() error) error {
	return graphdb.Retry(ctx, r.RetryFor, r.Log, "querying the repository "+r.Repository.ID(), query)
}

// rows calls use with each row of a query, up to its first error. begin is called
// before the first row of each try.
func (r *repositoryComparison) rows(ctx context.Context, query string, begin func(), use func(map[string]rdf4j.Term) error) error {
	return r.retry(ctx, func() error {
		begin()
		rows, err := r.Repository.Query(ctx, query)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Scan() {
			if err := use(rows.Record()); err != nil {
				return err
			}
		}
		return rows.Err()
	})
}

// fileGraphs returns the graphs that have a file of their own, and its name.
func (r *repositoryComparison) fileGraphs() map[string]string {
	return map[string]string{r.build.Site.SchemaGraph(): "graph/ontology.ttl", r.build.Site.VoidGraph(): "graph/void.ttl"}
}

// compareCounts compares the graphs and the number of their statements by term.
func (r *repositoryComparison) compareCounts(ctx context.Context) (Check, error) {
	c := newCheck("graphdb", "counts in "+r.Repository.ID()+", by graph and term, against the build")
	var graphs []string
	var size int64
	err := r.retry(ctx, func() (err error) {
		if graphs, err = r.Repository.Graphs(ctx); err == nil {
			size, err = r.Repository.Size(ctx)
		}
		return err
	})
	if err != nil {
		return c, err
	}
	slices.Sort(graphs)
	r.compareGraphNames(&c, graphs)
	var want int64
	files := r.fileGraphs()
	for _, graph := range slices.Sorted(maps.Keys(files)) {
		n, err := r.compareFileGraph(ctx, &c, graph, files[graph])
		if err != nil {
			return c, err
		}
		want += n
	}
	for i, g := range r.build.Graphs {
		r.Progress(g.Tag, int64(i), int64(len(r.build.Graphs)))
		if err := r.compareGraph(ctx, &c, i); err != nil {
			return c, err
		}
		want += g.Quads.Quads()
	}
	if size != want {
		c.differ("%d statements in all, the build has %d", size, want)
	}
	return c, nil
}

func (r *repositoryComparison) compareGraphNames(c *Check, graphs []string) {
	known := r.fileGraphs()
	for _, g := range r.build.Graphs {
		if g.Quads.Quads() == 0 {
			continue
		}
		known[g.IRI] = ""
		if !slices.Contains(graphs, g.IRI) {
			c.differ("the graph <%s> is missing", g.IRI)
		}
	}
	for _, g := range graphs {
		if _, ok := known[g]; ok {
			continue
		}
		if g == graphdb.LoadGraph(r.build.Site) {
			c.differ("the load has not ended: the graph <%s> is there; run s2g load graphdb again", g)
		}
		c.differ("<%s> is no graph of this build", g)
	}
}

// compareGraph compares the counts of one language's graph.
func (r *repositoryComparison) compareGraph(ctx context.Context, c *Check, graph int) error {
	g := r.build.Graphs[graph]
	// counts returns the numbers of statements of a graph pattern by its ?of.
	counts := func(pattern string) (counts map[string]int64, err error) {
		query := fmt.Sprintf("SELECT ?of (COUNT(*) AS ?n) { GRAPH <%s> { %s } } GROUP BY ?of", g.IRI, pattern)
		err = r.rows(ctx, query, func() { counts = map[string]int64{} }, func(row map[string]rdf4j.Term) error {
			n, err := strconv.ParseInt(row["n"].Value, 10, 64)
			if err != nil {
				return schema.Faultf(schema.FaultService, "check the server and its log",
					"counting the statements of <%s> in %s: %q is no number", g.IRI, r.Repository.ID(), row["n"].Value)
			}
			counts[row["of"].Value] = n
			return nil
		})
		return counts, err
	}
	predicates, err := counts("?s ?of ?o")
	if err != nil {
		return err
	}
	classes, err := counts("?s a ?of")
	if err != nil {
		return err
	}
	delete(predicates, rdfType)
	for t := range r.build.Terms() {
		of := predicates
		if t.Kind() == oracle.Class {
			of = classes
		}
		got, want := of[t.IRI()], g.Quads[t].Count
		delete(of, t.IRI())
		if got != 0 || want != 0 {
			c.Count++
		}
		if got == want || !c.OK {
			continue
		}
		where, err := r.findNode(ctx, graph, t)
		if err != nil {
			return err
		}
		c.differ("graph <%s>, %s: %d statements in the repository, %d in the build%s", g.IRI, t, got, want, where)
	}
	for _, rest := range []map[string]int64{predicates, classes} {
		for iri, n := range rest {
			c.differ("graph <%s>: %d statements with <%s>, which is no term of the graph", g.IRI, n, iri)
		}
	}
	return nil
}

// findNode names the first node that repository and files hold differently.
func (r *repositoryComparison) findNode(ctx context.Context, graph int, t oracle.Term) (string, error) {
	return findDifference(ctx, "the repository", r.statementSubjects(graph, t), "the files", r.build.verifier.quadSubjects(graph, t))
}

// statementSubjects lists the subjects of a graph's statements of one term.
func (r *repositoryComparison) statementSubjects(graph int, t oracle.Term) lister {
	iri := r.build.Graphs[graph].IRI
	query, predicate := fmt.Sprintf("SELECT ?s ?o { GRAPH <%s> { ?s <%s> ?o } }", iri, t.IRI()), t.IRI()
	if t.Kind() == oracle.Class {
		query, predicate = fmt.Sprintf("SELECT ?s ?o { GRAPH <%s> { ?s a <%s> BIND (<%[2]s> AS ?o) } }", iri, t.IRI()), rdfType
	}
	list := func(ctx context.Context, yield yieldFunc) error {
		rows, err := r.Repository.Query(ctx, query)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Scan() {
			row := rows.Record()
			q := quadOf(iri, row["s"], rdf4j.Term{Kind: rdf4j.IRI, Value: predicate}, row["o"])
			if _, crc, difference := r.quads.parse(&q); difference == "" {
				yield(r.quads.subject(), tallyOf(crc), "")
			} else {
				yield([]byte(row["s"].Value), tallyOf(0), "")
			}
		}
		return rows.Err()
	}
	return func(ctx context.Context, yield yieldFunc) error { // no retry: rows that were yielded cannot be taken back
		return graphdb.Retry(ctx, 0, r.Log, "listing what differs", func() error { return list(ctx, yield) })
	}
}

// compareAll reads every statement and compares checksums by graph and term.
func (r *repositoryComparison) compareAll(ctx context.Context) (Check, error) {
	c := newCheck("graphdb values", "statements in "+r.Repository.ID()+", by checksums")
	for i, g := range r.build.Graphs {
		r.Progress(g.Tag, int64(i), int64(len(r.build.Graphs)))
		var tallies oracle.Tallies
		var malformed string
		query := fmt.Sprintf("SELECT ?s ?p ?o { GRAPH <%s> { ?s ?p ?o } }", g.IRI)
		err := r.rows(ctx, query, func() { tallies, malformed = oracle.Tallies{}, "" }, func(row map[string]rdf4j.Term) error {
			q := quadOf(g.IRI, row["s"], row["p"], row["o"])
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
			c.differ("graph <%s>: %s", g.IRI, malformed)
		}
		for t := range r.build.Terms() {
			if tallies[t] == g.Quads[t] || !c.OK {
				continue
			}
			where, err := r.findNode(ctx, i, t)
			if err != nil {
				return c, err
			}
			c.differ("graph <%s>, %s: other values in the repository than in the build%s", g.IRI, t, where)
		}
	}
	return c, nil
}

// quadOf returns a row as the readers of files do.
func quadOf(graph string, subject, predicate, object rdf4j.Term) trig.Quad {
	return trig.Quad{
		Graph:   trig.Term{Kind: trig.IRI, Value: []byte(graph)},
		Subject: termOf(subject), Predicate: termOf(predicate), Object: termOf(object),
	}
}

// termOf adds the datatypes that results leave out.
func termOf(t rdf4j.Term) trig.Term {
	out := trig.Term{Value: []byte(t.Value), Language: []byte(t.Language)}
	switch {
	case t.Kind == rdf4j.IRI:
		out.Kind = trig.IRI
	case t.Kind == rdf4j.Blank:
		out.Kind = trig.Blank
	case t.Language != "":
		out.Kind, out.Datatype = trig.Literal, []byte(vocab.RDF+"langString")
	case t.Datatype == "":
		out.Kind, out.Datatype = trig.Literal, []byte(vocab.XSD+"string")
	default:
		out.Kind, out.Datatype = trig.Literal, []byte(t.Datatype)
	}
	return out
}

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

// GraphDB is a [Server]: a repository of GraphDB or RDF4J Server that the graph was
// loaded into. Its checks are
//
//	graphdb         the graphs, and the number of statements of each by class and predicate, are those of the build
//	graphdb values  the statements of some nodes, or all, have the build's values (graphdbvalues.go)
type GraphDB struct {
	Repository *rdf4j.Repository
	// Nodes is the number of nodes (posts, comments, tags), spread over the files,
	// whose statements are compared one by one. If it is negative, all statements
	// are compared by checksums, which reads the whole repository.
	Nodes    int
	RetryFor time.Duration                        // how long a query that fails is retried
	Log      *slog.Logger                         // nil: nothing is logged
	Progress func(what string, done, total int64) // receives the number of graphs; nil: none
}

// Compare queries the repository. For the first difference of a term in a graph it
// reads the term's statements, to name a node.
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

// retry retries a query while it fails for a passing reason.
func (r *repositoryComparison) retry(ctx context.Context, query func() error) error {
	return graphdb.Retry(ctx, r.RetryFor, r.Log, "querying the repository "+r.Repository.ID(), query)
}

// rows calls use with each row of a query, up to use's first error. It calls begin
// before each try, to discard the rows of a failed one.
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

// fileGraphs returns the graphs that have a file of their own, with its name.
func (r *repositoryComparison) fileGraphs() map[string]string {
	return map[string]string{r.build.site.SchemaGraph(): "graph/ontology.ttl", r.build.site.VoidGraph(): "graph/void.ttl"}
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
	for i, g := range r.build.graphs {
		r.Progress(g.tag, int64(i), int64(len(r.build.graphs)))
		if err := r.compareGraph(ctx, &c, i); err != nil {
			return c, err
		}
		want += r.build.graphQuads[i].Quads()
	}
	if size != want {
		c.differ("%d statements in all, the build has %d", size, want)
	}
	return c, nil
}

// compareGraphNames compares the names of the repository's graphs, which are sorted.
func (r *repositoryComparison) compareGraphNames(c *Check, graphs []string) {
	known := r.fileGraphs()
	for i, g := range r.build.graphs {
		if r.build.graphQuads[i].Quads() == 0 {
			continue
		}
		known[g.iri] = ""
		if !slices.Contains(graphs, g.iri) {
			c.differ("the graph <%s> is missing", g.iri)
		}
	}
	for _, g := range graphs {
		if _, ok := known[g]; ok {
			continue
		}
		if g == graphdb.LoadGraph(r.build.site) {
			c.differ("the load has not ended: the graph <%s> is there; run s2g load graphdb again", g)
		}
		c.differ("<%s> is no graph of this build", g)
	}
}

// compareFileGraph compares a graph that has a file of its own, statement by
// statement. It returns the file's number of statements.
func (r *repositoryComparison) compareFileGraph(ctx context.Context, c *Check, graph, name string) (int64, error) {
	want := map[string]bool{}
	difference, err := r.build.readQuads(ctx, file{name: name}, func(q *trig.Quad) string {
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

// compareGraph compares the counts of one language's graph.
func (r *repositoryComparison) compareGraph(ctx context.Context, c *Check, graph int) error {
	g := r.build.graphs[graph]
	// counts returns the numbers of statements of a graph pattern by its ?of.
	counts := func(pattern string) (counts map[string]int64, err error) {
		query := fmt.Sprintf("SELECT ?of (COUNT(*) AS ?n) { GRAPH <%s> { %s } } GROUP BY ?of", g.iri, pattern)
		err = r.rows(ctx, query, func() { counts = map[string]int64{} }, func(row map[string]rdf4j.Term) error {
			n, err := strconv.ParseInt(row["n"].Value, 10, 64)
			if err != nil {
				return schema.Faultf(schema.FaultService, "check the server and its log",
					"counting the statements of <%s> in %s: %q is no number", g.iri, r.Repository.ID(), row["n"].Value)
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
	for t := range r.build.terms {
		of := predicates
		if t.Kind() == oracle.Class {
			of = classes
		}
		got, want := of[t.IRI()], r.build.graphQuads[graph][t].Count
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
		c.differ("graph <%s>, %s: %d statements in the repository, %d in the build%s", g.iri, t, got, want, where)
	}
	for _, rest := range []map[string]int64{predicates, classes} {
		for _, iri := range slices.Sorted(maps.Keys(rest)) {
			c.differ("graph <%s>: %d statements with <%s>, which is no term of the graph", g.iri, rest[iri], iri)
		}
	}
	return nil
}

// findNode returns findDifference's description of a node that differs in a term.
func (r *repositoryComparison) findNode(ctx context.Context, graph int, t oracle.Term) (string, error) {
	return findDifference(ctx, "the repository", r.statementSubjects(graph, t), "the files", r.build.quadSubjects(graph, t))
}

// statementSubjects lists the subjects of a graph's statements of one term.
func (r *repositoryComparison) statementSubjects(graph int, t oracle.Term) lister {
	iri := r.build.graphs[graph].iri
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
	return func(ctx context.Context, yield yieldFunc) error { // without retries, because a second try would yield rows again
		return graphdb.Retry(ctx, 0, r.Log, "listing what differs", func() error { return list(ctx, yield) })
	}
}

// quadOf returns a row of a result as the quad that trig.Reader reads.
func quadOf(graph string, subject, predicate, object rdf4j.Term) trig.Quad {
	return trig.Quad{
		Graph:   trig.Term{Kind: trig.IRI, Value: []byte(graph)},
		Subject: termOf(subject), Predicate: termOf(predicate), Object: termOf(object),
	}
}

// termOf converts a term, and adds the datatypes that results leave out.
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

package verify

import (
	"context"
	"fmt"
	"log/slog"
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
	// Nodes is of how many nodes (posts, comments, tags) the statements are
	// compared one by one, spread over the files; negative: every statement is,
	// by checksums, which reads the whole repository.
	Nodes    int
	RetryFor time.Duration                        // how long a question that fails is asked again
	Log      *slog.Logger                         // nil: nothing is logged
	Progress func(what string, done, total int64) // told of graphs; nil: nobody
}

// Compare asks the repository. Where the first check finds a difference in a
// graph, it asks for that graph's statements to name the node.
func (g *GraphDB) Compare(ctx context.Context, found *Contents) ([]Check, error) {
	s := &store{GraphDB: g, found: found, census: newCensus(found.build)}
	if s.Progress == nil {
		s.Progress = func(string, int64, int64) {}
	}
	counts, err := s.compareCounts(ctx)
	if err != nil {
		return nil, err
	}
	compare := s.compareSample
	if g.Nodes < 0 {
		compare = s.compareAll
	}
	values, err := compare(ctx)
	return []Check{counts, values}, err
}

// store is a repository while it is compared.
type store struct {
	*GraphDB
	found  *Contents
	census *census // for what it reads of a statement
}

// ask asks again what fails in a way that may pass.
func (s *store) ask(ctx context.Context, question func() error) error {
	return graphdb.Retry(ctx, s.RetryFor, s.Log, "asking the repository "+s.Repository.ID(), question)
}

// rows calls use with each row of a query, up to its first error. begin is called
// before the first row of each try.
func (s *store) rows(ctx context.Context, query string, begin func(), use func(map[string]rdf4j.Term) error) error {
	return s.ask(ctx, func() error {
		begin()
		rows, err := s.Repository.Query(ctx, query)
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

// described are the graphs that stand in files of their own.
func (s *store) described() map[string]string {
	return map[string]string{s.found.Site.SchemaGraph(): "graph/ontology.ttl", s.found.Site.VoidGraph(): "graph/void.ttl"}
}

func (s *store) compareCounts(ctx context.Context) (Check, error) {
	c := newCheck("graphdb", "counts in "+s.Repository.ID()+", by graph and term, against the build")
	var graphs []string
	var size int64
	err := s.ask(ctx, func() (err error) {
		if graphs, err = s.Repository.Graphs(ctx); err == nil {
			size, err = s.Repository.Size(ctx)
		}
		return err
	})
	if err != nil {
		return c, err
	}
	slices.Sort(graphs)
	s.compareGraphNames(&c, graphs)
	var want int64
	for graph, file := range s.described() {
		n, err := s.compareDescribed(ctx, &c, graph, file)
		if err != nil {
			return c, err
		}
		want += n
	}
	for i, g := range s.found.Graphs {
		s.Progress(g.Tag, int64(i), int64(len(s.found.Graphs)))
		if err := s.compareGraph(ctx, &c, i); err != nil {
			return c, err
		}
		want += g.Quads.Quads()
	}
	if size != want {
		c.differ("%d statements in all, the build has %d", size, want)
	}
	return c, nil
}

func (s *store) compareGraphNames(c *Check, graphs []string) {
	known := s.described()
	for _, g := range s.found.Graphs {
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
		if g == graphdb.LoadGraph(s.found.Site) {
			c.differ("the load has not ended: the graph <%s> is there; run s2g load graphdb again", g)
		}
		c.differ("<%s> is no graph of this build", g)
	}
}

// compareGraph compares the counts of one language's graph.
func (s *store) compareGraph(ctx context.Context, c *Check, graph int) error {
	g := s.found.Graphs[graph]
	var counts map[string]int64
	begin := func() { counts = map[string]int64{} }
	count := func(r map[string]rdf4j.Term) error {
		n, err := strconv.ParseInt(r["n"].Value, 10, 64)
		if err != nil {
			return schema.Faultf(schema.FaultService, "look at the server and its log",
				"counting the statements of <%s> in %s: %q is no number", g.IRI, s.Repository.ID(), r["n"].Value)
		}
		counts[r["of"].Value] = n
		return nil
	}
	err := s.rows(ctx, fmt.Sprintf("SELECT ?of (COUNT(*) AS ?n) { GRAPH <%s> { ?s ?of ?o } } GROUP BY ?of", g.IRI), begin, count)
	if err != nil {
		return err
	}
	predicates := counts
	err = s.rows(ctx, fmt.Sprintf("SELECT ?of (COUNT(*) AS ?n) { GRAPH <%s> { ?s a ?of } } GROUP BY ?of", g.IRI), begin, count)
	if err != nil {
		return err
	}
	classes := counts
	delete(predicates, rdfType)
	for t := range s.found.Terms() {
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
		where, err := s.search(ctx, graph, t)
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

// search names the first node of which repository and files differ.
func (s *store) search(ctx context.Context, graph int, t oracle.Term) (string, error) {
	return search(ctx, "the repository", s.says(graph, t), "the files", s.found.build.filesSay(graph, t))
}

// says lists subject and checksum of a graph's statements of one term.
func (s *store) says(graph int, t oracle.Term) lister {
	iri := s.found.Graphs[graph].IRI
	query, predicate := fmt.Sprintf("SELECT ?s ?o { GRAPH <%s> { ?s <%s> ?o } }", iri, t.IRI()), t.IRI()
	if t.Kind() == oracle.Class {
		query, predicate = fmt.Sprintf("SELECT ?s ?o { GRAPH <%s> { ?s a <%s> BIND (<%[2]s> AS ?o) } }", iri, t.IRI()), rdfType
	}
	say := func(ctx context.Context, yield yield) error {
		rows, err := s.Repository.Query(ctx, query)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Scan() {
			r := rows.Record()
			q := statement(iri, r["s"], rdf4j.Term{Kind: rdf4j.IRI, Value: predicate}, r["o"])
			if _, crc, bad := s.census.read(&q); bad == "" {
				yield(s.census.text[:s.census.node], one(crc), "")
			} else {
				yield([]byte(r["s"].Value), one(0), "")
			}
		}
		return rows.Err()
	}
	return func(ctx context.Context, yield yield) error { // once: what it has yielded stays
		return graphdb.Retry(ctx, -1, s.Log, "asking for what differs", func() error { return say(ctx, yield) })
	}
}

// compareAll reads every statement and compares checksums by graph and term.
func (s *store) compareAll(ctx context.Context) (Check, error) {
	c := newCheck("graphdb values", "statements in "+s.Repository.ID()+", by checksums")
	for i, g := range s.found.Graphs {
		s.Progress(g.Tag, int64(i), int64(len(s.found.Graphs)))
		var tallies oracle.Tallies
		var bad string
		query := fmt.Sprintf("SELECT ?s ?p ?o { GRAPH <%s> { ?s ?p ?o } }", g.IRI)
		err := s.rows(ctx, query, func() { tallies, bad = oracle.Tallies{}, "" }, func(r map[string]rdf4j.Term) error {
			q := statement(g.IRI, r["s"], r["p"], r["o"])
			term, crc, wrong := s.census.read(&q)
			if wrong != "" {
				bad = wrong
				return nil
			}
			tallies[term].Add(crc)
			return nil
		})
		if err != nil {
			return c, err
		}
		c.Count += tallies.Quads()
		if bad != "" {
			c.differ("graph <%s>: %s", g.IRI, bad)
		}
		for t := range s.found.Terms() {
			if tallies[t] == g.Quads[t] || !c.OK {
				continue
			}
			where, err := s.search(ctx, i, t)
			if err != nil {
				return c, err
			}
			c.differ("graph <%s>, %s: other values in the repository than in the build%s", g.IRI, t, where)
		}
	}
	return c, nil
}

// statement is a row as the readers of files give it.
func statement(graph string, subject, predicate, object rdf4j.Term) trig.Quad {
	return trig.Quad{
		Graph:   trig.Term{Kind: trig.IRI, Value: []byte(graph)},
		Subject: term(subject), Predicate: term(predicate), Object: term(object),
	}
}

// term has the datatypes that results leave out.
func term(t rdf4j.Term) trig.Term {
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

// Package stats computes the figures of the paper's Table 1 and section 4 for a
// build: questions, answers, acceptance, answers and comments a question, by
// language and as a distribution; nodes by class and edges by predicate.
//
// The figures of a build with a graph are those of graph/void.ttl, which the graph stage
// counts while it writes (Read). verify compares that file with what package oracle counts
// in the tables. A build without a graph has its figures from the oracle (Compute).
package stats

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"

	"s2g/cmd/s2g/internal/oracle"
	"s2g/graph"
	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/tables"
	"s2g/schema/vocab"
)

// Options selects the graphs.
type Options struct {
	Site      vocab.Site        // base of the graphs' IRIs
	Languages []schema.Language // nil: schema.DefaultLanguages
	Other     bool              // there is a remainder graph, last

	Connections int // how many scans of tables run side by side; 0: GOMAXPROCS

	// Materialize counts the implied terms too: as quads, and as a group of edges of
	// their own. Nodes, measures and the other groups do not change.
	Materialize bool
}

// Stats are the statistics of a graph.
type Stats struct {
	Graphs       []Graph  `json:"graphs"`       // all, also those without questions, in the order of the languages
	Distribution []Spread `json:"distribution"` // of each measure, over the graphs with questions; that of the whole site counts only where it is alone
	Nodes        []Total  `json:"nodes"`        // by class
	Edges        []Group  `json:"edges"`        // by predicate, in groups
	Quads        Total    `json:"quads"`
	// Materialized is true where the last group of edges is that of the implied terms.
	Materialized bool `json:"materialized"`
}

// Graph is a row of Table 1.
type Graph struct {
	Tag       string           `json:"tag"` // empty: the remainder; schema.SiteTag: the whole site
	Name      string           `json:"name"`
	IRI       string           `json:"iri"`
	Questions int64            `json:"questions"`
	Answers   int64            `json:"answers"` // HasAnswer edges
	Ratios                     // of these counts
	Quads     int64            `json:"quads"`
	Terms     map[string]int64 `json:"terms"` // quads by predicate, those of rdf:type by class: "so:score", "a so:Question"
}

// Ratios are nil where undefined.
type Ratios struct {
	AcceptanceRate      *float64 `json:"acceptance_rate"`       // 100 AcceptedAnswer / HasAnswer edges
	AnswersPerQuestion  *float64 `json:"answers_per_question"`  // HasAnswer edges / Question
	CommentsPerQuestion *float64 `json:"comments_per_question"` // HasComment edges, of questions and of answers / Question
}

// Spread is the distribution of a measure over the graphs for which it is defined. Each
// graph has the same weight.
type Spread struct {
	Measure string   `json:"measure"`
	Graphs  int      `json:"graphs"` // number of these graphs
	Min     *float64 `json:"min"`
	Median  *float64 `json:"median"`
	Mean    *float64 `json:"mean"`
	Max     *float64 `json:"max"`
	Pooled  *float64 `json:"pooled"` // over all graphs as one: the sum of a count, the ratio of sums
}

// Total is a count over all graphs.
type Total struct {
	Name     string `json:"name"`
	Summed   int64  `json:"summed"`   // a node or quad in two graphs counts twice, as in the paper
	Distinct int64  `json:"distinct"` // such a node or quad counts once
}

// Group is edges of one kind with their subtotal.
type Group struct {
	Total
	Edges []Total `json:"edges"`
}

// measures are the columns of Table 1. The first two are counts, the others ratios.
var measures = []struct {
	name, title string
	isCount     bool
	value       func(Graph) *float64
}{
	{"questions", "Ques.", true, func(g Graph) *float64 { return float(g.Questions) }},
	{"answers", "Ans.", true, func(g Graph) *float64 { return float(g.Answers) }},
	{"acceptance_rate", "AccRat", false, func(g Graph) *float64 { return g.AcceptanceRate }},
	{"answers_per_question", "Ans/Q", false, func(g Graph) *float64 { return g.AnswersPerQuestion }},
	{"comments_per_question", "Com/Q", false, func(g Graph) *float64 { return g.CommentsPerQuestion }},
}

func float(n int64) *float64 { x := float64(n); return &x }

// nodeClasses are the classes of which every node has exactly one. Derived classes, as
// AcceptedAnswer, count among the edges.
var nodeClasses = []string{vocab.Question, vocab.Answer, vocab.Comment, vocab.Tag, vocab.TagWiki, vocab.TagWikiExcerpt}

// Read returns the statistics of the graph in OUT, which is that of the given options, from
// its description. A description that is not that of the stage is a verification fault.
func Read(out string, stage *manifest.Stage, o Options) (*Stats, error) {
	o = o.withDefaults()
	const name = "graph/void.ttl"
	fault := func(err error) (*Stats, error) {
		return nil, schema.Faultf(schema.FaultVerification, "s2g verify with option files-only lists all damage in "+out+"; build the graph again", "%s: %w", filepath.Join(out, name), err)
	}
	i := slices.IndexFunc(stage.Files, func(f manifest.File) bool { return f.Name == name })
	if i < 0 {
		return fault(errors.New("the manifest does not list it"))
	}
	file, err := schema.OpenRegular(filepath.Join(out, filepath.FromSlash(name)))
	if err != nil {
		return fault(err)
	}
	defer file.Close()
	sum := sha256.New()
	text := bufio.NewReaderSize(io.TeeReader(io.LimitReader(file, stage.Files[i].Size+1), sum), 1<<20)
	counts, err := graph.ReadVoID(text, graph.Options{Site: o.Site, Languages: o.Languages, Other: o.Other, Materialize: o.Materialize})
	if err == nil {
		_, err = io.Copy(io.Discard, text)
	}
	if err != nil {
		return fault(err)
	}
	if hex.EncodeToString(sum.Sum(nil)) != stage.Files[i].SHA256 {
		return fault(errors.New("its SHA-256 is not that of the manifest"))
	}
	found := &oracle.Expected{Distinct: tallies(counts.Union)}
	for _, byIRI := range counts.Graphs {
		found.Graphs = append(found.Graphs, tallies(byIRI))
	}
	return Of(found, o), nil
}

// tallies returns counts of quads, which are by the IRI of their term.
func tallies(byIRI map[string]int64) (t oracle.Tallies) {
	for term := range oracle.AllTerms {
		t[term].Count = byIRI[term.IRI()]
	}
	return t
}

// Compute counts the rows of the tables. It returns the statistics of the graph that they
// make, and its figures.
func Compute(ctx context.Context, db *tables.DB, o Options) (*Stats, *schema.Figures, error) {
	if err := o.Site.Check(); err != nil {
		return nil, nil, err
	}
	o = o.withDefaults()
	expected, err := oracle.Compute(ctx, db, oracle.Options{
		Languages: o.Languages, Other: o.Other, Materialize: o.Materialize, CountsOnly: true, Connections: o.Connections,
	})
	if err != nil {
		return nil, nil, fmt.Errorf("computing the statistics: %w", err)
	}
	return Of(expected, o), expected.Figures, nil
}

func (o Options) withDefaults() Options {
	if o.Languages == nil {
		o.Languages = schema.DefaultLanguages()
	}
	if o.Connections == 0 {
		o.Connections = runtime.GOMAXPROCS(0)
	}
	return o
}

// Of returns the statistics of what a graph holds.
func Of(expected *oracle.Expected, o Options) *Stats {
	o = o.withDefaults()
	all := slices.Clone(o.Languages)
	if o.Other {
		all = append(all, schema.OtherLanguage())
	}
	s := &Stats{Materialized: o.Materialize, Quads: Total{Name: "quads"}}
	var sum, spread oracle.Tallies // of all graphs; of those of the distribution
	for i, l := range all {
		s.Graphs = append(s.Graphs, newGraph(l, o.Site, &expected.Graphs[i]))
		for t := range s.terms() {
			sum[t].Merge(expected.Graphs[i][t])
			if l.Tag != schema.SiteTag || len(all) == 1 {
				spread[t].Merge(expected.Graphs[i][t])
			}
		}
	}
	pooled := newGraph(schema.Language{}, o.Site, &spread)
	for _, m := range measures {
		var values []float64
		for _, g := range s.Graphs {
			if v := m.value(g); g.Questions > 0 && v != nil && (g.Tag != schema.SiteTag || len(all) == 1) {
				values = append(values, *v)
			}
		}
		s.Distribution = append(s.Distribution, newSpread(m.name, values, m.value(pooled)))
	}
	for _, class := range nodeClasses {
		s.Nodes = append(s.Nodes, Total{class, count(&sum, class), count(&expected.Distinct, class)})
	}
	for _, group := range []struct {
		name string
		has  func(oracle.Term) bool
	}{
		{"object properties", func(t oracle.Term) bool { return t < oracle.Terms && t.Kind() == oracle.Edge }},
		{"rdf:type", func(t oracle.Term) bool { return t < oracle.Terms && t.Kind() == oracle.Class }},
		{"literals", func(t oracle.Term) bool { return t < oracle.Terms && t.Kind() == oracle.Literal }},
		{"materialized", func(t oracle.Term) bool { return t >= oracle.Terms }},
	} {
		g := Group{Total: Total{Name: group.name}}
		for t := range s.terms() {
			if group.has(t) {
				edge := Total{t.Name(), sum[t].Count, expected.Distinct[t].Count}
				g.Edges = append(g.Edges, edge)
				g.add(edge)
			}
		}
		if len(g.Edges) > 0 {
			s.Edges = append(s.Edges, g)
			s.Quads.add(g.Total)
		}
	}
	return s
}

// terms returns the number of counted terms.
func (s *Stats) terms() oracle.Term {
	if s.Materialized {
		return oracle.AllTerms
	}
	return oracle.Terms
}

// Node returns the total of a class of nodes.
func (s *Stats) Node(class string) Total { return find(s.Nodes, class) }

// Edge returns the total of a term by its local name, or of a group of edges by its name.
func (s *Stats) Edge(name string) Total {
	for _, g := range s.Edges {
		if g.Name == name {
			return g.Total
		}
		if t := find(g.Edges, name); t.Name != "" {
			return t
		}
	}
	return Total{}
}

func find(totals []Total, name string) Total {
	if i := slices.IndexFunc(totals, func(t Total) bool { return t.Name == name }); i >= 0 {
		return totals[i]
	}
	return Total{}
}

func (t *Total) add(u Total) {
	t.Summed += u.Summed
	t.Distinct += u.Distinct
}

// count returns the number of quads of a term.
func count(t *oracle.Tallies, name string) int64 {
	term, _ := oracle.LookupTerm(name)
	return t[term].Count
}

func newGraph(l schema.Language, site vocab.Site, t *oracle.Tallies) Graph {
	g := Graph{
		Tag: l.Tag, Name: l.Name, IRI: site.Graph(l.Tag), Quads: t.Quads(), Terms: map[string]int64{},
		Questions: count(t, vocab.Question), Answers: count(t, vocab.HasAnswer),
	}
	g.Ratios = Ratios{
		AcceptanceRate:      ratio(100*count(t, vocab.AcceptedAnswer), g.Answers),
		AnswersPerQuestion:  ratio(g.Answers, g.Questions),
		CommentsPerQuestion: ratio(count(t, vocab.HasComment), g.Questions),
	}
	for term := range oracle.AllTerms {
		if n := t[term].Count; n > 0 {
			g.Terms[term.String()] = n
		}
	}
	return g
}

func ratio(n, of int64) *float64 {
	if of == 0 {
		return nil
	}
	r := float64(n) / float64(of)
	return &r
}

func newSpread(measure string, values []float64, pooled *float64) Spread {
	s := Spread{Measure: measure, Graphs: len(values)}
	if len(values) == 0 {
		return s
	}
	slices.Sort(values)
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	n := len(values)
	median, mean := (values[(n-1)/2]+values[n/2])/2, sum/float64(n)
	s.Min, s.Median, s.Mean, s.Max, s.Pooled = &values[0], &median, &mean, &values[n-1], pooled
	return s
}

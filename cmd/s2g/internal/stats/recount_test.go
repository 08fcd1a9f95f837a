package stats

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"s2g/cmd/s2g/internal/buildtest"
	"s2g/cmd/s2g/internal/oracle"
	"s2g/graph"
	"s2g/graph/trig"
	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/schematest"
	"s2g/schema/vocab"
)

// TestStatsAreThoseOfTheFiles computes the statistics a second time, from the quads of the
// files, without SQL.
func TestStatsAreThoseOfTheFiles(t *testing.T) {
	db := server.Open(t)
	mini := func(testing.TB) string { return "../oracle/testdata/mini" }
	for _, c := range []struct {
		name string
		dump func(testing.TB) string
		o    Options
	}{
		{"mini", mini, Options{}},
		{"materialized", mini, Options{Other: true, Materialize: true}},
		{"sample", func(t testing.TB) string { return buildtest.Sample(t, 3000) }, Options{Other: true}},
		{"bioinformatics", func(t testing.TB) string { return schematest.Dump(t, "bioinformatics.stackexchange.com") }, Options{}},
		{"bicycles", func(t testing.TB) string { return schematest.Dump(t, "bicycles.meta.stackexchange.com") },
			Options{Languages: buildtest.Languages(t, "discussion,no-such-tag,support,moderation"), Other: true, Materialize: true}},
		{"whole site", mini, Options{Languages: []schema.Language{schema.SiteLanguage()}}},
		{"whole site and languages", mini, Options{Languages: append(buildtest.Languages(t, "python,c#"), schema.SiteLanguage())}},
	} {
		t.Run(c.name, func(t *testing.T) {
			buildtest.Load(t, db, c.dump(t))
			c.o.Site = vocab.StackOverflow
			got, _, err := Compute(t.Context(), db, c.o)
			if err != nil {
				t.Fatal(err)
			}
			batches, ontology := buildtest.Graph(t, db, graph.Options{Languages: c.o.Languages, Other: c.o.Other, Materialize: c.o.Materialize})
			want := newRecount(t, batches).stats(c.o)
			if diff := cmp.Diff(want, got, cmpopts.EquateApprox(1e-12, 0)); diff != "" {
				t.Errorf("files -, Compute +\n%s", diff)
			}
			out := filepath.Dir(filepath.Dir(ontology))
			m, err := manifest.Read(out)
			if err != nil {
				t.Fatal(err)
			}
			stored, err := Read(out, m.Stages[manifest.Graph], c.o)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(got, stored); diff != "" {
				t.Errorf("Compute -, Read +\n%s", diff)
			}
			if want.Quads.Summed == 0 {
				t.Error("no quads")
			}
			addsUp(t, got)
		})
	}
}

// addsUp checks that the CSV's line of sums is the sum of the graphs' lines, in every column
// of a term and of the quads.
func addsUp(t *testing.T, s *Stats) {
	t.Helper()
	var b bytes.Buffer
	if err := s.WriteCSV(&b); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(&b).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	first, last := slices.Index(lines[0], "quads"), lines[len(lines)-2]
	if n := len(lines[0]) - first - 1; last[0] != "summed" || n != int(s.terms()) {
		t.Errorf("%d columns of terms, the line before the last is %s", n, last[0])
	}
	for column := first; column < len(last); column++ {
		sum := int64(0)
		for _, line := range lines[1:] {
			if line[0] == "graph" {
				n, err := strconv.ParseInt(line[column], 10, 64)
				if err != nil {
					t.Fatal(err)
				}
				sum += n
			}
		}
		if last[column] != strconv.FormatInt(sum, 10) {
			t.Errorf("%s: sum %s of graphs with %d", lines[0][column], last[column], sum)
		}
	}
}

// recount counts the quads of files by graph and by name of term.
type recount struct {
	graphs   map[string]map[string]int64
	distinct map[string]int64
}

func newRecount(t *testing.T, files []string) recount {
	t.Helper()
	c := recount{map[string]map[string]int64{}, map[string]int64{}}
	seen := map[string]bool{}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		r := trig.NewReader(f, trig.TriG)
		for r.Scan() {
			q := r.Record()
			term := shortened(string(q.Predicate.Value))
			if term == "rdf:type" {
				term = "a " + shortened(string(q.Object.Value))
			}
			if of, known := oracle.LookupTerm(strings.TrimPrefix(term, "so:")); known && (of.Kind() == oracle.Edge) != (q.Object.Kind == trig.IRI) {
				t.Fatalf("%s counts among the wrong kind of edges", term)
			}
			g := string(q.Graph.Value)
			if c.graphs[g] == nil {
				c.graphs[g] = map[string]int64{}
			}
			c.graphs[g][term]++
			if triple := string(q.Subject.Value) + " " + term + " " + string(q.Object.Value); !seen[triple] {
				seen[triple] = true
				c.distinct[term]++
			}
		}
		if r.Err() != nil {
			t.Fatal(r.Err())
		}
	}
	return c
}

func shortened(iri string) string {
	for ns, prefix := range map[string]string{
		vocab.NS: "so:", vocab.RDF: "rdf:", "http://rdfs.org/sioc/ns#": "sioc:", "http://rdfs.org/sioc/types#": "sioct:",
		"https://schema.org/": "schema:", "http://www.w3.org/2004/02/skos/core#": "skos:", "http://purl.org/dc/terms/": "dcterms:",
	} {
		if local, ok := strings.CutPrefix(iri, ns); ok {
			return prefix + local
		}
	}
	return iri
}

// stats computes the paper's figures.
func (c recount) stats(o Options) *Stats {
	site, languages := vocab.StackOverflow, o.Languages
	if languages == nil {
		languages = schema.DefaultLanguages()
	}
	if languages = slices.Clone(languages); o.Other {
		languages = append(languages, schema.Language{Name: schema.OtherName})
	}
	s := &Stats{Materialized: o.Materialize}
	sum, spread := map[string]int64{}, map[string]int64{} // of all graphs; without the site's beside others
	of := func(l schema.Language, terms map[string]int64) Graph {
		g := Graph{Tag: l.Tag, Name: l.Name, IRI: site.Graph(l.Tag), Terms: terms}
		questions, answers := float64(terms["a so:Question"]), float64(terms["so:HasAnswer"])
		g.Questions, g.Answers = terms["a so:Question"], terms["so:HasAnswer"]
		if answers > 0 {
			g.AcceptanceRate = f(100 * float64(terms["a so:AcceptedAnswer"]) / answers)
		}
		if questions > 0 {
			g.AnswersPerQuestion, g.CommentsPerQuestion = f(answers/questions), f(float64(terms["so:HasComment"])/questions)
		}
		for _, n := range terms {
			g.Quads += n
		}
		return g
	}
	values := map[string][]float64{}
	put := func(measure string, v *float64) {
		if v != nil {
			values[measure] = append(values[measure], *v)
		}
	}
	for _, l := range languages {
		terms := c.graphs[site.Graph(l.Tag)]
		if terms == nil {
			terms = map[string]int64{}
		}
		for term, n := range terms {
			sum[term] += n
		}
		g := of(l, terms)
		s.Graphs = append(s.Graphs, g)
		if strings.HasSuffix(g.IRI, "/s2g/site") && len(languages) > 1 {
			continue
		}
		for term, n := range terms {
			spread[term] += n
		}
		if g.Questions > 0 {
			put("questions", f(float64(g.Questions)))
			put("answers", f(float64(g.Answers)))
			put("acceptance_rate", g.AcceptanceRate)
			put("answers_per_question", g.AnswersPerQuestion)
			put("comments_per_question", g.CommentsPerQuestion)
		}
	}
	pooled := of(schema.Language{}, spread)
	for _, m := range []struct {
		name   string
		pooled *float64
	}{
		{"questions", f(float64(pooled.Questions))}, {"answers", f(float64(pooled.Answers))}, {"acceptance_rate", pooled.AcceptanceRate},
		{"answers_per_question", pooled.AnswersPerQuestion}, {"comments_per_question", pooled.CommentsPerQuestion},
	} {
		v := slices.Sorted(slices.Values(values[m.name]))
		d := Spread{Measure: m.name, Graphs: len(v)}
		if n := len(v); n > 0 {
			mean := 0.0
			for _, x := range v {
				mean += x / float64(n)
			}
			median := v[n/2]
			if n%2 == 0 {
				median = (v[n/2-1] + v[n/2]) / 2
			}
			d.Min, d.Median, d.Mean, d.Max, d.Pooled = f(v[0]), f(median), f(mean), f(v[n-1]), m.pooled
		}
		s.Distribution = append(s.Distribution, d)
	}
	for _, class := range []string{"Question", "Answer", "Comment", "Tag", "TagWiki", "TagWikiExcerpt"} {
		s.Nodes = append(s.Nodes, Total{class, sum["a so:"+class], c.distinct["a so:"+class]})
	}
	s.Edges = c.groups(sum, o.Materialize)
	s.Quads.Name = "quads"
	for term, n := range sum {
		s.Quads.Summed, s.Quads.Distinct = s.Quads.Summed+n, s.Quads.Distinct+c.distinct[term]
	}
	return s
}

// groups returns the totals by term, in the order of the oracle's terms. newRecount has
// checked of each quad that edges are those with an IRI.
func (c recount) groups(sum map[string]int64, materialized bool) (all []Group) {
	group := func(name string, has func(oracle.Term) bool) {
		g := Group{Total: Total{Name: name}}
		for term := range oracle.AllTerms {
			if has(term) {
				n := Total{term.Name(), sum[term.String()], c.distinct[term.String()]}
				g.Edges = append(g.Edges, n)
				g.Summed, g.Distinct = g.Summed+n.Summed, g.Distinct+n.Distinct
			}
		}
		all = append(all, g)
	}
	paper := func(k oracle.TermKind) func(oracle.Term) bool {
		return func(t oracle.Term) bool { return t < oracle.Terms && t.Kind() == k }
	}
	group("object properties", paper(oracle.Edge))
	group("rdf:type", paper(oracle.Class))
	group("literals", paper(oracle.Literal))
	if materialized {
		group("materialized", func(t oracle.Term) bool { return t >= oracle.Terms })
	}
	return all
}

package stats

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"s2g/cmd/s2g/internal/buildtest"
	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/tables/tablestest"
	"s2g/schema/vocab"
)

var update = flag.Bool("update", false, "write the golden files anew")

var server tablestest.Server

func TestMain(m *testing.M) { server.Main(m) }

func f(x float64) *float64 { return &x }

func TestStatsOfMiniDump(t *testing.T) {
	db := server.Open(t)
	buildtest.Load(t, db, "../oracle/testdata/mini")
	s, _, err := Compute(t.Context(), db, Options{Site: vocab.StackOverflow, Other: true})
	if err != nil {
		t.Fatal(err)
	}
	// python has questions 1 (answers 2, 3, 4; 3 accepted; a comment on it and one on 2) and 5 (answer 6)
	python := s.Graphs[29]
	python.Terms, python.Quads = nil, 0
	want := Graph{
		Tag: "python", Name: "Python", IRI: "http://stackoverflow.com/python", Questions: 2, Answers: 4,
		Ratios: Ratios{AcceptanceRate: f(25), AnswersPerQuestion: f(2), CommentsPerQuestion: f(1)},
	}
	if diff := cmp.Diff(want, python); diff != "" {
		t.Error(diff)
	}
	if len(s.Graphs) != 40 || s.Graphs[39].Questions != 1 || s.Graphs[5].AcceptanceRate != nil {
		t.Errorf("graphs %+v", s.Graphs)
	}
	// acceptance over python, c#, .net and the remainder; c++ has no answer
	spread := Spread{Measure: "acceptance_rate", Graphs: 4, Min: f(0), Median: f(12.5), Mean: f((25 + 100.0/3) / 4), Max: f(100.0 / 3), Pooled: f(200.0 / 9)}
	if diff := cmp.Diff(spread, s.Distribution[2]); diff != "" {
		t.Error(diff)
	}
	// questions 1 and 5 are in two graphs each
	if diff := cmp.Diff(Total{"Question", 6, 4}, s.Nodes[0]); diff != "" {
		t.Error(diff)
	}
	t.Run("table", func(t *testing.T) {
		golden(t, "testdata/mini.txt", func(w io.Writer) error { return s.WriteTable(w, false) })
	})
	t.Run("beside the paper", func(t *testing.T) {
		golden(t, "testdata/mini-paper.txt", func(w io.Writer) error { return s.WriteTable(w, true) })
	})
	t.Run("csv", func(t *testing.T) { golden(t, "testdata/mini.csv", s.WriteCSV) })
	t.Run("json", func(t *testing.T) { readBack(t, s) })
}

func golden(t *testing.T, file string, write func(io.Writer) error) {
	var got bytes.Buffer
	if err := write(&got); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Error(diff)
	}
}

func TestPaperIsBesideBuildsOfAllOfStackOverflowAlone(t *testing.T) {
	dump := func(posts, tags int64) manifest.Dump {
		return manifest.Dump{Tables: map[string]manifest.DumpTable{"Posts": {Rows: posts}, "Tags": {Rows: tags}}}
	}
	for _, c := range []struct {
		name  string
		site  vocab.Site
		whole bool
		dump  manifest.Dump
		want  bool
	}{
		{"the dump of 2024", vocab.StackOverflow, false, dump(59_819_048, 65_675), true},
		{"by https", "https://stackoverflow.com", false, dump(59_819_048, 65_675), true},
		{"another site", "http://ru.stackoverflow.com", false, dump(59_819_048, 65_675), false},
		{"a large synthetic sample", vocab.StackOverflow, false, dump(60_000_000, 415), false},
		{"a part of the dump", vocab.StackOverflow, false, dump(100_000, 65_675), false},
		{"a graph of the whole site", vocab.StackOverflow, true, dump(59_819_048, 65_675), false},
		{"no tags", vocab.StackOverflow, false, manifest.Dump{Tables: map[string]manifest.DumpTable{"Posts": {Rows: 59_819_048}}}, false},
		{"nothing", vocab.StackOverflow, false, manifest.Dump{}, false},
	} {
		if got := ComparesWithPaper(c.site, &manifest.Manifest{Dump: c.dump, Options: manifest.Options{WholeSite: c.whole}}); got != c.want {
			t.Errorf("%s: %t", c.name, got)
		}
	}
}

// TestPaperFiguresAgree compares the totals with Table 1: a total is 39 times the mean.
func TestPaperFiguresAgree(t *testing.T) {
	mean := func(i int) float64 {
		n, err := strconv.ParseFloat(strings.ReplaceAll(PaperDistribution[i].Mean, ",", ""), 64)
		if err != nil {
			t.Fatal(err)
		}
		return 39 * n / 1e6
	}
	for _, f := range (&Stats{}).PaperFigures() {
		for i, name := range []string{"questions", "answers"} {
			if want := fmt.Sprintf("%.1f million", mean(i)); f.Name == name && f.Paper != want {
				t.Errorf("%s are %s, and 39 times the mean is %s", name, f.Paper, want)
			}
		}
	}
}

func TestCSVHasEveryColumnInEveryLine(t *testing.T) {
	var b bytes.Buffer
	if err := (&Stats{Graphs: []Graph{{Tag: "a,b"}}}).WriteCSV(&b); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(&b).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(lines) != 9 || lines[1][1] != "a,b" {
		t.Errorf("%q", lines)
	}
}

func readBack(t *testing.T, s *Stats) {
	var b bytes.Buffer
	if err := s.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	var got Stats
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(*s, got); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(b.String(), `"acceptance_rate": null`) {
		t.Error("an undefined ratio is not null")
	}
}

func TestTableNamesWhatTheDistributionLeavesOut(t *testing.T) {
	site := Graph{Tag: schema.SiteTag, Name: schema.SiteName, Questions: 2}
	for n, graphs := range [][]Graph{{site}, {{Tag: "r", Name: "R", Questions: 1}, site}} {
		s := Stats{Graphs: graphs, Distribution: make([]Spread, len(measures))}
		var text strings.Builder
		if err := s.WriteTable(&text, false); err != nil {
			t.Fatal(err)
		}
		if names := strings.Contains(text.String(), "leave out the graph of the whole site"); names != (n == 1) {
			t.Errorf("%s", text.String())
		}
	}
}

package stats

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"flag"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"s2g/cmd/s2g/internal/buildtest"
	"s2g/schema/tables"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestMain(m *testing.M) {
	tables.Supervise()
	flag.Parse()
	os.Exit(m.Run())
}

func f(x float64) *float64 { return &x }

func TestStatsOfMiniDump(t *testing.T) {
	db := buildtest.Open(t)
	buildtest.Load(t, db, "../oracle/testdata/mini")
	s, err := Compute(t.Context(), db, Options{Other: true})
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
	t.Run("table", func(t *testing.T) { golden(t, "testdata/mini.txt", s.WriteTable) })
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

// Every line has every column, so that any reader of CSV takes it.
func TestCSVIsRectangular(t *testing.T) {
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

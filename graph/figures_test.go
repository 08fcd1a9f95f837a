package graph

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"s2g/ingest/sample"
	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/schematest"
	"s2g/schema/tables"
	"s2g/schema/vocab"
)

// A run that resumes after any file has the figures of a run without interruption, and
// so has any number of workers. Package verify compares them with those of the oracle.
func TestFiguresOfAnyRun(t *testing.T) {
	schematest.Long(t)
	folder := filepath.Join(t.TempDir(), "dump")
	if _, err := sample.Write(t.Context(), sample.Options{Out: folder, Posts: 9000, Seed: 3}); err != nil {
		t.Fatal(err)
	}
	db := load(t, folder)
	o := Options{Site: vocab.StackOverflow, Compress: "none", batch: 2500, Workers: 1}
	key, err := Key("ingest", o)
	if err != nil {
		t.Fatal(err)
	}
	want, batches, texts := unfinished(t, db, key, o)
	if want == nil || len(want.Months) < 100 || want.Links.All.Sum() == 0 || len(want.Best) != schema.BestQuestions || len(want.Tags.Largest) != schema.LargestTags || want.Answers[0] == 0 || len(want.Examples) == 0 {
		t.Fatalf("the sample has too little to tell: %+v", want)
	}
	o.Workers = 5
	if diff := cmp.Diff(want, buildGraph(t, db, o).Manifest().Stages[manifest.Graph].Figures); diff != "" {
		t.Errorf("5 workers: %s", diff)
	}
	units := map[int64]bool{}
	for n := 1; n <= len(batches); n += max(len(batches)/9, 1) {
		dir := out(t)
		run, err := dir.Begin(manifest.Graph, key)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range batches[:n] {
			committed, err := run.Create(f.Name)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := committed.Write(texts[f.Name]); err != nil {
				t.Fatal(err)
			}
			if _, err := committed.Commit(f.Rows, f.At); err != nil {
				t.Fatal(err)
			}
		}
		if err := run.Close(); err != nil {
			t.Fatal(err)
		}
		if err := Run(t.Context(), dir, db, o); err != nil {
			t.Fatal(err)
		}
		var at checkpoint
		if err := json.Unmarshal([]byte(batches[n-1].At), &at); err != nil {
			t.Fatal(err)
		}
		units[at.Unit] = true
		if diff := cmp.Diff(want, dir.Manifest().Stages[manifest.Graph].Figures); diff != "" {
			t.Errorf("resumed after %d of %d files, at %+v: %s", n, len(batches), at, diff)
		}
	}
	if len(units) < 3 {
		t.Errorf("runs resumed at %v", units)
	}
}

// unfinished writes a graph and returns its figures, and its batches with their checkpoints
// and contents, which a finished run no longer has.
func unfinished(t *testing.T, db *tables.DB, key string, o Options) (*schema.Figures, []manifest.File, map[string][]byte) {
	t.Helper()
	o, err := o.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	dir := out(t)
	run, err := dir.Begin(manifest.Graph, key)
	if err != nil {
		t.Fatal(err)
	}
	summary, err := writeGraph(t.Context(), dir, run, db, o)
	if err := errors.Join(err, run.Close()); err != nil {
		t.Fatal(err)
	}
	if run, err = dir.Begin(manifest.Graph, key); err != nil { // lists what the first has committed
		t.Fatal(err)
	}
	defer run.Close()
	batches := (&manifest.Stage{Files: run.Committed()}).Batches()
	texts := map[string][]byte{}
	for _, f := range batches {
		if texts[f.Name], err = os.ReadFile(filepath.Join(dir.Out(), f.Name)); err != nil {
			t.Fatal(err)
		}
	}
	return summary.Figures, batches, texts
}

func TestLinkCells(t *testing.T) {
	rows := newLinkRows([]int64{0, 5, 9, 5, 20}, []string{"a", "b", "c", "d", schema.SiteTag})
	cells := newLinkCells(rows)
	cells.add([]int{2, 4}, []int{1, 4}, false)
	cells.add([]int{2}, []int{1, 2}, true)
	cells.add([]int{0}, []int{1}, false)
	want := schema.LinkFigures{
		Graphs: []string{"c", "b", "d"}, All: schema.LinkCount{Linked: 2, Duplicate: 1}, Across: schema.LinkCount{Linked: 1}, Outside: 1,
		Linked: [][]int64{{0, 1, 0}, {0, 0, 0}, {0, 0, 0}}, Duplicate: [][]int64{{1, 1, 0}, {0, 0, 0}, {0, 0, 0}},
	}
	if diff := cmp.Diff(want, cells.figures([]string{"a", "b", "c", "d", schema.SiteTag})); diff != "" {
		t.Error(diff)
	}
	if alone := newLinkRows([]int64{0, 3}, []string{"a", schema.SiteTag}); len(alone.graphs) != 1 || alone.row[1] != 0 {
		t.Errorf("the site alone: %+v", alone)
	}
}

func TestExamplesAreASample(t *testing.T) {
	var e examples
	e.offer(7, schema.ExampleRank(0, false, false))
	e.offer(8, schema.ExampleRank(0, false, false))
	if diff := cmp.Diff([]int64{7}, e.ids); diff != "" {
		t.Errorf("without answers: %s", diff)
	}
	e.offer(1, schema.ExampleRank(9, false, false))
	e.offer(2, schema.ExampleRank(2, true, true))
	e.offer(3, schema.ExampleRank(1, true, false))
	e.offer(4, schema.ExampleRank(2, true, false))
	if diff := cmp.Diff([]int64{2}, e.ids); diff != "" {
		t.Error(diff)
	}
	for id := range int64(100_000) {
		e.offer(10+id, schema.ExampleRank(3, true, true))
	}
	e.thin()
	if len(e.ids) != schema.ExampleQuestions || cap(e.ids) > 100*schema.ExampleQuestions {
		t.Errorf("%d examples are kept in room for %d", len(e.ids), cap(e.ids))
	}
	if high := slices.Max(e.ids); high < 50_000 {
		t.Errorf("the last example is %d: a sample of the first", high)
	}
}

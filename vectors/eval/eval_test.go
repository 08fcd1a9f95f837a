package eval

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"s2g/ingest"
	"s2g/schema/manifest"
	"s2g/schema/schematest"
	"s2g/schema/tables"
	"s2g/schema/vocab"
	"s2g/vectors"
	"s2g/vectors/embed"
	"s2g/vectors/search"
)

var update = flag.Bool("update", false, "write the golden file anew")

// site is a real dump in tables and its build, which the tests share.
var site struct {
	sync.Once
	folder string
	dir    *manifest.Dir
	db     *tables.DB
	err    error
}

func TestMain(m *testing.M) {
	tables.Supervise()
	code := m.Run()
	if site.db != nil {
		if err := errors.Join(site.db.Close(), site.dir.Close(), os.RemoveAll(site.folder)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// bioinformatics returns a build of all questions of bioinformatics.stackexchange.com, and
// its tables.
func bioinformatics(t *testing.T) (*manifest.Dir, *tables.DB) {
	t.Helper()
	dump := schematest.Dump(t, "bioinformatics.stackexchange.com")
	schematest.Tool(t, "mariadbd")
	site.Do(func() {
		ctx := context.Background()
		if site.folder, site.err = os.MkdirTemp("", "eval"); site.err != nil {
			return
		}
		if site.dir, site.err = manifest.Open(site.folder); site.err != nil {
			return
		}
		if site.db, site.err = tables.Open(ctx, tables.ServerOptions{Dir: site.dir.Private(), Access: tables.Load}); site.err != nil {
			return
		}
		if site.err = ingest.Run(ctx, site.dir, site.db, ingest.Options{Dump: dump}); site.err == nil {
			site.err = vectors.Run(ctx, site.dir, site.db, vectors.Options{Site: vocab.StackOverflow, Other: true})
		}
	})
	if site.err != nil {
		t.Fatal(site.err)
	}
	return site.dir, site.db
}

// measureBuild measures the shared build.
func measureBuild(t *testing.T, o Options) *Report {
	t.Helper()
	dir, db := bioinformatics(t)
	embedders, err := search.OpenEmbedders(t.Context(), dir.Out(), dir.Manifest(), embed.RemoteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	o.Other = true
	if o.Windows, err = vectors.WindowsOf(dir.Manifest(), embedders.Dense); err != nil {
		t.Fatal(err)
	}
	o.Dense, o.Sparse = embedders.Dense, embedders.Sparse
	report, err := Run(t.Context(), db, o)
	if err != nil {
		t.Fatal(err)
	}
	if report.Dense != embedders.Dense.Model() {
		t.Errorf("the report is of %s, the build's embedder is %s", report.Dense, embedders.Dense.Model())
	}
	return report
}

// The quality of search on a real site, as numbers: a change that moves one by over .005
// fails here.
func TestGolden(t *testing.T) {
	got := measureBuild(t, Options{})
	want := golden(t, "bioinformatics.json", got)
	want.Dense = got.Dense // a hash of its numbers, which differ by processor
	compare(t, want, got)
	checkReference(t, got.All, map[string][2]float64{
		"title to body/sparse": {.913, .974}, "title to body/dense": {.816, .959},
		"title to accepted answer/sparse": {.453, .676}, "title to accepted answer/dense": {.387, .655},
	})
	checkHybrid(t, got.All)
	checkHybrid(t, got.HeldOut)
}

// golden reads a stored report; with -update it first stores this one.
func golden(t *testing.T, name string, got *Report) *Report {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update && got != nil {
		text, err := json.MarshalIndent(got, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, append(text, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var kept Report
	if err := json.Unmarshal(text, &kept); err != nil {
		t.Fatal(err)
	}
	return &kept
}

// compare allows a cell to differ by .005.
func compare(t *testing.T, want, got *Report) {
	t.Helper()
	near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) <= .005 })
	if diff := cmp.Diff(want, got, near); diff != "" {
		t.Error(diff)
	}
}

// checkReference compares cells with those of a Python reference (BM25 with stemming and
// stop words, LSA by scikit-learn, MiniLM fused by a weight of .7), less .01: mean
// reciprocal rank and recall@10, by task and search.
func checkReference(t *testing.T, cells []Cell, reference map[string][2]float64) {
	t.Helper()
	met := 0
	for _, c := range cells {
		want, ok := reference[c.Task+"/"+c.Search]
		if !ok {
			continue
		}
		met++
		if c.MRR.Mean < want[0]-.01 || c.Recall10.Mean < want[1]-.01 {
			t.Errorf("%s, %s: %.3f and %.3f, the reference has %.3f and %.3f", c.Task, c.Search, c.MRR.Mean, c.Recall10.Mean, want[0], want[1])
		}
	}
	if met != len(reference) {
		t.Errorf("%d of %d cells are there", met, len(reference))
	}
}

// checkHybrid compares the fused ranking with the sparse one alone.
func checkHybrid(t *testing.T, cells []Cell) {
	t.Helper()
	sparse := map[string]Cell{}
	for _, c := range cells {
		switch of := sparse[c.Task]; c.Search {
		case "sparse":
			sparse[c.Task] = c
		case "hybrid":
			if c.MRR.Mean < of.MRR.Mean-tolerance || c.Recall10.Mean < of.Recall10.Mean-tolerance {
				t.Errorf("%s of %d queries: hybrid has %.3f and %.3f, sparse alone %.3f and %.3f",
					c.Task, c.Queries, c.MRR.Mean, c.Recall10.Mean, of.MRR.Mean, of.Recall10.Mean)
			}
		}
	}
}

// A sample has the given size, and the report does not depend on the number of workers.
func TestSampleIsDeterministic(t *testing.T) {
	var first *Report
	for _, workers := range []int{1, 3} {
		r := measureBuild(t, Options{Queries: 60, Posts: 300, Workers: workers})
		if r.Questions != 300 || r.Answers != 300 || r.Fitted != 30 || r.HeldOut[0].Queries != 30 || r.All[0].Queries != 60 {
			t.Errorf("%+v", r)
		}
		if first == nil {
			first = r
		} else if diff := cmp.Diff(first, r); diff != "" {
			t.Errorf("with %d workers: %s", workers, diff)
		}
	}
	var table strings.Builder
	if err := first.WriteTable(&table); err != nil || !strings.Contains(table.String(), "title to accepted answer") {
		t.Errorf("%v: %s", err, table.String())
	}
}

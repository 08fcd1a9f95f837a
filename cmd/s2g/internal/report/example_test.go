package report

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"s2g/cmd/s2g/internal/buildtest"
	"s2g/graph"
	"s2g/graph/trig"
	"s2g/schema"
	"s2g/schema/tables"
	"s2g/schema/threads"
	"s2g/schema/vocab"
)

// A thread that is read from the tables is drawn as one that is read from the
// graph's files: accepted and better answers, comments, links within a graph and
// out of it, tags, tables that are not there.
func TestThreadIsThatOfTheGraph(t *testing.T) {
	t.Run("sample", func(t *testing.T) {
		db := server.Open(t)
		buildtest.Load(t, db, writeSample(t, 2000))
		sameThreads(t, db, 12)
	})
	t.Run("mini", func(t *testing.T) {
		db := server.Open(t)
		buildtest.Load(t, db, "../oracle/testdata/mini")
		sameThreads(t, db, 100)
	})
}

func sameThreads(t *testing.T, db *tables.DB, most int) {
	batches, _ := buildtest.Graph(t, db, graph.Options{})
	o := Options{Site: vocab.DefaultSite, Languages: schema.DefaultLanguages()}
	index, err := threads.Build(t.Context(), db, o.Languages, false)
	if err != nil {
		t.Fatal(err)
	}
	fromFiles := func(use func(*trig.Quad)) error { return scanFiles(batches, use) }
	done := 0
	seen := ""
	for p := range index.All() {
		if !p.Question || done == most || done > 0 && p.ID%7 != 0 && most < 100 {
			continue
		}
		done++
		tag := o.Languages[index.Graphs(p.Set)[0]].Tag
		want, err := readThread(fromFiles, o.Site, tag, p.ID)
		if err != nil {
			t.Fatal(err)
		}
		r := threadReader{db: db, index: index, o: o}
		if err := r.read(t.Context(), p.ID); err != nil {
			t.Fatal(err)
		}
		got, err := readThread(r.scan, o.Site, tag, p.ID)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want.element()), string(got.element())); diff != "" {
			t.Errorf("question %d: %s", p.ID, diff)
		}
		seen += string(want.element())
	}
	for _, edge := range []string{vocab.HasAcceptedAnswer, vocab.HasPossibleBetterAnswer, vocab.HasComment, vocab.TaggedWith, vocab.LinkedTo} {
		if !strings.Contains(seen, "so:"+edge) {
			t.Errorf("none of %d threads has an edge %s", done, edge)
		}
	}
}

func scanFiles(names []string, use func(*trig.Quad)) error {
	for _, name := range names {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		r := trig.NewReader(f, trig.TriG)
		for r.Scan() {
			use(r.Record())
		}
		f.Close()
		if err := r.Err(); err != nil {
			return err
		}
	}
	return nil
}

package verify

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"s2g/schema"
	"s2g/schema/manifest"
)

// changeManifest changes the manifest of a build, and the documents with it.
func changeManifest(t *testing.T, out string, change func(*manifest.Manifest)) {
	t.Helper()
	m, err := manifest.Read(out)
	if err != nil {
		t.Fatal(err)
	}
	change(m)
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	save(t, out, "manifest.json", text)
}

func TestChangedManifestIsFound(t *testing.T) {
	db := miniTables(t)
	stage := func(name string, change func(*manifest.Stage)) func(*manifest.Manifest) {
		return func(m *manifest.Manifest) { change(m.Stages[name]) }
	}
	for name, c := range map[string]struct {
		change func(*manifest.Manifest)
		want   string
	}{
		"count of the graph": {stage("graph", func(s *manifest.Stage) { s.Counts["comments_outside"]++ }), "stages.graph.counts.comments_outside is 2, it must be 1"},
		"invented count":     {stage("graph", func(s *manifest.Stage) { s.Counts["invented"] = 7 }), "stages.graph.counts.invented is 7, it must not be there"},
		"invented stage":     {func(m *manifest.Manifest) { m.Stages["load"] = &manifest.Stage{Key: "x"} }, `stages.load.files is null, it must not be there`},
		"some fingerprints": {func(m *manifest.Manifest) {
			m.Dump.Tables = map[string]manifest.DumpTable{"Posts": {Fingerprint: "1-0"}, "Votes": {}}
		}, "has fingerprints of some tables only, one of them Posts"},
		"rows of the graph":    {stage("graph", func(s *manifest.Stage) { s.Rows++ }), "stages.graph.rows is 330, it must be 329"},
		"bytes of the vectors": {stage("vectors", func(s *manifest.Stage) { s.BytesIn++ }), "stages.vectors.bytes_in is 77, it must be 76"},
		"errors of a stage":    {stage("vectors", func(s *manifest.Stage) { s.Errors = map[string]int64{"x": 1} }), "stages.vectors.errors.x is 1, it must not be there"},
		"dropped pieces":       {stage("vectors", func(s *manifest.Stage) { s.Counts["dropped_log"] = 1 }), "stages.vectors.counts.dropped_log is 1, it must not be there"},
		"reused texts":         {stage("vectors", func(s *manifest.Stage) { s.Counts["texts_reused"] = 1 }), "stages.vectors.counts.texts_reused is 1, it must not be there"},
		"requests":             {stage("vectors", func(s *manifest.Stage) { s.Counts["dense_retries"] = 1 }), "stages.vectors.counts.dense_retries is 1, it must not be there"},
		"dense model":          {stage("vectors", func(s *manifest.Stage) { s.Embedders.Dense = "builtin/lsa-256-0" }), `stages.vectors.embedders.dense is "builtin/lsa-256-0", it must be "builtin/`},
		"sparse model":         {stage("vectors", func(s *manifest.Stage) { s.Embedders.Sparse = "x" }), `stages.vectors.embedders.sparse is "x", it must be "qdrant/bm25"`},
		"weight":               {stage("vectors", func(s *manifest.Stage) { s.Embedders.Weight = 0.9 }), "stages.vectors.embedders.weight is 0.9, it must be 0.2"},
		"threshold": {stage("vectors", func(s *manifest.Stage) { s.Embedders.NoGoodMatch = &manifest.NoGoodMatch{Least: .1} }),
			"stages.vectors.embedders.no_good_match"},
		"source of tokens":    {stage("vectors", func(s *manifest.Stage) { s.Embedders.Windows = "endpoint" }), `stages.vectors.embedders.windows is "endpoint", it must be "s2g"`},
		"unused tags":         {stage("graph", func(s *manifest.Stage) { s.UnusedTags = s.UnusedTags[1:] }), "stages.graph.unasked["},
		"newest post":         {func(m *manifest.Manifest) { m.Dump.Newest = "2020-01-01T00:00:00.000Z" }, "dump.newest is "},
		"option without":      {func(m *manifest.Manifest) { m.Options.Without = []string{"votes"} }, `options.without[0] is "votes", it must not be there`},
		"compression":         {func(m *manifest.Manifest) { m.Options.Compress = "zstd" }, `options.compress is "zstd", it must be`},
		"format of the graph": {func(m *manifest.Manifest) { m.Options.GraphFormat = "nquads" }, `options.graph_format is "nquads", it must be`},
		"window":              {func(m *manifest.Manifest) { m.Options.Window = 512 }, "of post 1: its post has 2 chunks, the text of its parent makes 1"},
		"overlap":             {func(m *manifest.Manifest) { m.Options.Overlap = 0 }, "of post 1: its place is 21 to 39, the text of its parent makes 27 to 39"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := newFixture(t).write(t)
			changeManifest(t, out, c.change)
			_, err := Run(t.Context(), out, db, Options{})
			if fault, _ := schema.FaultOf(err); err == nil || fault != schema.FaultVerification || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestKeyOfNoManifestIsFound(t *testing.T) {
	db := miniTables(t)
	out := newFixture(t).write(t)
	text, err := os.ReadFile(filepath.Join(out, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	for added, want := range map[string]string{
		`"note": "x",`:        `manifest.json: note is "x", it must not be there`,
		`"note": {"y": [3]},`: "manifest.json: note.y[0] is 3, it must not be there",
		`"note": false,`:      "",
	} {
		save(t, out, "manifest.json", bytes.Replace(text, []byte("{"), []byte("{"+added), 1))
		_, err := Run(t.Context(), out, db, Options{})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: got %v, want %q", added, err, want)
		}
	}
}

// The vectors of another architecture may differ in their last digits, and the model is not fitted again.
func TestBuildOfAnotherArchitecture(t *testing.T) {
	db := miniTables(t)
	architecture := "arm64"
	if runtime.GOARCH == architecture {
		architecture = "amd64"
	}
	for off, same := range map[float32]bool{1e-6: true, 1e-4: false} {
		f := newFixture(t)
		p := &f.shards["vectors/cpp/part-00000.parquet"][0]
		p.Dense = slices.Clone(p.Dense)
		p.Dense[1] += off
		out := f.write(t)
		if _, err := Run(t.Context(), out, db, Options{}); err == nil {
			t.Errorf("%g off on this architecture passes", off)
		}
		changeManifest(t, out, func(m *manifest.Manifest) { m.Stages[manifest.Vectors].Embedders.Architecture = architecture })
		report, err := Run(t.Context(), out, db, Options{})
		if (err == nil) != same {
			t.Errorf("%g off on another architecture: %v", off, err)
		}
		for _, c := range report.Checks {
			if c.Name == "model" && (c.Count != 0 || !strings.Contains(c.What, "another architecture")) {
				t.Errorf("the check of the model is of %d %s", c.Count, c.What)
			}
		}
	}
}

// Names at the top that begin with a dot are no difference, and neither are the links to folders of a
// build that is not in service yet.
func TestHiddenFilesAndLinkedFoldersAreNoDifference(t *testing.T) {
	db := miniTables(t)
	out := newFixture(t).write(t)
	save(t, out, ".DS_Store", []byte("x"))
	next := filepath.Join(out, ".s2g", "next")
	if err := os.MkdirAll(next, 0o755); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() == ".s2g" {
			continue
		}
		if err := os.Symlink(filepath.Join("..", "..", e.Name()), filepath.Join(next, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	for _, folder := range []string{out, next} {
		report, err := Run(t.Context(), folder, db, Options{})
		if err != nil {
			t.Errorf("%s: %v", folder, err)
		}
		if what := report.Checks[0].What; !strings.HasSuffix(what, "; not of the build: .DS_Store") {
			t.Errorf("%s: the check is of %q", folder, what)
		}
	}
}

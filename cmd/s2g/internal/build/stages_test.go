package build

import (
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"s2g/ingest/sample"
	"s2g/schema"
	"s2g/schema/manifest"
)

// Each option makes the stages stale that depend on it, and no others.
func TestStateNamesTheStagesThatDependOnAnOption(t *testing.T) {
	dump := filepath.Join(t.TempDir(), "dump")
	if _, err := sample.Write(t.Context(), sample.Options{Out: dump, Posts: 30, Tags: sample.TagsAngle}); err != nil {
		t.Fatal(err)
	}
	base := Options{Out: t.TempDir(), Dump: dump, MaxRejects: 0.01, Log: slog.New(slog.DiscardHandler), Shape: manifest.Options{
		Languages: schema.DefaultLanguages(), Units: "question", Window: 512, Overlap: 64, Dense: "builtin", Sparse: "bm25", Compress: "gzip", GraphFormat: "trig",
	}}
	m := finished(t, base)
	all := []string{manifest.Graph, manifest.Ingest, manifest.Vectors}
	for name, c := range map[string]struct {
		change func(o *Options)
		stale  []string
	}{
		"nothing":     {func(*Options) {}, nil},
		"workers":     {func(o *Options) { o.Workers = 7 }, nil},
		"no dump":     {func(o *Options) { o.Dump = "" }, nil},
		"compress":    {func(o *Options) { o.Shape.Compress = "none" }, []string{manifest.Graph}},
		"materialize": {func(o *Options) { o.Shape.Materialize = true }, []string{manifest.Graph}},
		"window":      {func(o *Options) { o.Shape.Window = 256 }, []string{manifest.Vectors}},
		"no overlap":  {func(o *Options) { o.Shape.Overlap = 0 }, []string{manifest.Vectors}},
		"links":       {func(o *Options) { o.Shape.Links = true }, []string{manifest.Vectors}},
		"site":        {func(o *Options) { o.Shape.Site = "http://example.org" }, []string{manifest.Graph, manifest.Vectors}},
		"other":       {func(o *Options) { o.Shape.Other = true }, []string{manifest.Graph, manifest.Vectors}},
		"without":     {func(o *Options) { o.Shape.Without = []string{"votes"} }, all},
	} {
		o := base
		c.change(&o)
		if got := staleOf(t, o, m); !slices.Equal(got, c.stale) {
			t.Errorf("%s: %q are stale, want %q", name, got, c.stale)
		}
	}
	if got := staleOf(t, base, &manifest.Manifest{}); !slices.Equal(got, all) {
		t.Errorf("of a build without a stage %q are stale", got)
	}
	if err := os.Chtimes(filepath.Join(dump, "Posts.xml"), time.Time{}, time.Unix(1_000_000_000, 0)); err != nil {
		t.Fatal(err)
	}
	if got := staleOf(t, base, m); !slices.Equal(got, all) {
		t.Errorf("of a dump with another time %q are stale", got)
	}
}

// finished returns the manifest of a build that has run all stages with the options.
func finished(t *testing.T, o Options) *manifest.Manifest {
	t.Helper()
	m := &manifest.Manifest{Stages: map[string]*manifest.Stage{}, Dump: manifest.Dump{Site: "stackoverflow.com"}}
	plan, err := o.ingestPlan(m)
	if err != nil {
		t.Fatal(err)
	}
	_, graph, err := o.graphOptions("http://stackoverflow.com", plan.Key)
	if err != nil {
		t.Fatal(err)
	}
	_, vectors, err := o.vectorsOptions(m, "http://stackoverflow.com", plan.Key)
	if err != nil {
		t.Fatal(err)
	}
	for stage, key := range map[string]string{manifest.Ingest: plan.Key, manifest.Graph: graph, manifest.Vectors: vectors} {
		m.Stages[stage] = &manifest.Stage{Key: key}
	}
	return m
}

func staleOf(t *testing.T, o Options, m *manifest.Manifest) (stages []string) {
	t.Helper()
	state, err := o.State(t.Context(), m, Stages)
	if err != nil {
		t.Fatal(err)
	}
	for stage, stale := range state.Stale {
		if stale {
			stages = append(stages, stage)
		}
	}
	slices.Sort(stages)
	return stages
}

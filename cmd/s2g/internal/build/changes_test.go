package build

import (
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"s2g/ingest/sample"
	"s2g/schema"
	"s2g/schema/manifest"
)

const (
	endpoint      = "openai+http://localhost:1/v1?model=m"
	otherEndpoint = "openai+http://localhost:1/v1?model=n"
	sparseModel   = "bgem3+http://localhost:1?model=s"
)

// A change of options deletes the work of an endpoint, or not; each loss has its reason and measures.
func TestLosses(t *testing.T) {
	dump := filepath.Join(t.TempDir(), "dump")
	if _, err := sample.Write(t.Context(), sample.Options{Out: dump, Posts: 30}); err != nil {
		t.Fatal(err)
	}
	languages, err := schema.ParseLanguages("python,java")
	if err != nil {
		t.Fatal(err)
	}
	base := Options{Out: t.TempDir(), Dump: dump, MaxRejects: 0.01, Log: slog.New(slog.DiscardHandler), Shape: manifest.Options{
		Languages: languages, Units: "question,answer", Window: 512, Overlap: 64, Dense: endpoint, Sparse: sparseModel, Compress: "gzip", GraphFormat: "trig",
	}}
	for name, c := range map[string]struct {
		built, change func(o *Options)
		lost          []string // beginnings
		texts         int64    // of the first
	}{
		"nothing":              {nil, func(*Options) {}, nil, 0},
		"the graph's":          {nil, func(o *Options) { o.Shape.Compress = "none" }, nil, 0},
		"the endpoint moves":   {nil, func(o *Options) { o.Shape.Dense = "openai+http://elsewhere:1/v1?model=m" }, nil, 0},
		"more languages":       {nil, func(o *Options) { o.Shape.Other = true }, nil, 0},
		"another dense model":  {nil, func(o *Options) { o.Shape.Dense = otherEndpoint }, []string{"dense vectors by m"}, 1000},
		"builtin":              {nil, func(o *Options) { o.Shape.Dense = "builtin" }, []string{"dense vectors by m"}, 1000},
		"another sparse model": {nil, func(o *Options) { o.Shape.Sparse = "bm25" }, []string{"sparse vectors by s"}, 1000},
		"both":                 {nil, func(o *Options) { o.Shape.Dense, o.Shape.Sparse = "builtin", "bm25" }, []string{"dense vectors by m", "sparse vectors by s"}, 1000},
		"no answers":           {nil, func(o *Options) { o.Shape.Units = "question" }, []string{"vectors by m and s of answers"}, 750},
		"a language less":      {nil, func(o *Options) { o.Shape.Languages = languages[:1] }, []string{"vectors by m and s of java"}, 300},
		"whole site instead":   {nil, func(o *Options) { o.Shape.Languages, o.Shape.WholeSite = nil, true }, nil, 0},
		"a larger window":      {nil, func(o *Options) { o.Shape.Window = 600 }, []string{"vectors by m and s of posts of several chunks"}, 200},
		"a smaller window":     {nil, func(o *Options) { o.Shape.Window = 300 }, []string{"vectors by m and s of posts that are cut elsewhere"}, 1000},
		"no overlap":           {nil, func(o *Options) { o.Shape.Overlap = 0 }, []string{"vectors by m and s of posts of several chunks"}, 200},
		"links":                {nil, func(o *Options) { o.Shape.Links = true }, []string{"vectors by m and s of texts with links"}, 1000},
		"builtin vectors":      {func(o *Options) { o.Shape.Dense, o.Shape.Sparse = "builtin", "bm25" }, func(o *Options) { o.Shape.Window = 300 }, nil, 0},
		"of one endpoint":      {func(o *Options) { o.Shape.Sparse = "bm25" }, func(o *Options) { o.Shape.Units = "question" }, []string{"vectors by m of answers"}, 750},
	} {
		built := base
		if c.built != nil {
			c.built(&built)
		}
		m := finished(t, built)
		m.Options = manifest.Options{Window: 7} // of a run that has begun since
		shape := built.Shape
		stage := m.Stages[manifest.Vectors]
		stage.Options, stage.Seconds = &shape, 500
		stage.Counts = map[string]int64{"texts": 1000, "questions": 200, "answers": 600, "chunks_after_the_first": 100}
		stage.Embedders = &manifest.Embedders{Dense: modelOf(shape.Dense, ""), Sparse: modelOf(shape.Sparse, "")}
		if shape.Dense == "builtin" {
			stage.Embedders.Dense = "builtin/256"
		}
		if shape.Sparse == "bm25" {
			stage.Embedders.Sparse = "qdrant/bm25"
		}
		stage.Files = []manifest.File{{Name: "vectors/python/part-00000.parquet", Rows: 800, Size: 9000}, {Name: "vectors/java/part-00000.parquet", Rows: 300, Size: 1000}}
		o := built
		c.change(&o)
		state, err := o.State(t.Context(), m, Stages)
		if err != nil {
			t.Fatal(err)
		}
		var lost []string
		for _, l := range state.Losses {
			lost = append(lost, l.What)
			if l.Reason == "" || l.Bytes != 10*l.Texts || l.Seconds != float64(l.Texts)/2 {
				t.Errorf("%s: %+v", name, l)
			}
		}
		if !slices.Equal(lost, c.lost) || len(lost) > 0 && state.Losses[0].Texts != c.texts {
			t.Errorf("%s: lost %+v, want %q and %d texts", name, state.Losses, c.lost, c.texts)
		}
		for _, change := range state.Changes {
			if reasons := strings.Join(change.Reasons, "; "); !strings.Contains(reasons, "option ") {
				t.Errorf("%s: %s runs for the reasons %q", name, change.Stage, reasons)
			}
		}
	}
}

// A loss is listed once, however the command names the folder.
func TestLossIsListedOnce(t *testing.T) {
	work := t.TempDir()
	t.Chdir(work)
	if _, err := sample.Write(t.Context(), sample.Options{Out: "dump", Posts: 30}); err != nil {
		t.Fatal(err)
	}
	o := Options{Out: "o", Dump: "dump", MaxRejects: 0.01, Log: slog.New(slog.DiscardHandler), Shape: manifest.Options{
		Units: "question", Window: 512, Overlap: 64, Dense: endpoint, Sparse: "bm25", Compress: "gzip", GraphFormat: "trig",
	}}
	m := finished(t, o)
	m.Format, m.Options = manifest.Format, o.Shape
	stage := m.Stages[manifest.Vectors]
	stage.Embedders = &manifest.Embedders{Dense: "m", Sparse: "qdrant/bm25"}
	stage.Files = []manifest.File{{Name: "vectors/python/part-00000.parquet", Rows: 800, Size: 9000}}
	text, err := json.Marshal(m)
	if err == nil {
		err = errors.Join(os.Mkdir("o", 0o755), os.WriteFile("o/manifest.json", text, 0o644))
	}
	if err != nil {
		t.Fatal(err)
	}
	o.Shape.Dense = "builtin"
	for _, out := range []string{"o", filepath.Join(work, "o")} {
		m, err := manifest.Read(out)
		if err != nil {
			t.Fatal(err)
		}
		state, err := o.State(t.Context(), m, Stages)
		if err != nil || len(state.Losses) != 1 {
			t.Errorf("%s: %+v, %v", out, state.Losses, err)
		}
	}
}

// After a stage that ran alone with other options, or an ingest alone, the other stages are named with what differs.
func TestOutOfDate(t *testing.T) {
	python, err := schema.ParseLanguages("python")
	if err != nil {
		t.Fatal(err)
	}
	was := manifest.Options{Site: "stackoverflow.com", Units: "question", Window: 512, Overlap: 64, TextLanguage: "english"}
	now := was
	now.Languages = python
	keysOf := func(o manifest.Options, tables string) map[string]string {
		keys, err := Keys(&manifest.Manifest{Options: o, Stages: map[string]*manifest.Stage{manifest.Ingest: {Key: tables}}})
		if err != nil {
			t.Fatal(err)
		}
		return keys
	}
	m := &manifest.Manifest{Options: now, Stages: map[string]*manifest.Stage{
		manifest.Ingest: {Key: "a"}, manifest.Graph: {Key: keysOf(now, "a")[manifest.Graph], Options: now.Of(manifest.Graph)},
		manifest.Vectors: {Key: keysOf(was, "a")[manifest.Vectors], Options: was.Of(manifest.Vectors)},
	}}
	list := OutOfDate(m)
	if len(list) != 1 || list[0].Stage != manifest.Vectors || len(list[0].Reasons) != 1 || !strings.HasPrefix(list[0].Reasons[0], "option languages: without abap") {
		t.Errorf("%+v", list)
	}
	m.Report = "0" // the build has ended, so that the manifest was changed since
	if list := OutOfDate(m); len(list) > 0 {
		t.Errorf("%+v", list)
	}
	m.Report, m.Options = "", was
	m.Stages[manifest.Graph].Options = nil // of an earlier version
	if list := OutOfDate(m); len(list) > 0 {
		t.Errorf("%+v", list)
	}
	m.Stages[manifest.Ingest].Key = "b"
	if list := OutOfDate(m); len(list) != 1 || list[0].Stage != manifest.Vectors || !strings.HasPrefix(list[0].Reasons[0], "the tables were read again") {
		t.Errorf("%+v", list)
	}
}

// A dump of another site is one of the build's site in its name only, or by the option.
func TestOtherSite(t *testing.T) {
	dump := filepath.Join(t.TempDir(), "dump")
	if _, err := sample.Write(t.Context(), sample.Options{Out: dump, Posts: 30}); err != nil {
		t.Fatal(err)
	}
	o := Options{Out: t.TempDir(), Dump: dump, MaxRejects: 0.01, Log: slog.New(slog.DiscardHandler), Shape: manifest.Options{Languages: schema.DefaultLanguages()}}
	m := finished(t, o)
	for name, c := range map[string]struct {
		site, key string // of the build
		want      bool
	}{
		"the same dump":                  {"stackoverflow.com", m.Stages[manifest.Ingest].Key, false},
		"a newer dump":                   {"stackoverflow.com", "earlier", false},
		"a dump of another site":         {"askubuntu.com", "earlier", true},
		"the same dump, with an address": {"https://stackoverflow.com", "earlier", false},
	} {
		m.Dump.Site, m.Stages[manifest.Ingest].Key = c.site, c.key
		state, err := o.State(t.Context(), m, Stages)
		if err != nil || (state.OtherSite != "") != c.want {
			t.Errorf("%s: %+v, %v", name, state, err)
		}
	}
}

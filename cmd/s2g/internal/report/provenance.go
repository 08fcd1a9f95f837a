package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"s2g/schema/manifest"
)

// stageLine is a stage with its time as a bar.
type stageLine struct {
	Name, Seconds, Rows, Rate, Written, Memory, Finished string
	Bar                                                  bar
}

// stages returns the stages that have run. Their bars have one scale.
func (r *Report) stages() []stageLine {
	names := []string{manifest.Ingest, manifest.Graph, manifest.Vectors}
	unit := map[string]string{manifest.Ingest: "row", manifest.Graph: "triple", manifest.Vectors: "point"}
	most := 0.0
	for _, n := range names {
		most = max(most, r.stage(n).Seconds)
	}
	var lines []stageLine
	for _, n := range names {
		if r.o.Manifest.Stages[n] == nil {
			continue
		}
		s := r.stage(n)
		l := stageLine{
			Name: n, Seconds: duration(s.Seconds), Rows: plural(s.Rows, unit[n]), Written: bytesOf(s.BytesOut), Memory: bytesOf(s.PeakRSS),
			Finished: s.Finished.UTC().Format("2 January 2006, 15:04 UTC"), Rate: "–",
			Bar: bar{{X: "0%", Width: percent(s.Seconds, most), Class: "time"}},
		}
		if s.Seconds > 0 {
			l.Rate = short(int64(float64(s.Rows)/s.Seconds)) + "/s"
		}
		lines = append(lines, l)
	}
	return lines
}

// facts returns the build's inputs and options, by name.
func (r *Report) facts() table {
	m := r.o.Manifest
	t := table{Caption: "This build", Words: true}
	add := func(name, value string) {
		if value != "" {
			t.Rows = append(t.Rows, []string{name, value})
		}
	}
	add("dump", m.Dump.Name)
	add("newest post", day(m.Dump.Newest))
	add("site", string(r.o.Site))
	add("tool", "s2g "+m.Tool)
	languages := plural(int64(len(r.o.Languages)), r.noun())
	if m.Options.WholeSite {
		languages = "one of all questions"
		if n := len(r.o.Languages) - 1; n > 0 {
			languages = plural(int64(n), r.noun()) + ", and " + languages
		}
	}
	if r.o.Other {
		languages += ", and the questions of no other in a graph of their own"
	}
	add("graphs", languages)
	if len(m.Options.Without) > 0 {
		add("without", and(m.Options.Without))
	}
	if s := m.Stages[manifest.Graph]; s != nil {
		form := m.Options.GraphFormat
		if m.Options.Materialize {
			form += ", what follows from the ontology written out"
		}
		add("graph files", fmt.Sprintf("%s, %s, compression %s", plural(s.Counts["files"], "file"), form, m.Options.Compress))
	}
	if s := m.Stages[manifest.Vectors]; s != nil {
		add("embedded", fmt.Sprintf("%s, in windows of %d tokens with %d shared", strings.ReplaceAll(m.Options.Units, ",", "s and ")+"s", m.Options.Window, m.Options.Overlap))
		if e := s.Embedders; e != nil {
			add("dense vectors", e.Dense)
			add("sparse vectors", e.Sparse)
		}
	}
	return t
}

// inputs returns the tables of the dump.
func (r *Report) inputs() table {
	t := table{Caption: "Tables of the dump", Head: []string{"table", "rows", "XML", "SHA-256 of the XML begins with"}}
	for _, name := range slices.Sorted(maps.Keys(r.o.Manifest.Dump.Tables)) {
		d := r.o.Manifest.Dump.Tables[name]
		t.Rows = append(t.Rows, []string{name, comma(d.Rows), bytesOf(d.Bytes), d.SHA256[:min(16, len(d.SHA256))]})
	}
	return t
}

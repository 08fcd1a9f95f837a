// Package report writes report.html, which describes a build and its contents in one
// file without scripts or requests, for screen and paper.
//
// Its steps:
//
//  1. questions, answers, nodes and edges by graph come from graph/void.ttl, months,
//     scores, tags and links from the manifest: the graph stage has counted them. Of a
//     build without a graph, or one of other tables, package stats counts the rows;
//  2. [readTop] reads the questions of the highest scores from the tables;
//  3. [readExample] chooses a question by the tables and reads its thread from the
//     graph's files; [thread.svg] draws it;
//  4. the manifest and rejects.jsonl supply the omissions, options and times;
//  5. Go code computes the geometry of charts, and page.html has their markup.
//     html/template escapes their text, so that text of posts is never markup.
//
// Time and memory do not grow with the number of posts, unless rows are counted. The same
// build gives the same bytes, except for the stages' times.
package report

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"

	"s2g/cmd/s2g/internal/stats"
	"s2g/ingest"
	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/tables"
	"s2g/schema/vocab"
)

// FileName is the report's name in OUT.
const FileName = "report.html"

// format is the version of the page. A report of another version is not fresh.
const format = 3

// Options selects the build.
type Options struct {
	Out       string // the folder of the build
	Manifest  *manifest.Manifest
	Site      vocab.Site
	Languages []schema.Language
	Other     bool // there is a remainder graph

	// Stats and Figures are the counts of the graph. nil: Gather counts the rows of the
	// tables.
	Stats   *stats.Stats
	Figures *schema.Figures

	Progress func(what string, done, total int64) // receives the name of the work; nil: none
}

// Report is the data of the page.
type Report struct {
	o       Options
	key     string
	stats   *stats.Stats
	order   []int // positions of the graphs with questions, the largest first; that of the whole site only where it is alone
	whole   bool  // there is a graph of the whole site
	figures *schema.Figures
	top     []topQuestion
	example *example
	rejects []ingest.Reject
}

// Gather reads the manifest of the build, its rejects, some rows of its tables and some
// files of its graph.
func Gather(ctx context.Context, db *tables.DB, o Options) (*Report, error) {
	r := &Report{o: o}
	wrap := func(err error) (*Report, error) { return nil, fmt.Errorf("gathering the report: %w", err) }
	var err error
	if r.key, err = Key(o); err != nil {
		return wrap(err)
	}
	if o.Progress == nil {
		o.Progress = func(string, int64, int64) {}
	}
	if r.stats, r.figures = o.Stats, o.Figures; r.stats == nil || r.figures == nil {
		o.Progress("rows of the tables", 0, 0)
		r.stats, r.figures, err = stats.Compute(ctx, db, stats.Options{Site: o.Site, Languages: o.Languages, Other: o.Other, Materialize: o.Manifest.Options.Materialize})
		if err != nil {
			return wrap(err)
		}
	}
	r.order, r.whole = bySize(r.stats.Graphs)
	o.Progress("questions", 0, 0)
	if r.top, err = readTop(ctx, db, o, r.figures.Best); err != nil {
		return wrap(err)
	}
	if r.example, err = readExample(ctx, db, o, r.figures.Examples); err != nil {
		return wrap(err)
	}
	if r.rejects, err = ingest.ReadRejects(o.Out); err != nil {
		return wrap(err)
	}
	return r, nil
}

// bySize returns the positions of the graphs with questions, the largest first, and whether
// one is that of the whole site. That one is left out where there are others: it holds all
// that they hold.
func bySize(graphs []stats.Graph) (order []int, whole bool) {
	for i, g := range graphs {
		whole = whole || g.Tag == schema.SiteTag
		if g.Questions > 0 {
			order = append(order, i)
		}
	}
	if len(order) > 1 {
		order = slices.DeleteFunc(order, func(i int) bool { return graphs[i].Tag == schema.SiteTag })
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(graphs[b].Questions, graphs[a].Questions) })
	return order, whole
}

// stage returns a stage of the manifest, its zero value where the stage has not run.
func (r *Report) stage(name string) manifest.Stage {
	if s := r.o.Manifest.Stages[name]; s != nil {
		return *s
	}
	return manifest.Stage{}
}

// WriteHTML writes the page.
func (r *Report) WriteHTML(w io.Writer) error {
	if err := r.page().write(w); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return nil
}

// keyName is the name of the page's meta element that holds the key.
const keyName = "s2g-build"

// keyWithin is the part of the page, in bytes, that holds the key.
const keyWithin = 4096

// Key returns the key of a report's inputs: the dump, the keys and ends of the stages,
// the options, the tool and format.
func Key(o Options) (string, error) {
	parts := []any{format, o.Manifest.Tool, o.Manifest.Dump, o.Site, o.Languages, o.Other}
	for _, name := range []string{manifest.Ingest, manifest.Graph, manifest.Vectors} {
		if s := o.Manifest.Stages[name]; s != nil {
			parts = append(parts, name, s.Key, s.Finished)
		}
	}
	return manifest.Key(parts...)
}

// Altered reports whether the file named FileName has another content than the report that
// the manifest names.
func Altered(o Options) (bool, error) {
	if o.Manifest.Report == "" {
		return false, nil
	}
	f, err := schema.OpenRegular(filepath.Join(o.Out, FileName))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err == nil {
		defer f.Close()
		sum := sha256.New()
		if _, err = io.Copy(sum, f); err == nil {
			return hex.EncodeToString(sum.Sum(nil)) != o.Manifest.Report, nil
		}
	}
	return false, fmt.Errorf("reading the report of an earlier run: %w", err)
}

// Fresh reports whether OUT has a report with the build's key. Another file named
// FileName is a usage fault.
func Fresh(o Options) (bool, error) {
	key, err := Key(o)
	if err != nil {
		return false, err
	}
	f, err := schema.OpenRegular(filepath.Join(o.Out, FileName))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("reading the report of an earlier run: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, keyWithin))
	if err != nil {
		return false, fmt.Errorf("reading the report of an earlier run: %w", err)
	}
	if len(text) == 0 { // of a full disk: no user's file is lost
		return false, nil
	}
	_, after, ours := bytes.Cut(text, []byte(`<meta name="`+keyName+`" content="`))
	if !ours {
		return false, schema.Faultf(schema.FaultUsage, "give the build a folder of its own, or move the file", "%s is a report.html that s2g has not written", f.Name())
	}
	return bytes.HasPrefix(after, []byte(key+`"`)), nil
}

package report

import (
	"context"
	"fmt"
	"io"

	"s2g/cmd/s2g/internal/stats"
	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/tables"
	"s2g/schema/vocab"
)

// FileName is the report's name in OUT.
const FileName = "report.html"

// format is the version of the page; a build writes the report anew where it is
// of another.
const format = 1

// otherName is what the remainder graph is called.
const otherName = "(other)"

// Options say which build is reported.
type Options struct {
	Out       string // the folder of the build
	Manifest  *manifest.Manifest
	Site      vocab.Site
	Languages []schema.Language
	Other     bool // there is a remainder graph
}

// Report is what the page says, as numbers.
type Report struct {
	o       Options
	key     string
	stats   *stats.Stats
	order   []int // positions of the graphs with questions, those with most questions first
	survey  *survey
	example *example // nil where there is no question
	rejects []reject
}

// Gather reads the tables of the build, its manifest and its rejects.
func Gather(ctx context.Context, db *tables.DB, o Options) (*Report, error) {
	r, err := gather(ctx, db, o)
	if err != nil {
		return nil, fmt.Errorf("gathering the report: %w", err)
	}
	return r, nil
}

func gather(ctx context.Context, db *tables.DB, o Options) (*Report, error) {
	r := &Report{o: o}
	var err error
	if r.key, err = Key(o); err != nil {
		return nil, err
	}
	if r.stats, err = stats.Compute(ctx, db, stats.Options{Site: o.Site, Languages: o.Languages, Other: o.Other, Materialize: o.Manifest.Options.Materialize}); err != nil {
		return nil, err
	}
	r.order = bySize(r.stats.Graphs)
	survey, index, err := takeSurvey(ctx, db, o.Languages, o.Other, r.order[:min(len(r.order), matrixLanguages)])
	if err != nil {
		return nil, err
	}
	r.survey = survey
	if r.example, err = drawExample(ctx, db, index, &survey.candidates, o); err != nil {
		return nil, err
	}
	r.rejects, err = readRejects(o.Out)
	return r, err
}

// WriteHTML writes the page.
func (r *Report) WriteHTML(w io.Writer) error {
	if err := r.page().write(w); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return nil
}

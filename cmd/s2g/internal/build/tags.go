package build

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"s2g/cmd/s2g/internal/spelling"
	"s2g/ingest/dump"
	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/tables"
)

// NoQuestion is the fault of a build whose languages no question of the dump has. Its graph would be empty.
type NoQuestion struct {
	Tags []dump.TagCount // the largest of the dump
	err  error
}

// Error returns the message of the usage fault.
func (e *NoQuestion) Error() string { return e.err.Error() }

// Unwrap returns the usage fault.
func (e *NoQuestion) Unwrap() error { return e.err }

// largestTags is the number of tags that a NoQuestion names.
const largestTags = 10

// noQuestion returns the fault. counts are all tags of the dump.
func (o *Options) noQuestion(counts []dump.TagCount) error {
	counts = slices.DeleteFunc(slices.Clone(counts), func(t dump.TagCount) bool { return t.Count < 1 })
	slices.SortStableFunc(counts, func(a, b dump.TagCount) int { return int(min(max(b.Count-a.Count, -1), 1)) })
	counts = counts[:min(len(counts), largestTags)]
	which := "any of the chosen languages"
	if slices.Equal(o.Shape.Languages, schema.DefaultLanguages()) {
		which = fmt.Sprintf("any of the %d default languages", len(o.Shape.Languages))
	}
	if len(counts) == 0 {
		return &NoQuestion{err: schema.Faultf(schema.FaultUsage, "give option whole-site", "no question of the dump is in %s, and none has a tag", which)}
	}
	var words, names []string
	for _, t := range counts {
		words = append(words, fmt.Sprintf("%s (%d)", t.Tag, t.Count))
		names = append(names, t.Tag)
	}
	return &NoQuestion{Tags: counts, err: schema.Faultf(schema.FaultUsage, "give option languages "+strings.Join(names, ",")+", or option whole-site for all questions",
		"no question of the dump is in %s; its largest tags are %s", which, strings.Join(words, ", "))}
}

// coversAll reports whether questions of any tag have a graph.
func coversAll(s manifest.Options) bool { return s.Other || s.WholeSite }

// checkTags compares the chosen languages with the tags of a dump. It returns a warning for each that the dump does not
// have, and a [NoQuestion] if it has none. Few sites have all default languages, so these are no warning.
func (o *Options) checkTags(counts []dump.TagCount) (warnings []string, err error) {
	var known []string
	for _, t := range counts {
		if t.Count > 0 {
			known = append(known, t.Tag)
		}
	}
	if len(known) == 0 {
		return nil, nil
	}
	found := false
	for _, l := range o.Shape.Languages {
		if slices.Contains(known, l.Tag) {
			found = true
			continue
		}
		warning := "no question of the dump has the tag " + l.Tag
		if near := spelling.Nearest(strings.ToLower(l.Tag), known); near != "" {
			warning += "; did you mean " + near + "?"
		}
		warnings = append(warnings, warning)
	}
	if slices.Equal(o.Shape.Languages, schema.DefaultLanguages()) {
		warnings = nil
	}
	if !found && !coversAll(o.Shape) {
		return warnings, o.noQuestion(counts)
	}
	return warnings, nil
}

// CheckTags returns a [NoQuestion] if no question of the dump has a chosen language, and a warning for each unknown tag
// among known ones, as far as the list of tags is cheap to reach. A build of the given stages runs it before all else.
func (o *Options) CheckTags(ctx context.Context, m *manifest.Manifest, stages []string) (warnings []string, err error) {
	if o.Dump == "" || !slices.Contains(stages, manifest.Graph) && !slices.Contains(stages, manifest.Vectors) {
		return nil, nil
	}
	plan, err := o.ingestPlan(m)
	if err != nil || m.Fresh(manifest.Ingest, plan.Key) && !o.languagesChange(m, stages) {
		return nil, err // nothing is read for a build that is up to date
	}
	_, tags, err := o.Examine(ctx, plan.Dump)
	if err != nil {
		return nil, err
	}
	return o.checkTags(tags)
}

// languagesChange reports whether one of the stages is missing in the build or has other languages.
func (o *Options) languagesChange(m *manifest.Manifest, stages []string) bool {
	for _, stage := range []string{manifest.Graph, manifest.Vectors} {
		if !slices.Contains(stages, stage) {
			continue
		}
		if m.Stages[stage] == nil || !slices.Equal(languageTags(optionsOf(m, stage)), languageTags(o.Shape)) {
			return true
		}
	}
	return false
}

// checkQuestions returns a [NoQuestion] if no question of the tables has a chosen language. A build runs it between ingest
// and the stages that follow, because the dump's list of tags may be out of reach before, or wrong.
func (b *Build) checkQuestions(ctx context.Context, db *tables.DB) error {
	if b.asked || coversAll(b.Options.Shape) {
		return nil
	}
	var parts []string
	var tags []any
	for _, l := range b.Options.Shape.Languages {
		parts, tags = append(parts, "LOCATE(?, Tags) > 0"), append(tags, "|"+l.Tag+"|")
	}
	query := "SELECT 1 FROM Posts WHERE PostTypeId = 1 AND (" + strings.Join(parts, " OR ") + ") LIMIT 1"
	err := db.EachRow(ctx, query, func([][]byte) error {
		b.asked = true
		return nil
	}, tags...)
	if err != nil {
		return fmt.Errorf("looking for a question of the chosen languages: %w", err)
	}
	if b.asked {
		return nil
	}
	counts, err := countTags(ctx, db)
	if err != nil {
		return fmt.Errorf("counting the tags of questions: %w", err)
	}
	return b.Options.noQuestion(counts)
}

// countTags counts the tags of all questions.
func countTags(ctx context.Context, db *tables.DB) ([]dump.TagCount, error) {
	number := map[string]int64{}
	err := db.EachRow(ctx, "SELECT Tags FROM Posts WHERE PostTypeId = 1 AND Tags IS NOT NULL", func(row [][]byte) error {
		for tag := range schema.SplitTags(row[0]) {
			number[string(tag)]++
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var counts []dump.TagCount
	for tag, n := range number {
		counts = append(counts, dump.TagCount{Tag: tag, Count: n})
	}
	slices.SortFunc(counts, func(a, b dump.TagCount) int { return strings.Compare(a.Tag, b.Tag) })
	return counts, nil
}

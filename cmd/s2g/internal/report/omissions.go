package report

import (
	"maps"
	"slices"
	"strings"

	"s2g/ingest"
	"s2g/schema/manifest"
	"s2g/vectors/text"
)

// outsideGraph names the counters of rows of the dump that are in no graph.
var outsideGraph = []struct{ counter, name string }{
	{"questions_outside", "questions without a selected tag"},
	{"answers_outside", "answers whose question is missing or in no graph"},
	{"comments_outside", "comments on posts in no graph"},
	{"comments_on_wikis", "comments on tag wikis"},
	{"comments_without_post", "comments on posts that are not in the dump"},
	{"votes_without_post", "votes up or down for posts that are not in the dump"},
	{"links_outside", "links with an end in no graph"},
	{"links_repeated", "links that the dump has twice"},
	{"duplicates_not_questions", "duplicates of what is no question"},
	{"accepted_dropped", "accepted answers that are missing or another question's"},
	{"wikis_dropped", "wikis that a tag names and the dump does not have"},
}

// rejected counts the bad rows by class, with the first of each.
func (r *Report) rejected() *countTable {
	var lines []countLine
	for _, class := range slices.Sorted(maps.Keys(r.stage(manifest.Ingest).Errors)) {
		note := ingest.ClassMeaning(class)
		if i := slices.IndexFunc(r.rejects, func(j ingest.Reject) bool { return string(j.Class) == class }); i >= 0 {
			note += ". The first: " + location(r.rejects[i])
		}
		lines = append(lines, countLine{Name: strings.ReplaceAll(class, "_", " "), Note: note, n: r.stage(manifest.Ingest).Errors[class]})
	}
	return newCountTable("Bad data in the dump, by class; rejects.jsonl has the first rows of each", lines)
}

// outside counts the rows of the dump that are in no graph.
func (r *Report) outside() *countTable {
	var lines []countLine
	for _, o := range outsideGraph {
		if n := r.stage(manifest.Graph).Counts[o.counter]; n > 0 {
			lines = append(lines, countLine{Name: o.name, n: n})
		}
	}
	return newCountTable("In the dump, but not in the graph", lines)
}

// cleaned returns the count of each rule of cleaning that dropped something. idle is a
// sentence that names the other rules.
func (r *Report) cleaned() (dropped *countTable, idle string) {
	if r.o.Manifest.Stages[manifest.Vectors] == nil {
		return nil, ""
	}
	counts := r.stage(manifest.Vectors).Counts
	var lines []countLine
	var unused []string
	for _, rule := range text.NoiseRules() {
		if n := counts["dropped_"+strings.ReplaceAll(rule, "-", "_")]; n > 0 {
			lines = append(lines, countLine{Name: rule, Note: text.NoiseRuleMeaning(rule), n: n})
		} else {
			unused = append(unused, rule)
		}
	}
	switch len(unused) {
	case 0:
	case 1:
		idle = "Nothing was dropped by the rule " + unused[0] + "."
	default:
		idle = "Nothing was dropped by the rules " + and(unused) + "."
	}
	return newCountTable("Noise that cleaning dropped from the texts before they were embedded, by rule; the graph has the texts whole", lines), idle
}

// location names the row of a reject. A long value is cut.
func location(j ingest.Reject) string {
	w := "row of " + j.Table
	if j.ID != "" {
		w = j.Table + " " + j.ID
	}
	if j.Column != "" {
		w += ", " + j.Column + " “" + shorten(j.Value, 40) + "”"
	}
	return w
}

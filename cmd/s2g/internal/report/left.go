package report

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"s2g/schema/manifest"
	"s2g/vectors/text"
)

// badData says what became of the rows of a class; see ingest/class.go.
var badData = map[string]string{
	"malformed":         "no XML; left out",
	"long_row":          "longer than a row may be; left out",
	"no_id":             "no Id; left out",
	"duplicate_id":      "an Id that stood before; the first is kept",
	"fabricated_post":   "a post that the publisher has made up; left out",
	"missing_attribute": "something that every row must have is missing; left out",
	"bad_number":        "no number where one must be; NULL, or left out where it is needed",
	"bad_date":          "no date where one must be; NULL, or left out where it is needed",
	"bad_bool":          "neither True nor False; NULL",
	"out_of_range":      "more than its column can hold; NULL, or left out where it is needed",
	"unknown_type":      "a type that no dump had; kept",
	"illegal_reference": "a character that XML does not allow; dropped",
	"invalid_utf8":      "bytes that are no UTF-8; replaced",
}

// cleaning says what the rules drop; see docs/vectors.md.
var cleaning = map[string]string{
	"stack-trace": "frames of stack traces but the first of the asker's own",
	"hex-dump":    "lines of a hex dump after the second",
	"base64":      "encoded files after the first line",
	"repeated":    "a line that stands four times or more in a row, after the first",
	"log":         "lines of a log but the first two, the last and a few with errors",
	"minified":    "the rest of a dense line of code",
	"long-line":   "the rest of a very long line or word",
	"placeholder": "the editor's own description of an image",
}

// WhatRuleDrops says what a rule of cleaning drops; nothing of a rule that there is not.
func WhatRuleDrops(rule string) string { return cleaning[rule] }

// leftOut says why parts of a dump are not in the graph; see graph/counts.go.
var leftOut = []struct{ counter, says string }{
	{"questions_outside", "questions without a selected language"},
	{"answers_outside", "answers whose question is missing or in no graph"},
	{"comments_outside", "comments on posts in no graph"},
	{"comments_on_wikis", "comments on tag wikis"},
	{"comments_without_post", "comments on posts that are not in the dump"},
	{"votes_without_post", "votes up or down for posts that are not in the dump"},
	{"links_outside", "links with an end in no graph"},
	{"links_repeated", "links that stand twice"},
	{"duplicates_not_questions", "duplicates of what is no question"},
	{"accepted_dropped", "accepted answers that are missing or another question's"},
	{"wikis_dropped", "wikis that a tag names and the dump does not have"},
}

// counted is a line with a bar: how often something happened.
type counted struct {
	Name, Says, Count string
	Of                bar
	n                 int64
}

// barsOf gives lines their bars, of one scale.
func barsOf(lines []counted, class string) []counted {
	var most int64
	for _, l := range lines {
		most = max(most, l.n)
	}
	for i := range lines {
		lines[i].Count = comma(lines[i].n)
		lines[i].Of = newBar(most, stackPart{lines[i].n, class})
	}
	return lines
}

func byCount(a, b counted) int { return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(a.Name, b.Name)) }

func (r *Report) stage(name string) manifest.Stage {
	if s := r.o.Manifest.Stages[name]; s != nil {
		return *s
	}
	return manifest.Stage{}
}

// rejected counts the bad rows by class, with the first of each.
func (r *Report) rejected() []counted {
	errors := r.stage(manifest.Ingest).Errors
	var lines []counted
	for _, class := range slices.Sorted(maps.Keys(errors)) {
		says := badData[class]
		for _, j := range r.rejects {
			if j.Class == class {
				says += ". The first: " + j.where()
				break
			}
		}
		lines = append(lines, counted{Name: strings.ReplaceAll(class, "_", " "), Says: says, n: errors[class]})
	}
	slices.SortFunc(lines, byCount)
	return barsOf(lines, "bad")
}

// where says which row it is. A value may be long, and anybody may have written it.
func (j reject) where() string {
	w := "row of " + j.Table
	if j.ID != "" {
		w = j.Table + " " + j.ID
	}
	if j.Column != "" {
		value := []rune(j.Value)
		if len(value) > 40 {
			value = append(value[:39], '…')
		}
		w += ", " + j.Column + " “" + string(value) + "”"
	}
	return w
}

// cleaned counts what the rules of cleaning dropped, all rules named.
func (r *Report) cleaned() []counted {
	if r.o.Manifest.Stages[manifest.Vectors] == nil {
		return nil
	}
	counts := r.stage(manifest.Vectors).Counts
	var lines []counted
	for _, rule := range text.NoiseRules() {
		lines = append(lines, counted{Name: rule, Says: cleaning[rule], n: counts["dropped_"+strings.ReplaceAll(rule, "-", "_")]})
	}
	slices.SortStableFunc(lines, func(a, b counted) int { return cmp.Compare(b.n, a.n) })
	return barsOf(lines, "bad")
}

// idle takes the rules that dropped nothing out of the lines, and names them.
func idle(lines []counted) (used []counted, says string) {
	var names []string
	for _, l := range lines {
		if l.n > 0 {
			used = append(used, l)
		} else {
			names = append(names, l.Name)
		}
	}
	if len(names) > 0 {
		says = "Nothing was dropped by the rules " + and(names) + "."
		if len(names) == 1 {
			says = "Nothing was dropped by the rule " + names[0] + "."
		}
	}
	return used, says
}

// outside counts what is in the dump and in no graph.
func (r *Report) outside() []counted {
	if r.o.Manifest.Stages[manifest.Graph] == nil {
		return nil
	}
	counts := r.stage(manifest.Graph).Counts
	var lines []counted
	for _, l := range leftOut {
		if n := counts[l.counter]; n > 0 {
			lines = append(lines, counted{Name: l.says, n: n})
		}
	}
	slices.SortStableFunc(lines, func(a, b counted) int { return cmp.Compare(b.n, a.n) })
	return barsOf(lines, "bad")
}

// countedLines are lines under a caption.
type countedLines struct {
	Caption string
	Lines   []counted
}

func countedTable(caption string, lines []counted) countedLines { return countedLines{caption, lines} }

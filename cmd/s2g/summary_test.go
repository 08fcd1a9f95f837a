package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"s2g/cmd/s2g/internal/build"
	"s2g/schema/manifest"
)

// Below the table the summary lists what each stage left out.
func TestSummaryListsWhatWasLeftOut(t *testing.T) {
	var b strings.Builder
	err := writeSummary(&b, []build.Outcome{
		{Stage: "ingest", Summary: manifest.Summary{Rows: 3, Errors: map[string]int64{"bad_number": 2, "duplicate_id": 1000}}},
		{Stage: "graph", Fresh: true, Summary: manifest.Summary{Errors: map[string]int64{"bad": 1}}},
		{Stage: "vectors", Summary: manifest.Summary{Counts: map[string]int64{
			"questions": 7, "texts": 9, "dropped_stack_trace": 3, "dropped_long_line": 4, "dropped_log": 0,
			"dense_texts_truncated": 12, "sparse_texts_refused": 1, "texts_without_a_known_term": 2, "dense_retries": 5, "texts_reused": 4,
		}}},
	}, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	want := []string{
		"ingest, bad data: duplicate_id 1,000, bad_number 2",
		"vectors: 4 of 9 texts reused",
		"vectors, dropped by the rules of cleaning: long-line 4, stack-trace 3",
		"vectors, embedded in part or not at all: dense texts truncated 12, texts without",
		"    a known term 2, sparse texts refused 1",
	}
	if diff := cmp.Diff(want, lines[5:]); diff != "" {
		t.Error(diff)
	}
}

// The summary of Stack Overflow's size fits into 80 columns, and has the totals of all stages.
func TestSummaryOfALargeBuildFits(t *testing.T) {
	stage := func(name string) build.Outcome {
		return build.Outcome{Stage: name, XMLBytes: 150 << 30, ServerPeakRSS: 12 << 30, Summary: manifest.Summary{
			Rows: 340_123_456, BytesIn: 151 << 30, BytesOut: 99 << 30, Seconds: 10_800, PeakRSS: 3 << 30, Errors: map[string]int64{"bad_number": 12_345},
		}}
	}
	var b strings.Builder
	if err := writeSummary(&b, []build.Outcome{stage("ingest"), stage("graph"), stage("vectors"), stage("verify"), stage("report")}, 15*time.Hour); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if n := utf8.RuneCountInString(strings.TrimRight(line, " \n")); n > summaryWidth {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	if want := "total  495 GiB  54000.0  3.0 GiB  61,725"; !strings.Contains(strings.Join(strings.Fields(b.String()), "  "), strings.ReplaceAll(want, " GiB", "  GiB")) {
		t.Errorf("no %q in\n%s", want, b.String())
	}
}

// A whole build that has ended well names the next two commands, ready to paste; a failed one and a single stage do not.
func TestSummaryNamesTheNextCommands(t *testing.T) {
	built := []build.Outcome{{Stage: "vectors"}, {Stage: build.Verify}}
	for name, c := range map[string]struct {
		outcomes []build.Outcome
		err      error
		want     string
	}{
		"whole":  {built, nil, "  s2g load qdrant --out 'my build' --url http://localhost:6334\n"},
		"failed": {built, errors.New("different"), ""},
		"stage":  {built[:1], nil, ""},
	} {
		var out bytes.Buffer
		a := newApp(&out, &out)
		if err := a.printSummary("my build", c.outcomes, time.Second, c.err); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(out.String(), "next:"); got != (c.want != "") || !strings.Contains(out.String(), c.want) {
			t.Errorf("%s:\n%s", name, out.String())
		}
	}
	if got := shellQuoted("it's"); got != `'it'\''s'` {
		t.Errorf("%s", got)
	}
}

func TestSearchLineFitsTheSummary(t *testing.T) {
	for _, c := range []struct{ out, text, want string }{
		{"build", "", `  s2g search --out build "how do I read a file line by line"`},
		{"build", "日本語", `  s2g search --out build "日本語"`},
		{"build", "What is the fastest way to calculate the number of unknown nucleotides", `  s2g search --out build "What is the fastest way to calculate the number of"`},
		{strings.Repeat("x", 90), "one two three four", "  s2g search --out " + strings.Repeat("x", 90) + ` "one two three"`},
	} {
		if got := searchLine(c.out, c.text); got != c.want {
			t.Errorf("%s", got)
		}
	}
}

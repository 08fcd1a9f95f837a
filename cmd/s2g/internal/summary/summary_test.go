package summary

import (
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
	err := Write(&b, []build.Outcome{
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
	if err := Write(&b, []build.Outcome{stage("ingest"), stage("graph"), stage("vectors"), stage("verify"), stage("report")}, 15*time.Hour); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if n := utf8.RuneCountInString(strings.TrimRight(line, " \n")); n > Width {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	if want := "total  495 GiB  54000.0  3.0 GiB  61,725"; !strings.Contains(strings.Join(strings.Fields(b.String()), "  "), strings.ReplaceAll(want, " GiB", "  GiB")) {
		t.Errorf("no %q in\n%s", want, b.String())
	}
}

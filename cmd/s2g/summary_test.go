package main

import (
	"strings"
	"testing"

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
	})
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	want := []string{
		"ingest, bad data: duplicate_id 1,000, bad_number 2",
		"vectors, dropped by the rules of cleaning: long-line 4, stack-trace 3",
		"vectors, embedded in part or not at all: dense texts truncated 12, texts without a known term 2, sparse texts refused 1",
	}
	if diff := cmp.Diff(want, lines[4:]); diff != "" {
		t.Error(diff)
	}
}

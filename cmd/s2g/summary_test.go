package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"s2g/cmd/s2g/internal/build"
)

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
}

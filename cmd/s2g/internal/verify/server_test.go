package verify

import (
	"context"
	"errors"
	"strings"
	"testing"

	"s2g/cmd/s2g/internal/oracle"
	"s2g/schema"
)

// stand is a server that says what it is told to.
type stand struct {
	checks []Check
	err    error
	found  *Contents
}

func (s *stand) Compare(_ context.Context, f *Contents) ([]Check, error) {
	s.found = f
	return s.checks, s.err
}

func TestServers(t *testing.T) {
	out := newFixture(t).write(t)
	good := &stand{checks: []Check{newCheck("here", "quads")}}
	report, err := Run(t.Context(), out, nil, Options{Servers: []Server{good}})
	if err != nil {
		t.Fatal(err)
	}
	if last := report.Checks[len(report.Checks)-1]; last.Name != "here" {
		t.Errorf("the last check is %s", last.Name)
	}
	var python GraphContents
	for _, g := range good.found.Graphs {
		if g.Tag == "python" {
			python = g
		}
	}
	question, _ := oracle.LookupTerm("Question")
	if python.Points != 3 || python.Posts != 2 || python.Quads[question].Count != 2 || python.Slug != "python" {
		t.Errorf("python: %d points of %d posts, %d questions", python.Points, python.Posts, python.Quads[question].Count)
	}

	bad := newCheck("there", "points")
	bad.differ("point 7 is missing")
	_, err = report.Contents.CompareServers(t.Context(), good, &stand{checks: []Check{bad}})
	if fault, _ := schema.FaultOf(err); fault != schema.FaultVerification || !strings.Contains(err.Error(), "there: point 7") {
		t.Errorf("fault %v: %v", fault, err)
	}
	lost := schema.Faultf(schema.FaultService, "run again", "gone")
	whole := len(report.Checks)
	report, err = Run(t.Context(), out, nil, Options{Servers: []Server{good, &stand{err: lost}}})
	if fault, _ := schema.FaultOf(err); !errors.Is(err, lost) || fault != schema.FaultService || len(report.Checks) != whole {
		t.Errorf("a server that is lost: %v, with %d of %d checks", err, len(report.Checks), whole)
	}
}

package verify

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"s2g/schema"
)

// fakeServer returns given checks.
type fakeServer struct {
	checks []Check
	err    error
	build  *Contents
}

func (s *fakeServer) Compare(_ context.Context, c *Contents) ([]Check, error) {
	s.build = c
	return s.checks, s.err
}

func TestServersAreComparedLast(t *testing.T) {
	out := newFixture(t).write(t)
	good := &fakeServer{checks: []Check{newCheck("here", "quads")}}
	report, err := Run(t.Context(), out, nil, Options{Servers: []Server{good}})
	if err != nil {
		t.Fatal(err)
	}
	if last := report.Checks[len(report.Checks)-1]; last.Name != "here" {
		t.Errorf("the last check is %s", last.Name)
	}
	g := slices.IndexFunc(good.build.graphs, func(g namedGraph) bool { return g.tag == "python" })
	shards, quads := good.build.shardTallies[g], good.build.graphQuads[g]
	posts := shards.posts[question].Count + shards.posts[answer].Count
	if shards.points != 3 || posts != 2 || quads[question.class()].Count != 2 || good.build.graphs[g].slug != "python" {
		t.Errorf("python: %d points of %d posts, %d questions", shards.points, posts, quads[question.class()].Count)
	}

	bad := newCheck("there", "points")
	bad.differ("point 7 is missing")
	_, err = report.Contents.CompareServers(t.Context(), good, &fakeServer{checks: []Check{bad}})
	if fault, _ := schema.FaultOf(err); fault != schema.FaultVerification || !strings.Contains(err.Error(), "there: point 7") {
		t.Errorf("fault %v: %v", fault, err)
	}
	lost := schema.Faultf(schema.FaultService, "run again", "gone")
	whole := len(report.Checks)
	report, err = Run(t.Context(), out, nil, Options{Servers: []Server{good, &fakeServer{err: lost}}})
	if fault, _ := schema.FaultOf(err); !errors.Is(err, lost) || fault != schema.FaultService || len(report.Checks) != whole {
		t.Errorf("a server that is lost: %v, with %d of %d checks", err, len(report.Checks), whole)
	}
}

package graph

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"s2g/graph/trig"
	"s2g/ingest/sample"
	"s2g/schema/schematest"
	"s2g/schema/vocab"
)

// A build with a pool of any size ends, with the same bytes.
func TestSmallPools(t *testing.T) {
	schematest.Long(t)
	folder := t.TempDir()
	if _, err := sample.Write(t.Context(), sample.Options{Posts: 9000, Out: folder}); err != nil {
		t.Fatal(err)
	}
	db := load(t, folder)
	o := Options{Site: vocab.StackOverflow, Compress: "none", batch: 5000, Workers: 1}
	want := contents(t, buildGraph(t, db, o))
	for _, c := range []struct{ workers, fragment, poolSize int }{
		{1, 1 << 10, 1},
		{4, 1 << 10, 1}, // a fragment at a time
		{4, 100 << 10, 4 << 20},
		{9, 100 << 10, fragmentCapacity},
	} {
		o.Workers, o.fragment, o.poolSize = c.workers, c.fragment, c.poolSize
		if diff := cmp.Diff(want, contents(t, buildGraph(t, db, o))); diff != "" {
			t.Errorf("%+v: %.2000s", c, diff)
		}
	}
}

func TestFragmentPool(t *testing.T) {
	const room = 4 * fragmentCapacity
	s, next, later := newFragmentPool(room), new(unit), new(unit)
	s.setNext(next)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	take := func(u *unit) *trig.Fragment { // nil: it would wait
		f, _ := s.take(ended, u)
		return f
	}
	fill := func(u *unit) (taken []*trig.Fragment) {
		for f := take(u); f != nil && len(taken) < 20; f = take(u) {
			taken = append(taken, f)
		}
		return taken
	}
	three := fill(later)
	if len(three) != 3 {
		t.Fatalf("a unit that is not the next has %d fragments, want 3 of 4", len(three))
	}
	s.addWriting(+1)
	if n := len(fill(next)); n != 1 {
		t.Errorf("while a file is written the next unit has %d fragments more, want 1", n)
	}
	s.addWriting(-1)
	if take(next) == nil {
		t.Error("the next unit waits, though nothing will free room")
	}
	s.release(three[0])
	s.hold(three[1])
	s.release(three[1])
	if s.bytes != 4*fragmentCapacity {
		t.Errorf("%d bytes in use, want %d: one of five is released, one has another holder", s.bytes, 4*fragmentCapacity)
	}
	three[2].Grow(maxReused + 1)
	s.recount(three[2])
	if s.bytes <= 4*fragmentCapacity+maxReused-fragmentCapacity {
		t.Errorf("%d bytes in use: the growth of a fragment is not counted", s.bytes)
	}
	s.release(three[2])
	if s.bytes != 3*fragmentCapacity || len(s.free) != 1 {
		t.Errorf("%d bytes in use and %d free fragments, want %d and 1: the large one is dropped", s.bytes, len(s.free), 3*fragmentCapacity)
	}

	// A waiting worker proceeds as soon as there is room.
	took := make(chan error)
	go func() {
		_, err := s.take(t.Context(), later)
		took <- err
	}()
	s.release(three[1])
	if err := <-took; err != nil {
		t.Error(err)
	}
}

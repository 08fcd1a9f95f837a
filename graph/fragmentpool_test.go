package graph

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"s2g/graph/trig"
	"s2g/ingest/sample"
)

// However little room there is, a build comes to its end, with the same bytes.
func TestLittleRoom(t *testing.T) {
	folder := t.TempDir()
	if _, err := sample.Write(t.Context(), sample.Options{Posts: 9000, Out: folder}); err != nil {
		t.Fatal(err)
	}
	db := load(t, folder)
	o := Options{Compress: "none", batch: 5000, Workers: 1}
	want := contents(t, build1(t, db, o))
	for _, c := range []struct{ workers, fragment, room int }{
		{1, 1 << 10, 1},
		{4, 1 << 10, 1}, // a fragment at a time
		{4, 100 << 10, 4 << 20},
		{9, 100 << 10, fragmentRoom},
	} {
		o.Workers, o.fragment, o.room = c.workers, c.fragment, c.room
		if diff := cmp.Diff(want, contents(t, build1(t, db, o))); diff != "" {
			t.Errorf("%+v: %.2000s", c, diff)
		}
	}
}

func TestShelf(t *testing.T) {
	const room = 4 * fragmentRoom
	s, next, later := newShelf(room), new(unit), new(unit)
	s.collecting(next)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	take := func(u *unit) *trig.Fragment { // nil: it would have to wait
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
	s.writes(+1)
	if n := len(fill(next)); n != 1 {
		t.Errorf("while a file is written the next unit has %d fragments more, want 1", n)
	}
	s.writes(-1)
	if take(next) == nil {
		t.Error("the next unit waits, though nothing is going to give room back")
	}
	s.release(three[0])
	s.hold(three[1])
	s.release(three[1])
	if s.bytes != 4*fragmentRoom {
		t.Errorf("%d bytes in use, want %d: one of five was let go of, one has another holder", s.bytes, 4*fragmentRoom)
	}
	three[2].Grow(keepFragment + 1)
	s.filled(three[2])
	if s.bytes <= 4*fragmentRoom+keepFragment-fragmentRoom {
		t.Errorf("%d bytes in use: what a fragment has grown by is not counted", s.bytes)
	}
	s.release(three[2])
	if s.bytes != 3*fragmentRoom || len(s.free) != 1 {
		t.Errorf("%d bytes in use and %d fragments to use again, want %d and 1: the large one is gone", s.bytes, len(s.free), 3*fragmentRoom)
	}

	// Whoever waits goes on when there is room.
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

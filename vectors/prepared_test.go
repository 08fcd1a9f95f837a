package vectors

import (
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"s2g/vectors/text"
)

// What is kept of the sample is bounded, and goes out once.
func TestKeptIsBounded(t *testing.T) {
	const size = keptBytes / 4
	var k kept
	for id := range int64(6) {
		k.put(id, prepared{text: strings.Repeat("a", size/2), chunks: []text.Chunk{{Text: "b"}, {Text: strings.Repeat("c", size/2-1)}}})
	}
	for id := range int64(6) {
		r, ok := k.take(id)
		if ok != (id < 4) || ok && len(r.chunks) != 2 {
			t.Errorf("post %d: %v, %d chunks", id, ok, len(r.chunks))
		}
		if _, again := k.take(id); again {
			t.Errorf("post %d is there twice", id)
		}
	}
}

// A worker that is lent does what it is given, and can be lent again; without one the caller does it.
func TestSpare(t *testing.T) {
	s := make(spare, 1)
	var group errgroup.Group
	inline := false
	if err := s.run(&group, func() error { inline = true; return nil }); err != nil || !inline {
		t.Errorf("without a spare worker: %v", err)
	}
	s.lend()
	for range 3 {
		begun, end := make(chan bool), make(chan bool)
		err := s.run(&group, func() error { begun <- true; <-end; return nil })
		if err != nil {
			t.Fatal(err)
		}
		<-begun // so it is not the caller who works
		second := false
		if err := s.run(&group, func() error { second = true; return nil }); err != nil || !second {
			t.Errorf("with a busy worker: %v", err)
		}
		close(end)
		if err := group.Wait(); err != nil {
			t.Fatal(err)
		}
	}
}

package graph

import (
	"context"
	"sync"

	"s2g/graph/trig"
)

const (
	fragmentSize = 512 << 10 // bytes of text after which a fragment is passed on
	fragmentRoom = 576 << 10 // with that of the post that passes the size
	keepFragment = 2 << 20   // a fragment that a huge post made larger is not used again

	// shelfSize is how many bytes of fragments there may be at once. The last
	// quarter is for the unit that is being collected.
	shelfSize = 40 << 20
)

// shelf is where fragments come from and return to. It bounds the memory of all
// workers and writers together: a worker whose unit is not the next to be
// collected waits for room. The one whose unit is next waits only as long as
// files are being written, which give room back; else it must go on, because
// nothing else can.
type shelf struct {
	size int // bytes

	mu      sync.Mutex
	free    []*trig.Fragment
	used    map[*trig.Fragment]use
	bytes   int // of those in use
	next    *unit
	writing int           // batches
	change  chan struct{} // closed when a worker that waits may look again
}

// use is how a fragment is used.
type use struct {
	holders int // a worker or the assembler; batches
	bytes   int // that it is counted with
}

func newShelf(size int) *shelf {
	return &shelf{size: size, used: map[*trig.Fragment]use{}, change: make(chan struct{})}
}

// take returns an empty fragment for a unit, when there is room. It has one holder.
func (s *shelf) take(ctx context.Context, u *unit) (*trig.Fragment, error) {
	for {
		s.mu.Lock()
		if s.mayTake(u) {
			f := s.fresh()
			s.used[f] = use{holders: 1, bytes: f.Cap()}
			s.bytes += f.Cap()
			s.mu.Unlock()
			return f, nil
		}
		change := s.change
		s.mu.Unlock()
		select {
		case <-change:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (s *shelf) mayTake(u *unit) bool {
	if u == s.next {
		return s.bytes < s.size || s.writing == 0
	}
	return s.bytes < s.size/4*3
}

func (s *shelf) fresh() *trig.Fragment {
	if n := len(s.free); n > 0 {
		f := s.free[n-1]
		s.free = s.free[:n-1]
		return f
	}
	f := new(trig.Fragment)
	f.Grow(fragmentRoom)
	return f
}

// filled counts what a fragment has grown by.
func (s *shelf) filled(f *trig.Fragment) {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.used[f]
	s.bytes += f.Cap() - u.bytes
	u.bytes = f.Cap()
	s.used[f] = u
}

// hold adds a holder to a fragment.
func (s *shelf) hold(f *trig.Fragment) {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.used[f]
	u.holders++
	s.used[f] = u
}

// release takes a holder from each fragment. The last one's returns to the shelf.
func (s *shelf) release(fragments ...*trig.Fragment) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range fragments {
		u := s.used[f]
		if u.holders--; u.holders > 0 {
			s.used[f] = u
			continue
		}
		delete(s.used, f)
		s.bytes -= u.bytes
		if u.bytes <= keepFragment {
			f.Reset()
			s.free = append(s.free, f)
		}
	}
	s.changed()
}

// collecting says which unit is collected now.
func (s *shelf) collecting(u *unit) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next = u
	s.changed()
}

// writes adds to the number of batches that are being written.
func (s *shelf) writes(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writing += n
	s.changed()
}

func (s *shelf) changed() {
	close(s.change)
	s.change = make(chan struct{})
}

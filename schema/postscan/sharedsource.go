package postscan

import (
	"context"
	"math"
	"slices"

	"s2g/schema/tables"
)

// sharedSource is the Source of one stage in a Shared. Shared.mu guards its fields.
type sharedSource struct {
	*Shared
	selection Selection

	begun, closed bool
	next          int64          // the first id of the next range, at least
	open          []*sharedRange // not read to their ends
}

// low returns the least id that the stage can need. The caller holds mu.
func (s *sharedSource) low() int64 {
	if s.closed {
		return math.MaxInt64
	}
	low := s.next
	for _, r := range s.open {
		low = min(low, r.at)
	}
	return low
}

func (s *sharedSource) Begin(first int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begun, s.next = true, first
	s.changed.Broadcast()
}

func (s *sharedSource) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed, s.open = true, nil
	s.drop()
}

// Range opens a range. One that begins before the ranges that the stage may still open is a
// query of its own, because its rows may have been dropped.
func (s *sharedSource) Range(lo, hi int64) Range {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.begun || s.closed || lo < s.next {
		return Table{s.db, s.selection}.Range(lo, hi)
	}
	r := &sharedRange{source: s, at: lo, hi: hi}
	s.open = append(s.open, r)
	if s.next = hi; hi < math.MaxInt64 {
		s.next = hi + 1
	}
	s.drop()
	return r
}

// sharedRange is a range of rows that a Shared reads.
type sharedRange struct {
	source *sharedSource
	at, hi int64 // the ids that are not read
	ended  bool  // no id is left
}

func (r *sharedRange) Each(ctx context.Context, use func(row [][]byte) error) error {
	defer context.AfterFunc(ctx, r.source.wake)()
	types := r.source.selection.Types
	for {
		p, err := r.nextPiece(ctx)
		if p == nil || err != nil {
			return err
		}
		err = p.each(r.at, r.hi, func(row [][]byte) error {
			if types != nil && !slices.Contains(types, tables.Int(row[Type])) {
				return nil
			}
			return use(row)
		})
		if err != nil {
			return err
		}
		r.pass(p.last())
	}
}

// nextPiece waits for the next piece with rows of the range. It returns nil at the end.
func (r *sharedRange) nextPiece(ctx context.Context) (*piece, error) {
	s := r.source
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p, ended := r.find()
		if p != nil {
			return p, nil
		}
		if ended {
			s.open = slices.DeleteFunc(s.open, func(other *sharedRange) bool { return other == r })
			s.drop()
			return nil, nil
		}
		if s.err != nil {
			return nil, s.err
		}
		s.changed.Wait()
	}
}

// find returns the next piece with rows of the range if it is read, or that there is none.
func (r *sharedRange) find() (p *piece, ended bool) {
	if r.ended {
		return nil, true
	}
	for _, b := range r.source.blocks {
		if b.hi < r.at {
			continue
		}
		if b.lo > r.hi {
			return nil, true
		}
		for _, p := range b.pieces {
			if p.ids[0] > r.hi {
				return nil, true
			}
			if p.last() >= r.at {
				return p, false
			}
		}
		if !b.complete || b.hi >= r.hi {
			return nil, b.complete
		}
	}
	return nil, r.source.ended
}

// pass moves the range behind an id.
func (r *sharedRange) pass(id int64) {
	s := r.source
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.ended = id >= r.hi; !r.ended {
		r.at = id + 1
	}
	s.drop()
}

package verify

import (
	"context"
	"sync"
)

// shelf is files in the order of their posts, of which those are read that are
// needed.
type shelf struct {
	files []file
	found []reach
	read  func(f file, r *reach)
}

// reach is what a file was found to hold.
type reach struct {
	once        sync.Once
	first, last int64 // posts; first is above last where it has none
	count       int64 // of quads or points
	bad         string
	err         error
}

func newShelf(files []file, read func(file, *reach)) *shelf {
	return &shelf{files, make([]reach, len(files)), read}
}

// look reads a file, once.
func (s *shelf) look(i int) *reach {
	r := &s.found[i]
	r.once.Do(func() {
		r.first, r.last = 1, 0
		s.read(s.files[i], r)
	})
	return r
}

// find reads files until it has read those that a post must be in: a post at
// the edge of a file goes on in the next one. Files without posts come last. It
// returns the number of a file with the post, -1 where none has it.
func (s *shelf) find(ctx context.Context, post int64) (int, error) {
	low, high := 0, len(s.files)-1
	for low <= high {
		if err := ctx.Err(); err != nil {
			return -1, err
		}
		at := low + (high-low)/2
		switch r := s.look(at); {
		case r.err != nil:
			return -1, r.err
		case r.first > r.last || post < r.first:
			high = at - 1
		case post > r.last:
			low = at + 1
		default:
			for i := at; i > 0 && s.look(i).first == post; i-- {
				s.look(i - 1)
			}
			for i := at; i+1 < len(s.files) && (s.look(i).last == post || i > at && s.look(i).first > s.look(i).last); i++ {
				s.look(i + 1)
			}
			return at, nil
		}
	}
	return -1, nil
}

// sum adds what was read to a check.
func (s *shelf) sum(c *Check) error {
	for i := range s.found {
		r := &s.found[i]
		if r.err != nil {
			return r.err
		}
		if r.bad != "" {
			c.differ("%s", r.bad)
		}
	}
	return nil
}

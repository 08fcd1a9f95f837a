package verify

import (
	"context"
	"sort"
	"sync"
)

// shelf is files in the order of their posts, of which those are read that are
// needed.
type shelf struct {
	files []file
	found []reach
	// glance reads up to some post of a file, which is quick; 0: it has none, or
	// cannot be read.
	glance func(file) int64
	read   func(f file, r *reach)
}

// reach is what a file was found to hold.
type reach struct {
	glance      sync.Once
	some        int64 // a post
	once        sync.Once
	first, last int64 // posts; first is above last where it has none
	count       int64 // of quads or points
	bad         string
	err         error
}

func newShelf(files []file, glance func(file) int64, read func(file, *reach)) *shelf {
	return &shelf{files, make([]reach, len(files)), glance, read}
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

// beyond tells whether all posts of the files from here on may come after a post.
// Files without posts, those of tags, come last.
func (s *shelf) beyond(i int, post int64) bool {
	r := &s.found[i]
	r.glance.Do(func() { r.some = s.glance(s.files[i]) })
	return r.some == 0 || r.some > post
}

// find reads the files that a post must be in, whole. It returns the number of
// one of them, -1 where none has it.
func (s *shelf) find(ctx context.Context, post int64) (int, error) {
	if err := ctx.Err(); err != nil {
		return -1, err
	}
	// The post that was seen of a file may be one of its last: the file before it, or this one.
	after := sort.Search(len(s.files), func(i int) bool { return s.beyond(i, post) })
	for at := max(after-1, 0); at <= after && at < len(s.files); at++ {
		r := s.look(at)
		if r.err != nil {
			return -1, r.err
		}
		if post < r.first || post > r.last {
			continue
		}
		// A post at the edge of a file goes on in the next one.
		for i := at; i > 0 && s.look(i).first == post; i-- {
			s.look(i - 1)
		}
		for i := at; i+1 < len(s.files) && (s.look(i).last == post || i > at && s.look(i).first > s.look(i).last); i++ {
			s.look(i + 1)
		}
		return at, nil
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

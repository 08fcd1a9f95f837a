package verify

import (
	"slices"
	"testing"
)

// Files may begin and end inside of posts.
func TestFileLocatorReadsNoOtherFiles(t *testing.T) {
	type part struct{ first, last int64 }
	for _, c := range []struct {
		parts []part
		post  int64
		found bool
		read  []int
	}{
		{[]part{{1, 5}, {6, 9}, {12, 12}, {1, 0}}, 3, true, []int{0}},
		{[]part{{1, 5}, {6, 9}, {12, 12}, {1, 0}}, 5, true, []int{0, 1}},
		{[]part{{1, 5}, {6, 9}, {12, 12}, {1, 0}}, 6, true, []int{0, 1}},
		{[]part{{1, 5}, {6, 9}, {12, 12}, {1, 0}}, 12, true, []int{1, 2, 3}},
		{[]part{{1, 5}, {6, 9}, {12, 12}, {1, 0}}, 10, false, []int{1, 2}},
		{[]part{{1, 5}, {5, 5}, {5, 5}, {5, 8}}, 5, true, []int{0, 1, 2, 3}},
		{[]part{{1, 0}, {1, 0}}, 5, false, []int{0}},
		{nil, 5, false, nil},
	} {
		for _, peeked := range []string{"first", "last"} {
			files := make([]file, len(c.parts))
			for i := range files {
				files[i].size = int64(i)
			}
			var read []int
			l := newFileLocator(files, func(f file) int64 {
				if p := c.parts[f.size]; p.first > p.last {
					return 0
				} else if peeked == "first" {
					return p.first
				}
				return c.parts[f.size].last
			}, func(f file, r *fileRange) {
				r.first, r.last = c.parts[f.size].first, c.parts[f.size].last
				read = append(read, int(f.size))
			})
			at, found, err := l.locate(t.Context(), c.post)
			slices.Sort(read)
			if found != c.found || err != nil || !slices.Equal(read, c.read) {
				t.Errorf("post %d in %v, peek returns the %s: %v, %v read (%v), want %v, %v", c.post, c.parts, peeked, found, read, err, c.found, c.read)
			}
			if p := append(c.parts, part{})[at]; found && (c.post < p.first || c.post > p.last) {
				t.Errorf("post %d is not in file %d of %v", c.post, at, c.parts)
			}
		}
	}
}

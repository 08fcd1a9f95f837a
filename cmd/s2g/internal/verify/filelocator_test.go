package verify

import (
	"slices"
	"testing"
)

// Posts are found in files that begin and end inside of them.
func TestShelf(t *testing.T) {
	type part struct{ first, last int64 }
	const none = -1
	for _, c := range []struct {
		parts []part
		post  int64
		at    int
		read  []int // in the end, where the first post of a file is seen, and where its last
		last  []int
	}{
		{[]part{{1, 5}, {6, 9}, {12, 12}, {1, 0}}, 3, 0, []int{0}, []int{0}},
		{[]part{{1, 5}, {6, 9}, {12, 12}, {1, 0}}, 5, 0, []int{0, 1}, []int{0, 1}},
		{[]part{{1, 5}, {6, 9}, {12, 12}, {1, 0}}, 6, 1, []int{0, 1}, []int{0, 1}},
		{[]part{{1, 5}, {6, 9}, {12, 12}, {1, 0}}, 12, 2, []int{1, 2, 3}, []int{1, 2, 3}},
		{[]part{{1, 5}, {6, 9}, {12, 12}, {1, 0}}, 10, none, []int{1, 2}, []int{1, 2}},
		{[]part{{1, 5}, {5, 5}, {5, 5}, {5, 8}}, 5, 3, []int{0, 1, 2, 3}, []int{0, 1, 2, 3}},
		{[]part{{1, 0}, {1, 0}}, 5, none, []int{0}, []int{0}},
		{nil, 5, none, nil, nil},
	} {
		for _, seen := range []string{"first", "last"} {
			files := make([]file, len(c.parts))
			for i := range files {
				files[i].size = int64(i)
			}
			var read []int
			s := newShelf(files, func(f file) int64 {
				if p := c.parts[f.size]; p.first > p.last {
					return 0
				} else if seen == "first" {
					return p.first
				}
				return c.parts[f.size].last
			}, func(f file, r *reach) {
				r.first, r.last = c.parts[f.size].first, c.parts[f.size].last
				read = append(read, int(f.size))
			})
			at, err := s.find(t.Context(), c.post)
			slices.Sort(read)
			want := c.read
			if seen == "last" {
				want = c.last
			}
			if at < 0 != (c.at < 0) || err != nil || !slices.Equal(read, want) {
				t.Errorf("post %d in %v, %s seen: at %d, %v read (%v), want %d, %v", c.post, c.parts, seen, at, read, err, c.at, want)
			}
		}
	}
}

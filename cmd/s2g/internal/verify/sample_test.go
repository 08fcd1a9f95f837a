package verify

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"s2g/schema"
	"s2g/schema/tables"
)

// unsampled are the damages that a sample of all posts does not see: it is of the
// order of files, of shards beside each other, or of hashes alone.
var unsampled = []string{"batch that is not full", "batch out of line", "byte flipped", "part again", "dimensions"}

func testSample(t *testing.T, db *tables.DB) {
	o := Options{Sample: 100}
	report, err := Sample(t.Context(), newFixture(t).write(t), db, o)
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, c := range report.Checks {
		said = append(said, fmt.Sprintf("%s %d", c.Name, c.Count))
	}
	if want := []string{"files 6", "graph 236", "points 5"}; !slices.Equal(said, want) {
		t.Errorf("checks %v, want %v", said, want)
	}
	for name, c := range damages {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			c.damage(f)
			out := f.write(t)
			if f.after != nil {
				f.after(t, out)
			}
			_, err := Sample(t.Context(), out, db, o)
			if slices.Contains(unsampled, name) {
				if err != nil {
					t.Errorf("it was found: %v", err)
				}
				return
			}
			if fault, _ := schema.FaultOf(err); err == nil || fault != schema.FaultVerification {
				t.Errorf("error %v, want a verification fault", err)
			}
		})
	}
	t.Run("hashes", func(t *testing.T) {
		f := newFixture(t)
		damages["byte flipped"].damage(f)
		out := f.write(t)
		f.after(t, out)
		_, err := Sample(t.Context(), out, db, Options{Sample: 1, Hash: true})
		if err == nil || !strings.Contains(err.Error(), "vectors/cpp/part-00000.parquet has the SHA-256") {
			t.Errorf("error %v", err)
		}
	})
	t.Run("some", func(t *testing.T) {
		for seed := range uint64(5) {
			if _, err := Sample(t.Context(), newFixture(t).write(t), db, Options{Sample: 2, Seed: seed}); err != nil {
				t.Errorf("seed %d: %v", seed, err)
			}
		}
	})
}

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

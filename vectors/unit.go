package vectors

import (
	"cmp"
	"container/heap"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"

	"s2g/schema"
	"s2g/schema/manifest"
)

// unitPosts is how many posts a unit has, at most. More make fewer and larger files; but a
// worker keeps all points of a unit in memory, some 4 KB each.
const unitPosts = 8192

// samplePosts is how many posts the builtin dense embedder is fitted on. More
// make the fit slower and its vectors hardly better.
const samplePosts = 20_000

// unit is a range of post ids, both ends included.
type unit struct {
	number      int
	first, last int64
	posts       int64 // how many of the range are embedded
}

func (u unit) part() string { return fmt.Sprintf("part-%05d", u.number) }

// note is the name under which a run notes that the unit is whole.
func (u unit) note() string { return "vectors/" + u.part() }

// plan is the work of a run; it depends on the tables and options alone.
type plan struct {
	units  []unit
	posts  int64
	sample []int64 // ids of the posts that the builtin embedder is fitted on, ascending
}

// plan cuts the posts to embed, in the order of their ids, into units of nearly
// the same size, so that workers end together.
func (s *stage) plan() plan {
	var p plan
	for range s.posts() {
		p.posts++
	}
	count := (p.posts + s.unitPosts - 1) / s.unitPosts
	var sample smallest
	done := int64(0)
	for id := range s.posts() {
		number := done * count / p.posts
		if number == int64(len(p.units)) {
			p.units = append(p.units, unit{number: len(p.units), first: id})
		}
		u := &p.units[number]
		u.last = id
		u.posts++
		done++
		sample.offer(id, samplePosts)
	}
	for _, k := range sample {
		p.sample = append(p.sample, k.id)
	}
	slices.Sort(p.sample)
	return p
}

// posts yields the ids of the posts to embed, ascending.
func (s *stage) posts() iter.Seq[int64] {
	return func(yield func(int64) bool) {
		for post := range s.index.All() {
			if (post.Question || s.answers()) && !yield(post.ID) {
				return
			}
		}
	}
}

// keyed is a post id with the number that decides whether it is in the sample.
type keyed struct {
	hash uint64
	id   int64
}

// smallest keeps the ids of the smallest hashes: a sample without a preference
// that any order of offers gives. It is a heap whose first is the greatest.
type smallest []keyed

func (h smallest) Len() int           { return len(h) }
func (h smallest) Less(i, j int) bool { return h[i].compare(h[j]) > 0 }
func (h smallest) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *smallest) Push(x any)        { *h = append(*h, x.(keyed)) }
func (h *smallest) Pop() any          { return nil } // never called: the first is replaced in place

func (k keyed) compare(other keyed) int {
	return cmp.Or(cmp.Compare(k.hash, other.hash), cmp.Compare(k.id, other.id))
}

func (h *smallest) offer(id int64, size int) {
	k := keyed{schema.Mix64(uint64(id)), id}
	switch {
	case len(*h) < size:
		heap.Push(h, k)
	case k.compare((*h)[0]) < 0:
		(*h)[0] = k
		heap.Fix(h, 0)
	}
}

// made is what is noted of a unit that is whole. A run that goes on adds it up, so
// that its summary is that of one that was never interrupted.
type made struct {
	Files    int              `json:"files"`
	Points   int64            `json:"points"` // over all languages
	BytesIn  int64            `json:"bytes_in"`
	BytesOut int64            `json:"bytes_out"`
	Counts   map[string]int64 `json:"counts"`

	Embedders *manifest.Embedders `json:"embedders"` // those of all units must be the same

	files []manifest.File
}

// resume returns the units that are still to be made, and adds up the others.
func (s *stage) resume(units []unit) (todo []unit) {
	files := map[string]int{}
	for name := range s.files {
		if base, ok := strings.CutSuffix(name, ".parquet"); ok {
			files[base[strings.LastIndexByte(base, '/')+1:]]++
		}
	}
	for _, u := range units {
		var m made
		note, ok := s.files[u.note()]
		if !ok || json.Unmarshal([]byte(note.At), &m) != nil || m.Files != files[u.part()] {
			todo = append(todo, u)
			continue
		}
		s.add(m)
		s.advance(u.posts)
	}
	return todo
}

// finish notes that all files of the unit are committed.
func (s *stage) finish(u unit, m made) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, n := range s.since() {
		m.Counts[name] += n
	}
	m.Embedders = s.embeddersOf()
	at, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if err := s.outputs.Note(u.note(), m.Points, string(at), m.files...); err != nil {
		return err
	}
	s.add(m)
	return nil
}

func (s *stage) add(m made) {
	s.summary.Rows += m.Points
	s.summary.BytesIn += m.BytesIn
	s.summary.BytesOut += m.BytesOut
	for name, n := range m.Counts {
		s.summary.Counts[name] += n
	}
}

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
	"s2g/schema/postscan"
)

// unitPosts is the number of posts of a unit, at most. More posts make fewer and larger
// files, but a worker keeps all points of a unit in memory, some 4 KB each.
const unitPosts = 8192

// samplePosts is the size of the sample on which the builtin dense embedder is fitted. A
// larger one makes the fit slower and the vectors hardly better.
const samplePosts = 20_000

// unit is a range of post ids, both ends included.
type unit struct {
	number      int
	first, last int64
	posts       int64 // of the range that are embedded
	rows        postscan.Range
}

func (u unit) part() string { return fmt.Sprintf("part-%05d", u.number) }

// note returns the name of the note that marks the unit as complete.
func (u unit) note() string { return "vectors/" + u.part() }

// plan is the work of a run. It depends on the tables and the options alone.
type plan struct {
	units  []unit
	posts  int64
	sample []int64 // ids, ascending, of the posts for the fit of the builtin embedder
}

// plan cuts the posts to embed, in the order of their ids, into units of nearly the same
// size, so that workers end together.
func (r *run) plan() plan {
	var p plan
	for range r.postIDs() {
		p.posts++
	}
	count := (p.posts + r.unitPosts - 1) / r.unitPosts
	var sample hashSample
	done := int64(0)
	for id := range r.postIDs() {
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

// postIDs yields the ids of the posts to embed, ascending.
func (r *run) postIDs() iter.Seq[int64] {
	return func(yield func(int64) bool) {
		for post := range r.index.All() {
			if (post.Question || r.answers()) && !yield(post.ID) {
				return
			}
		}
	}
}

// hashedID is a post id with the hash that decides whether it is in the sample.
type hashedID struct {
	hash uint64
	id   int64
}

func (k hashedID) compare(other hashedID) int {
	return cmp.Or(cmp.Compare(k.hash, other.hash), cmp.Compare(k.id, other.id))
}

// hashSample keeps the ids of the smallest hashes: an unbiased sample that does not depend
// on the order of the offers. It is a heap whose first element is the greatest.
type hashSample []hashedID

func (h hashSample) Len() int           { return len(h) }
func (h hashSample) Less(i, j int) bool { return h[i].compare(h[j]) > 0 }
func (h hashSample) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *hashSample) Push(x any)        { *h = append(*h, x.(hashedID)) }
func (h *hashSample) Pop() any          { return nil } // never called: the first is replaced in place

func (h *hashSample) offer(id int64, size int) {
	k := hashedID{schema.Mix64(uint64(id)), id}
	switch {
	case len(*h) < size:
		heap.Push(h, k)
	case k.compare((*h)[0]) < 0:
		(*h)[0] = k
		heap.Fix(h, 0)
	}
}

// unitSummary is the content of a complete unit's note. A resumed run adds up the notes, so
// that its summary equals that of a run without interruption.
type unitSummary struct {
	Files    int              `json:"files"`
	Points   int64            `json:"points"` // over all languages
	BytesIn  int64            `json:"bytes_in"`
	BytesOut int64            `json:"bytes_out"`
	Counts   map[string]int64 `json:"counts"`

	Embedders *manifest.Embedders `json:"embedders"` // the same for all units
}

// resume returns the incomplete units, and adds up the summaries of the others.
func (r *run) resume(units []unit) (todo []unit) {
	files := map[string]int{}
	for name := range r.committed {
		if base, ok := strings.CutSuffix(name, ".parquet"); ok {
			files[base[strings.LastIndexByte(base, '/')+1:]]++
		}
	}
	for _, u := range units {
		var s unitSummary
		note, ok := r.committed[u.note()]
		if !ok || json.Unmarshal([]byte(note.At), &s) != nil || s.Files != files[u.part()] {
			todo = append(todo, u)
			continue
		}
		r.addSummary(s)
		r.advance(u.posts)
	}
	return todo
}

// finishUnit notes that all files of a unit are committed.
func (r *run) finishUnit(u unit, s unitSummary, files []manifest.File) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for name, n := range r.newEndpointCounts() {
		s.Counts[name] += n
	}
	s.Embedders = r.manifestEmbedders()
	at, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if err := r.sink.Note(u.note(), s.Points, string(at), files...); err != nil {
		return err
	}
	r.addSummary(s)
	return nil
}

func (r *run) addSummary(s unitSummary) {
	r.summary.Rows += s.Points
	r.summary.BytesIn += s.BytesIn
	r.summary.BytesOut += s.BytesOut
	for name, n := range s.Counts {
		r.summary.Counts[name] += n
	}
}

// Package threads computes which questions and answers are in the graph of which
// language, and which answers are accepted or better than the accepted one.
//
// It reads the narrow columns of Posts once. The graph and the vectors look posts up in its
// index while they stream other rows: a comment is in the graphs of its post, an
// edge in those of both its ends. Both use this index, so they do not differ.
//
// The rules: a question is in the graph of each language among its tags, and in
// that of the whole site if the table has it; without any it is in the remainder
// graph if that is on. An answer is in the graphs of
// the question of its ParentId; an answer whose question is missing, or in no
// graph, is in none. A question's accepted answer counts if it is in the dump and
// answers that question. An answer is better if its score exceeds that of the
// accepted answer; a missing score is 0.
//
// The index takes 21 bytes for each question in a graph and each answer of the
// dump, and less than one byte a post for the lookup.
package threads

import (
	"iter"
	"math/bits"
	"slices"

	"s2g/schema"
)

// Index holds the questions and answers that are in at least one graph. It may be
// used concurrently.
//
// Posts are in four parallel arrays without pointers, in order of their ids.
// BenchmarkFind measures a lookup, and the bytes a post.
type Index struct {
	ids    []int64    // ascending
	linked []int64    // of an answer its question; of a question its accepted answer, or 0
	graphs []GraphSet // while a builder fills the index, the scores of answers
	flags  []flag

	buckets buckets
	*graphSets
}

// flag holds the properties of a post, and of a question the number of its answers in
// the upper bits.
type flag uint8

const (
	isQuestion flag = 1 << iota
	isAccepted      // an accepted answer
	isBetter        // an answer whose score exceeds that of the accepted one; a question that has such an answer
	_
	oneAnswer
)

// MaxAnswers is the largest number of answers that an Index counts.
const MaxAnswers = 1<<8/int(oneAnswer) - 1

// withAnswer adds an answer to a question's flags.
func (f flag) withAnswer() flag {
	if f.answers() == MaxAnswers {
		return f
	}
	return f + oneAnswer
}

func (f flag) answers() int { return int(f / oneAnswer) }

// Post is a question or an answer that is in a graph.
type Post struct {
	ID             int64
	Question       bool     // false: an answer
	Set            GraphSet // its graphs
	Parent         int64    // of an answer: its question
	Answered       bool     // of a question: an answer to it is in the dump
	Answers        int      // of a question: its answers in the dump, MaxAnswers where there are more
	AcceptedAnswer int64    // of a question: the accepted answer that counts; 0: none
	HasBetter      bool     // of a question: one of its answers IsBetter

	IsAccepted bool // of an answer
	IsBetter   bool // of an answer
}

// Len returns the number of posts.
func (x *Index) Len() int { return len(x.ids) }

// Bytes returns the memory of the index, without that of the graph sets.
func (x *Index) Bytes() int64 {
	return 8*int64(cap(x.ids)) + 8*int64(cap(x.linked)) + 4*int64(cap(x.graphs)) + int64(cap(x.flags)) + 4*int64(cap(x.buckets.first))
}

// Find returns the question or answer of an id, if it is in at least one graph.
func (x *Index) Find(id int64) (Post, bool) {
	i, ok := x.position(id)
	if !ok {
		return Post{}, false
	}
	return x.post(i), true
}

// All returns the posts in order of their ids.
func (x *Index) All() iter.Seq[Post] {
	return func(yield func(Post) bool) {
		for i := range x.ids {
			if !yield(x.post(i)) {
				return
			}
		}
	}
}

// UnusedTags returns the tags of langs, the languages of the index, that no
// question has.
func (x *Index) UnusedTags(langs []schema.Language) (tags []string) {
	found := make([]bool, len(*x.members.Load()))
	for _, set := range x.graphs {
		found[set] = true
	}
	used := make([]bool, len(langs)+1) // the last is the remainder
	for set, is := range found {
		if is {
			for _, g := range x.Graphs(GraphSet(set)) {
				used[g] = true
			}
		}
	}
	for i, l := range langs {
		if !used[i] && l.Tag != schema.SiteTag {
			tags = append(tags, l.Tag)
		}
	}
	return tags
}

// post returns the post at a position of the arrays.
func (x *Index) post(i int) Post {
	f := x.flags[i]
	p := Post{
		ID:         x.ids[i],
		Question:   f&isQuestion != 0,
		Set:        x.graphs[i],
		IsAccepted: f&isAccepted != 0,
	}
	if p.Question {
		p.Answers, p.HasBetter, p.AcceptedAnswer = f.answers(), f&isBetter != 0, x.linked[i]
		p.Answered = p.Answers > 0
	} else {
		p.IsBetter, p.Parent = f&isBetter != 0, x.linked[i]
	}
	return p
}

// position returns the position of a post in the arrays.
func (x *Index) position(id int64) (int, bool) {
	lo, hi := x.buckets.bounds(id, len(x.ids))
	i, ok := slices.BinarySearch(x.ids[lo:hi], id)
	return lo + i, ok
}

// perBucket is the mean number of ids in a bucket where ids are dense.
const perBucket = 16

// buckets narrow the search for an id in a sorted array. They are ranges of equal
// width, one for each perBucket ids, whatever the largest id: ids far above the
// others share the last bucket. If ids cluster, a search may become a binary
// search of all. BenchmarkFind measures what buckets save.
type buckets struct {
	base  int64
	shift uint
	first []uint32 // of each bucket, the position of its first id
}

func newBuckets(ids []int64) buckets {
	if len(ids) == 0 {
		return buckets{}
	}
	// The highest sixty-fourth of the ids must not widen the buckets of the others.
	top := ids[len(ids)*63/64]
	n := len(ids)/perBucket + 1
	b := buckets{base: ids[0], first: make([]uint32, n)}
	width := (uint64(top)-uint64(b.base))/uint64(n) + 1
	b.shift = uint(bits.Len64(width - 1)) // the next power of two
	next := 0
	for i, id := range ids {
		for ; next < n && uint64(next) <= b.bucketOf(id); next++ {
			b.first[next] = uint32(i)
		}
	}
	b.first = b.first[:next]
	return b
}

// bucketOf returns the number of an id's bucket, which may exceed the last one's.
func (b *buckets) bucketOf(id int64) uint64 { return (uint64(id) - uint64(b.base)) >> b.shift }

// bounds returns the range of positions, hi excluded, that contains id if any
// does. n is the number of ids.
func (b *buckets) bounds(id int64, n int) (lo, hi int) {
	if n == 0 || id < b.base {
		return 0, 0
	}
	last := uint64(len(b.first) - 1)
	if k := b.bucketOf(id); k < last {
		return int(b.first[k]), int(b.first[k+1])
	}
	return int(b.first[last]), n
}

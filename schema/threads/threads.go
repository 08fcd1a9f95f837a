// Package threads says which questions and answers are in which language
// graphs, and which answers are accepted or better than the accepted one.
//
// It reads the Posts table once and keeps what the graph and the vectors both
// have to know about a post while they stream something else: a comment's
// graphs are those of the post it stands under, an edge's those of both its
// ends. One rule in one place keeps the two in step.
//
// The rules: a question is in the graph of each language among its tags, with
// the remainder graph on in that one if there is none. An answer is in the
// graphs of the question that its ParentId names; an answer whose question is
// missing, or in no graph, is in none. A question's accepted answer counts if
// it is in the dump and an answer to that question. An answer is better if its
// score is higher than the accepted one's, a missing score being 0.
//
// Memory is 21 bytes a post, for each question in a graph and each answer of
// the dump, and less than one byte a post for finding them; see Index.
package threads

import (
	"iter"
	"slices"

	"s2g/schema"
)

// Index holds the questions and answers that are in at least one graph. It is
// safe for concurrent use.
//
// Posts stand in four arrays without pointers, in order of their ids. A lookup
// table of at most half a byte a post leads to a few neighbours to search.
type Index struct {
	ids    []int64    // 8 bytes a post, ascending
	others []int64    // 8 bytes: of an answer its question; of a question its accepted answer, or 0
	graphs []GraphSet // 4 bytes
	flags  []flag     // 1 byte

	near lookup
	*sets
}

// flag holds what is true of a post.
type flag uint8

const (
	question flag = 1 << iota
	answered      // a question with an answer in the dump
	accepted      // an answer that is accepted
	better        // an answer with a score above the accepted one's
)

// Post is a question or an answer that is in a graph.
type Post struct {
	ID             int64
	Question       bool     // else it is an answer
	Set            GraphSet // its graphs
	Parent         int64    // of an answer: its question
	Answered       bool     // of a question: at least one of its answers is in the dump
	AcceptedAnswer int64    // of a question: the accepted answer, if it is in the dump and an answer to this question; 0: none

	IsAccepted bool // of an answer
	IsBetter   bool // of an answer: its score is higher than the accepted one's
}

// Len returns the number of posts.
func (x *Index) Len() int { return len(x.ids) }

// Bytes returns the memory that the index holds, the interned sets left out.
func (x *Index) Bytes() int64 {
	return 8*int64(cap(x.ids)) + 8*int64(cap(x.others)) + 4*int64(cap(x.graphs)) + int64(cap(x.flags)) + 4*int64(cap(x.near.first))
}

// Find returns the question or answer of an id, if it is in at least one graph.
func (x *Index) Find(id int64) (Post, bool) {
	i, ok := x.position(id)
	if !ok {
		return Post{}, false
	}
	return x.at(i), true
}

// All returns the posts in order of their ids.
func (x *Index) All() iter.Seq[Post] {
	return func(yield func(Post) bool) {
		for i := range x.ids {
			if !yield(x.at(i)) {
				return
			}
		}
	}
}

// UnusedTags returns the tags of langs, which Build was given, that no question has.
func (x *Index) UnusedTags(langs []schema.Language) (tags []string) {
	found := make([]bool, len(*x.members.Load()))
	for _, set := range x.graphs {
		found[set] = true
	}
	asked := make([]bool, len(langs)+1) // the last is the remainder
	for set, is := range found {
		if is {
			for _, g := range x.Graphs(GraphSet(set)) {
				asked[g] = true
			}
		}
	}
	for i, l := range langs {
		if !asked[i] {
			tags = append(tags, l.Tag)
		}
	}
	return tags
}

func (x *Index) at(i int) Post {
	f := x.flags[i]
	p := Post{
		ID:         x.ids[i],
		Question:   f&question != 0,
		Set:        x.graphs[i],
		Answered:   f&answered != 0,
		IsAccepted: f&accepted != 0,
		IsBetter:   f&better != 0,
	}
	if p.Question {
		p.AcceptedAnswer = x.others[i]
	} else {
		p.Parent = x.others[i]
	}
	return p
}

// position returns where a post stands in the arrays.
func (x *Index) position(id int64) (int, bool) {
	lo, hi := x.near.neighbours(id, len(x.ids))
	i, ok := slices.BinarySearch(x.ids[lo:hi], id)
	return lo + i, ok
}

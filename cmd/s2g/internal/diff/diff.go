// Package diff compares two builds, as those of two monthly dumps. It counts, by
// language, the posts that were added, removed or changed, and the texts that need new
// vectors.
//
// It reads only the files of the two folders, because a published copy has no tables.
// Posts come from the graph, which has questions and answers with all their properties;
// texts come from the shards, which have a hash of each.
//
// Both are in the order of post ids, so one pass merges the two builds. Memory is that
// of one file of the graph (50,000 triples) and one part of the shards (some thousand
// posts) a build, whatever the size of the build.
//
// Two posts with the same id are the same post. It is changed if triples of its text
// (title, body, tags) differ, or others of its properties (score, dates, whether it is
// accepted …). Its comments, and a question's edges to its answers, do not count.
package diff

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"s2g/schema"
	"s2g/schema/manifest"
)

// Options select what is compared and reported.
type Options struct {
	Each      func(Post) error                     // receives every post that was added, removed or changed, by id; nil: none
	PostsOnly bool                                 // compare no texts
	Progress  func(what string, done, total int64) // receives the bytes of files read; nil: none
}

// Post is a difference: a post that one build does not hold, or that differs.
type Post struct {
	ID        int64    `json:"post_id"`
	Type      string   `json:"type"`              // question or answer
	What      string   `json:"what"`              // added, removed or changed
	Languages []string `json:"languages"`         // of both builds, by tags; the remainder's is empty
	Changed   []string `json:"changed,omitempty"` // the properties that differ, and languages where its graphs differ
}

// Result is the differences.
type Result struct {
	Old        Build      `json:"old"`
	New        Build      `json:"new"`
	Notes      []string   `json:"notes"`               // how the builds themselves differ
	Questions  *Section   `json:"questions,omitempty"` // nil where one of the builds has no graph
	Answers    *Section   `json:"answers,omitempty"`
	Properties []Property `json:"properties,omitempty"` // that differ in posts of both builds
	Texts      *Section   `json:"texts,omitempty"`      // nil where one of the builds has no vectors
}

// Build describes one of the two builds.
type Build struct {
	Out    string `json:"out"`
	Dump   string `json:"dump"`
	Newest string `json:"newest"` // date of its newest post
	Site   string `json:"site"`
	Tool   string `json:"tool"`
}

// comparison is a run of Compare.
type comparison struct {
	Options
	old, new    *side
	languages   []string // of both
	result      *Result
	ignored     [len(properties)]bool // properties that one of the builds cannot have
	mu          sync.Mutex            // of the following
	done, total int64
}

// Compare compares two builds. It returns a usage fault if the two have neither a graph
// nor vectors in common, a verification fault if a file is missing or damaged.
func Compare(ctx context.Context, oldOut, newOut string, o Options) (*Result, error) {
	if o.Progress == nil {
		o.Progress = func(string, int64, int64) {}
	}
	c := &comparison{Options: o}
	var err error
	if c.old, err = openSide(oldOut); err != nil {
		return nil, err
	}
	if c.new, err = openSide(newOut); err != nil {
		return nil, err
	}
	c.languages = slices.Concat(c.new.tags, without(c.old.tags, c.new.tags))
	c.result = &Result{Old: c.old.build(), New: c.new.build(), Notes: c.notes()}
	graphs, vectors := c.bothHave(manifest.Graph), c.bothHave(manifest.Vectors) && !o.PostsOnly
	if !graphs && (!vectors || o.Each != nil) {
		return nil, schema.Faultf(schema.FaultUsage, "run s2g graph, or s2g vectors, on the one that lacks them", "%s and %s have nothing in common that can be compared", oldOut, newOut)
	}
	if graphs {
		if err := c.comparePosts(ctx); err != nil {
			return nil, fmt.Errorf("comparing posts: %w", err)
		}
	}
	if vectors {
		if err := c.compareTexts(ctx); err != nil {
			return nil, fmt.Errorf("comparing texts: %w", err)
		}
	}
	return c.result, nil
}

// bothHave reports whether both builds have a stage.
func (c *comparison) bothHave(stage string) bool {
	return c.old.manifest.Stages[stage] != nil && c.new.manifest.Stages[stage] != nil
}

// progress returns a function that adds to the number of bytes read of a stage's files,
// of both builds, and reports it.
func (c *comparison) progress(what, stage string) func(int64) {
	c.done, c.total = 0, c.old.bytes(stage)+c.new.bytes(stage)
	return func(n int64) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.done += n
		c.Progress(what, c.done, c.total)
	}
}

// merge reads the elements of two builds, which come in the order of their ids, and calls
// use once for each id, with nil for a build that does not hold it. before and after
// return the next element of a build, nil at the end.
func merge[T any](before, after func() (*T, error), id func(*T) int64, use func(before, after *T) error) error {
	a, err := before()
	if err != nil {
		return err
	}
	b, err := after()
	if err != nil {
		return err
	}
	for a != nil || b != nil {
		x, y := a, b
		if a != nil && b != nil && id(a) > id(b) {
			x = nil
		}
		if a != nil && b != nil && id(b) > id(a) {
			y = nil
		}
		if err := use(x, y); err != nil {
			return err
		}
		if x != nil {
			if a, err = before(); err != nil {
				return err
			}
		}
		if y != nil {
			if b, err = after(); err != nil {
				return err
			}
		}
	}
	return nil
}

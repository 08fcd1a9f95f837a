// Package diff compares two builds, by language: posts that were added, removed or
// changed, and texts that have to be embedded anew. A user compares the builds of
// two monthly dumps.
//
// It reads the files of the two folders alone: a published copy has no tables.
// Posts come from the graph, which has questions and answers with all their
// properties; texts from the shards of the vectors, which have a hash of each.
//
// Both come in the order of post ids, so the two builds are merged while they are
// read. A file of the graph holds 50,000 triples and a part of the shards some
// thousand posts, whatever the size of the build; memory is that of one of each a
// build.
//
// Two posts with the same id are the same post. It is changed where its triples
// differ: those of its text (title, body, tags), or others (score, dates, whether it
// is accepted …). Its comments, and a question's edges to its answers, do not count.
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
	// Each, unless nil, is called with every post that was added, removed or changed,
	// in the order of their ids.
	Each func(Post) error
	// PostsOnly leaves out the texts.
	PostsOnly bool
	// Progress, unless nil, is called with the bytes that were read.
	Progress func(what string, done, total int64)
}

// Post is a post that is not the same in both builds.
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

// Build is one of the two.
type Build struct {
	Out    string `json:"out"`
	Dump   string `json:"dump"`
	Newest string `json:"newest"` // date of its newest post
	Site   string `json:"site"`
	Tool   string `json:"tool"`
}

// comparison is a run.
type comparison struct {
	Options
	old, new    *side
	languages   []string // of both
	result      *Result
	ignored     [len(properties)]bool // properties that one of the builds cannot have
	mu          sync.Mutex            // of the following
	done, total int64
}

// Compare reads two builds. Builds that have neither a graph nor vectors in common
// are a usage fault, a file that is missing or damaged is a verification fault.
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

// progress returns a function that counts the bytes that are read of a stage, of
// both builds.
func (c *comparison) progress(what, stage string) func(int64) {
	c.done, c.total = 0, c.old.bytes(stage)+c.new.bytes(stage)
	return func(n int64) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.done += n
		c.Progress(what, c.done, c.total)
	}
}

// merge reads what two builds hold in the order of ids, and calls use once for each
// id: with nil for a build that does not hold it. A reader returns nil at its end.
func merge[T any](was, now func() (*T, error), id func(*T) int64, use func(was, now *T) error) error {
	a, err := was()
	if err != nil {
		return err
	}
	b, err := now()
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
			if a, err = was(); err != nil {
				return err
			}
		}
		if y != nil {
			if b, err = now(); err != nil {
				return err
			}
		}
	}
	return nil
}

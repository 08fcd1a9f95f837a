package diff

import (
	"context"
	"fmt"
	"hash/maphash"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"s2g/schema"
	"s2g/schema/manifest"
)

// Options say what is wanted beside the numbers.
type Options struct {
	// Each, unless nil, hears of every post that was added, removed or changed, in
	// the order of their ids.
	Each func(Post) error
	// PostsAlone leaves the texts out.
	PostsAlone bool
	// Progress, unless nil, hears of what is read, in bytes.
	Progress func(what string, done, total int64)
}

// Post is a post that is not the same in both builds.
type Post struct {
	ID        int64    `json:"post_id"`
	Type      string   `json:"type"`              // question or answer
	What      string   `json:"what"`              // added, removed or changed
	Languages []string `json:"languages"`         // of both builds, by tags; the remainder is the empty one
	Changed   []string `json:"changed,omitempty"` // the properties in which they differ, and languages where its graphs do
}

// Result is what is different.
type Result struct {
	Old        Build      `json:"old"`
	New        Build      `json:"new"`
	Notes      []string   `json:"notes"`               // what a reader must know to read the numbers
	Questions  *Section   `json:"questions,omitempty"` // nil where one of the builds has no graph
	Answers    *Section   `json:"answers,omitempty"`
	Properties []Property `json:"properties,omitempty"` // in which posts of both builds differ
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

// Section is counts by language.
type Section struct {
	Languages []Count `json:"languages"` // those that are in one of the builds, in the order of NEW
	Distinct  Count   `json:"distinct"`  // each once; its Language is empty
}

// Count is how many there are in a language. Before is Removed, Text, Other and
// Same; After is Added, Text, Other and Same.
type Count struct {
	Language string `json:"language"` // tag; empty: the remainder
	Before   int64  `json:"before"`
	After    int64  `json:"after"`
	Added    int64  `json:"added"`   // to this language, new or not
	Removed  int64  `json:"removed"` // from this language
	Text     int64  `json:"text"`    // in both, with another text
	Other    int64  `json:"other"`   // in both, with the same text, and something else changed
	Same     int64  `json:"same"`
	Embed    int64  `json:"embed"` // of texts alone: those that the post did not have before, so that --reuse has no vector of them
}

// Property is how many posts of both builds differ in it.
type Property struct {
	Name      string `json:"name"`
	Questions int64  `json:"questions"`
	Answers   int64  `json:"answers"`
}

// comparison is a run.
type comparison struct {
	Options
	old, new    *side
	languages   []string // of both
	result      *Result
	mask        [len(properties)]bool // properties that one of the builds cannot have
	mu          sync.Mutex            // of the following
	done, total int64
}

// Compare reads two builds.
func Compare(ctx context.Context, oldOut, newOut string, o Options) (*Result, error) {
	if o.Progress == nil {
		o.Progress = func(string, int64, int64) {}
	}
	c := &comparison{Options: o, result: &Result{Notes: []string{}}}
	var err error
	if c.old, err = openSide(oldOut); err != nil {
		return nil, err
	}
	if c.new, err = openSide(newOut); err != nil {
		return nil, err
	}
	c.languages = slices.Clone(c.new.tags)
	for _, tag := range c.old.tags {
		if !slices.Contains(c.languages, tag) {
			c.languages = append(c.languages, tag)
		}
	}
	c.result.Old, c.result.New = c.old.build(), c.new.build()
	c.notes()
	graphs, vectors := c.have(manifest.Graph), c.have(manifest.Vectors) && !o.PostsAlone
	if !graphs && (!vectors || o.Each != nil) {
		return nil, schema.Faultf(schema.FaultUsage, "run s2g graph, or s2g vectors, on the one that lacks them", "%s and %s have nothing in common that can be compared", oldOut, newOut)
	}
	if graphs {
		if err := c.posts(ctx); err != nil {
			return nil, fmt.Errorf("comparing posts: %w", err)
		}
	}
	if vectors {
		if err := c.texts(ctx); err != nil {
			return nil, fmt.Errorf("comparing texts: %w", err)
		}
	}
	return c.result, nil
}

// have reports whether both builds have a stage.
func (c *comparison) have(stage string) bool {
	return c.old.manifest.Stages[stage] != nil && c.new.manifest.Stages[stage] != nil
}

func (s *side) build() Build {
	return Build{Out: s.out, Dump: s.manifest.Dump.Name, Newest: s.manifest.Dump.Newest, Site: string(s.site), Tool: s.manifest.Tool}
}

// begin says how much a part of the run has to read.
func (c *comparison) begin(stage string) {
	c.done, c.total = 0, c.old.bytes(stage)+c.new.bytes(stage)
}

func (c *comparison) advance(what string) func(int64) {
	return func(n int64) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.done += n
		c.Progress(what, c.done, c.total)
	}
}

// posts merges the posts of the two graphs, which are read side by side.
func (c *comparison) posts(ctx context.Context) error {
	c.begin(manifest.Graph)
	work, ctx := errgroup.WithContext(ctx)
	seed := maphash.MakeSeed()
	read := func(s *side) *posts {
		sent := make(chan []post)
		work.Go(func() error {
			if err := newPostReader(s, c.languages, seed, c.advance("posts")).run(ctx, sent); err != nil {
				return err // the posts that are missing are not taken for removed: the merge is cancelled
			}
			close(sent)
			return nil
		})
		return &posts{from: sent}
	}
	was, now := read(c.old), read(c.new)
	work.Go(func() error { return c.mergePosts(ctx, was, now) })
	return work.Wait()
}

func (c *comparison) mergePosts(ctx context.Context, was, now *posts) error {
	t := newPostTally(c)
	a, err := was.next(ctx)
	if err != nil {
		return err
	}
	b, err := now.next(ctx)
	if err != nil {
		return err
	}
	for a != nil || b != nil {
		var x, y *post
		if b == nil || a != nil && a.id <= b.id {
			x = a
		}
		if a == nil || b != nil && b.id <= a.id {
			y = b
		}
		if err := t.add(x, y); err != nil {
			return err
		}
		if x != nil {
			if a, err = was.next(ctx); err != nil {
				return err
			}
		}
		if y != nil {
			if b, err = now.next(ctx); err != nil {
				return err
			}
		}
	}
	t.finish()
	return nil
}

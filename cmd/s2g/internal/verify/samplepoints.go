package verify

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"

	"golang.org/x/sync/errgroup"

	"s2g/cmd/s2g/internal/oracle"
)

// comparePoints reads the parts that the posts are in.
func (s *sampled) comparePoints(ctx context.Context) (Check, error) {
	c := newCheck("points", fmt.Sprintf("posts of shards, of %d that were drawn, with their texts and payload, against the tables", len(s.want.Posts)))
	parents := newShelf(s.kind(aParent), func(f file) int64 {
		var r reach
		s.rangeOf(ctx, f, &r)
		return r.first
	}, func(f file, r *reach) { s.rangeOf(ctx, f, r) })
	needed := map[string][]int64{} // posts by part
	for _, post := range s.want.Posts {
		if s.embedded(post) == "" {
			continue
		}
		at, err := parents.find(ctx, post)
		if err != nil {
			return c, err
		}
		if at < 0 {
			c.differ("post %d is not among the parents", post)
			continue
		}
		part := path.Base(parents.files[at].name)
		needed[part] = append(needed[part], post)
	}
	bad := make(chan string, len(needed)*len(s.build.files)+1)
	work, within := errgroup.WithContext(ctx)
	work.SetLimit(s.workers)
	for part, posts := range needed {
		work.Go(func() error { return s.readSomeOfPart(within, part, posts, func(d string) { bad <- d }) })
	}
	if err := errors.Join(work.Wait(), parents.sum(&c)); err != nil {
		return c, err
	}
	close(bad)
	var all []string
	for d := range bad {
		all = append(all, d)
	}
	slices.Sort(all)
	for _, d := range all {
		c.differ("%s", d)
	}
	s.comparePayload(&c)
	return c, nil
}

// embedded is the node that a post has in shards, empty where it is in none.
func (s *sampled) embedded(post int64) string {
	for _, path := range []string{fmt.Sprintf("%s%d", questionPath, post), fmt.Sprintf("%s%d", answerPath, post)} {
		if len(s.want.Fields[path]) > 0 {
			return path
		}
	}
	return ""
}

// rangeOf reads the ids of a file of parents.
func (s *sampled) rangeOf(ctx context.Context, f file, r *reach) {
	r.bad, r.err = s.eachRow(ctx, f, func(t *table) func() string {
		post := t.int64("post_id")
		return func() string {
			if r.count++; r.count == 1 {
				r.first = post.int()
			}
			r.last = post.int()
			return ""
		}
	})
	if r.bad != "" {
		r.bad = f.name + ": " + r.bad
	}
}

// readSomeOfPart reads the parents of a part, and the shards of the languages
// that its posts are in.
func (s *sampled) readSomeOfPart(ctx context.Context, part string, posts []int64, differ func(string)) error {
	var w wholes
	byName := map[string]file{}
	for _, f := range s.build.files {
		byName[f.name] = f
	}
	_, bad, err := s.readParents(ctx, byName["parents/"+part], &w)
	if err != nil {
		return err
	}
	if bad != "" {
		differ(bad)
	}
	graphs := map[int]bool{}
	for _, post := range posts {
		if _, ok := w.find(post); !ok {
			differ(fmt.Sprintf("parents/%s has no post %d", part, post))
		}
		for g := range s.want.Fields[s.embedded(post)] {
			graphs[g] = true
		}
	}
	for g := range graphs {
		f, ok := byName["vectors/"+s.graphs[g].slug+"/"+part]
		if !ok {
			continue // the posts are missing, and named
		}
		w.rewind()
		_, bad, err := s.readShard(ctx, f, &w, s.pick)
		if err != nil {
			return err
		}
		if bad != "" {
			differ(bad)
		}
	}
	return nil
}

// pick keeps what a shard says of the posts that were drawn.
func (s *sampled) pick(graph int, path []byte, fields *[oracle.Fields]uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.nodes[string(path)]; ok {
		copied := *fields
		s.fields[place{string(path), graph}] = &copied
	}
}

// comparePayload compares what shards say of the posts.
func (s *sampled) comparePayload(c *Check) {
	for _, path := range s.sorted() {
		for g := range s.graphs {
			want, got := s.want.Fields[path][g], s.fields[place{path, g}]
			if got != nil {
				c.Count++
			}
			folder := "vectors/" + s.graphs[g].slug
			switch {
			case want == nil && got == nil:
				continue
			case got == nil:
				c.differ("%s is missing in %s", path, folder)
				continue
			case want == nil:
				c.differ("%s is in %s, by the tables it is not", path, folder)
				continue
			}
			for f := range oracle.Fields {
				if want[f] != one(got[f]) {
					c.differ("%s of %s in %s has another value than in the tables", f, path, folder)
				}
			}
		}
	}
}

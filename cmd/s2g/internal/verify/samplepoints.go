package verify

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"

	"golang.org/x/sync/errgroup"

	"s2g/cmd/s2g/internal/oracle"
)

// comparePoints reads the parts of the posts.
func (s *sampleVerifier) comparePoints(ctx context.Context) (Check, error) {
	c := newCheck("points", fmt.Sprintf("posts of shards, of %d that were drawn, with their texts and payload, against the tables", len(s.want.Posts)))
	parents := newFileLocator(s.filesOf(parentFile), func(f file) int64 {
		var r fileRange
		s.readRange(ctx, f, &r)
		return r.first
	}, func(f file, r *fileRange) { s.readRange(ctx, f, r) })
	postsOf := map[string][]int64{} // by part
	for _, post := range s.want.Posts {
		if s.embeddedPath(post) == "" {
			continue
		}
		at, ok, err := parents.locate(ctx, post)
		if err != nil {
			return c, err
		}
		if !ok {
			c.differ("post %d is not among the parents", post)
			continue
		}
		part := path.Base(parents.files[at].name)
		postsOf[part] = append(postsOf[part], post)
	}
	differences := make(chan string, len(postsOf)*len(s.files)+len(s.want.Posts))
	work, workCtx := errgroup.WithContext(ctx)
	work.SetLimit(s.workers)
	for part, posts := range postsOf {
		work.Go(func() error { return s.readPart(workCtx, part, posts, func(d string) { differences <- d }) })
	}
	if err := errors.Join(work.Wait(), parents.report(&c)); err != nil {
		return c, err
	}
	close(differences)
	var all []string
	for d := range differences {
		all = append(all, d)
	}
	slices.Sort(all)
	for _, d := range all {
		c.differ("%s", d)
	}
	s.comparePostFields(&c)
	return c, nil
}

// embeddedPath returns the path of a post that shards must have, empty where they
// must not.
func (s *sampleVerifier) embeddedPath(post int64) string {
	for _, kind := range postKinds {
		if path := kind.path() + strconv.FormatInt(post, 10); len(s.want.Fields[path]) > 0 {
			return path
		}
	}
	return ""
}

// readRange reads the ids of a file of parents.
func (s *sampleVerifier) readRange(ctx context.Context, f file, r *fileRange) {
	r.difference, r.err = s.readRows(ctx, f, func(rows *rowReader) func() string {
		post := rows.int64s("post_id")
		return func() string {
			if r.rows++; r.rows == 1 {
				r.first = post.integer()
			}
			r.last = post.integer()
			return ""
		}
	})
	if r.difference != "" {
		r.difference = f.name + ": " + r.difference
	}
}

// readPart reads the parents of a part, and the shards of the languages of some of
// its posts.
func (s *sampleVerifier) readPart(ctx context.Context, part string, posts []int64, differ func(string)) error {
	var texts parentTexts
	byName := map[string]file{}
	for _, f := range s.files {
		byName[f.name] = f
	}
	_, difference, err := s.readParents(ctx, byName["parents/"+part], &texts)
	if err != nil {
		return err
	}
	if difference != "" {
		differ(difference)
	}
	graphs := map[int]bool{}
	for _, post := range posts {
		if _, ok := texts.find(post); !ok {
			differ(fmt.Sprintf("parents/%s has no post %d", part, post))
		}
		for g := range s.want.Fields[s.embeddedPath(post)] {
			graphs[g] = true
		}
	}
	for g := range graphs {
		f, ok := byName["vectors/"+s.graphs[g].slug+"/"+part]
		if !ok {
			continue // comparePostFields names the posts
		}
		texts.rewind()
		_, difference, err := s.readShard(ctx, f, &texts, s.keepFields)
		if err != nil {
			return err
		}
		if difference != "" {
			differ(difference)
		}
	}
	return nil
}

// keepFields keeps the fields of the posts that were drawn.
func (s *sampleVerifier) keepFields(graph int, post []byte, fields *[oracle.Fields]uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.nodes[string(post)]; ok {
		copied := *fields
		s.nodeFields[graphNode{string(post), graph}] = &copied
	}
}

// comparePostFields compares what the shards repeat of the posts.
func (s *sampleVerifier) comparePostFields(c *Check) {
	for _, path := range s.sortedNodes() {
		for g := range s.graphs {
			want, got := s.want.Fields[path][g], s.nodeFields[graphNode{path, g}]
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
				if want[f] != tallyOf(got[f]) {
					c.differ("%s of %s in %s has another value than in the tables", f, path, folder)
				}
			}
		}
	}
}

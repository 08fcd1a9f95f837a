package verify

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"sync"

	"golang.org/x/sync/errgroup"

	"s2g/cmd/s2g/internal/oracle"
	"s2g/graph/trig"
	"s2g/schema/manifest"
	"s2g/schema/tables"
)

// Sample verifies some posts of a build in depth. It draws o.Sample questions and
// answers, spread over the range of ids, and reads only the files that must hold them:
//
//	files   the files that the manifest lists exist, with its sizes, and no others; with o.Hash its SHA-256 too
//	graph   the quads of each post, and of the comments on it, are those of the tables, in each graph
//	points  the shards of each post's languages have all of its chunks, with text and payload of the tables, and vectors
//	        made again, by the endpoints of the build too
//
// It checks each file that it reads as Run does, and finds these files by the order of
// posts. It proves nothing about other posts, tags or wikis, and does not notice a copy
// of a post in a file that it does not read.
func Sample(ctx context.Context, out string, db *tables.DB, o Options) (Report, error) {
	v, err := newVerifier(out, true, o)
	if err != nil {
		return Report{}, err
	}
	posts, err := oracle.Draw(ctx, db, o.Sample, o.Seed)
	if err != nil {
		return Report{}, err
	}
	want, err := oracle.ComputeSample(ctx, db, v.oracleOptions(), posts)
	if err != nil {
		return Report{}, err
	}
	s := newSampleVerifier(v, db, want)
	if v.has(manifest.Vectors) {
		if v.remaker, err = v.newRemaker(); err != nil {
			return Report{}, err
		}
		v.remaker.posts = map[int64]bool{}
		for _, post := range posts {
			v.remaker.posts[post] = true
		}
		if v.remaker.asked, err = v.openEndpoints(ctx, o.Remote); err != nil {
			return Report{}, err
		}
	}
	checks := []func(context.Context) (Check, error){func(ctx context.Context) (Check, error) { return s.compareFiles(ctx, o.Hash) }}
	if v.has(manifest.Graph) {
		checks = append(checks, s.compareQuads)
	}
	if v.has(manifest.Vectors) {
		checks = append(checks, s.comparePoints)
	}
	r := Report{}
	for _, check := range checks {
		c, err := check(ctx)
		if err != nil {
			return Report{}, err
		}
		r.Checks = append(r.Checks, c)
	}
	return r, r.fault(out)
}

// sampleVerifier verifies the posts that were drawn.
type sampleVerifier struct {
	*verifier
	db    *tables.DB
	want  *oracle.Sample
	nodes map[string]int64 // ids of the posts, 0 of their comments, by IRI without the site

	// what was read
	mu         sync.Mutex
	nodeQuads  map[graphNode]*oracle.Tallies
	nodeFields map[graphNode]*[oracle.Fields]uint32
	fileOf     map[string]string // a file that a node is in
}

// graphNode is a node in a graph, or in the shards of a graph.
type graphNode struct {
	path  string
	graph int
}

func newSampleVerifier(v *verifier, db *tables.DB, want *oracle.Sample) *sampleVerifier {
	s := &sampleVerifier{verifier: v, db: db, want: want, nodes: map[string]int64{},
		nodeQuads: map[graphNode]*oracle.Tallies{}, nodeFields: map[graphNode]*[oracle.Fields]uint32{}, fileOf: map[string]string{}}
	for path := range want.Quads {
		s.nodes[path] = 0
	}
	for _, id := range want.Posts { // under both IRIs, to notice a question that is an answer in the files, or the reverse
		for _, kind := range postKinds {
			s.nodes[kind.path()+strconv.FormatInt(id, 10)] = id
		}
	}
	return s
}

// sortedNodes returns the posts by id, then the comments.
func (s *sampleVerifier) sortedNodes() []string {
	// a comment's 0, less 1, is the largest uint64
	return slices.SortedFunc(maps.Keys(s.nodes), func(a, b string) int {
		return cmp.Or(cmp.Compare(uint64(s.nodes[a]-1), uint64(s.nodes[b]-1)), cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	})
}

// compareFiles compares the names and sizes of all files with the manifest, and with
// hash their SHA-256.
func (s *sampleVerifier) compareFiles(ctx context.Context, hash bool) (Check, error) {
	what := "files: names and sizes against the manifest"
	sums := make([]string, len(s.files)) // empty without hash
	if hash {
		what = "files: names, sizes and SHA-256 against the manifest"
		work, ctx := errgroup.WithContext(ctx)
		work.SetLimit(s.workers)
		for i, f := range s.files {
			work.Go(func() (err error) {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				sums[i], err = s.hashFile(f)
				s.progress.add(f.size)
				return err
			})
		}
		if err := work.Wait(); err != nil {
			return Check{}, err
		}
	}
	return s.compareWithManifest(what, func(c *Check, want manifest.File, i int) { compareFile(c, want, s.files[i], sums[i]) }), nil
}

// compareQuads reads the batches that hold the posts, and compares their quads.
func (s *sampleVerifier) compareQuads(ctx context.Context) (Check, error) {
	batches := newFileLocator(s.filesOf(batchFile), func(f file) int64 { return s.firstPost(ctx, f) }, func(f file, r *fileRange) { s.readBatch(ctx, f, r) })
	work, workCtx := errgroup.WithContext(ctx)
	work.SetLimit(s.workers)
	for _, post := range s.want.Threads {
		work.Go(func() error { _, _, err := batches.locate(workCtx, post); return err })
	}
	err := work.Wait()
	c := newCheck("graph", fmt.Sprintf("quads of %d posts and the comments on them, against the tables", len(s.want.Posts)))
	if err := errors.Join(err, batches.report(&c)); err != nil {
		return c, err
	}
	var none oracle.Tallies
	for _, path := range s.sortedNodes() {
		for g := range s.graphs {
			want, got := cmp.Or(s.want.Quads[path][g], &none), cmp.Or(s.nodeQuads[graphNode{path, g}], &none)
			for t := range oracle.AllTerms {
				c.Count += got[t].Count
				if want[t] == got[t] {
					continue
				}
				in, how := "", "another value in the files than in the tables"
				if name := s.fileOf[path]; name != "" {
					in = " (" + name + ")"
				}
				if got[t].Count != want[t].Count {
					how = fmt.Sprintf("%d quads in the files, %d by the tables", got[t].Count, want[t].Count)
				}
				c.differ("graph <%s>, %s of %s%s: %s", s.graphs[g].iri, t, path, in, how)
			}
		}
	}
	return c, nil
}

// firstPost returns the first post of a batch, which it reads up to there. It returns 0
// where the batch has none or is damaged.
func (s *sampleVerifier) firstPost(ctx context.Context, f file) (post int64) {
	c := newQuadCounter(s.verifier)
	_, _ = s.readQuads(ctx, f, func(q *trig.Quad) string { // readBatch reports damage
		term, _, difference := c.parse(q)
		if difference == "" && term == postID {
			if id, ok := postOfPath(c.subject()); ok {
				post, difference = id, "stop"
			}
		}
		return difference
	})
	return post
}

// readBatch reads a batch into r, and keeps the quads of the nodes.
func (s *sampleVerifier) readBatch(ctx context.Context, f file, r *fileRange) {
	c := newQuadCounter(s.verifier)
	r.difference, r.err = s.readQuads(ctx, f, func(q *trig.Quad) string {
		term, crc, difference := c.parse(q)
		if difference != "" {
			return difference
		}
		r.rows++
		path := c.subject()
		if post, ok := postOfPath(path); ok && term == postID { // edges of a post may be far from it
			if r.first > r.last {
				r.first, r.last = post, post
			}
			r.first, r.last = min(r.first, post), max(r.last, post)
		}
		if _, ok := s.nodes[string(path)]; ok {
			s.keepQuad(string(path), c.graph, term, crc, f.name)
		}
		return ""
	})
	if r.difference == "" && r.rows > batchQuads {
		r.difference = fmt.Sprintf("%s has %d quads, more than %d", f.name, r.rows, batchQuads)
	}
}

// postOfPath returns the id in the path of a question or answer.
func postOfPath(path []byte) (int64, bool) {
	for _, kind := range postKinds {
		if digits, ok := bytes.CutPrefix(path, []byte(kind.path())); ok {
			id, err := strconv.ParseInt(string(digits), 10, 64)
			return id, err == nil
		}
	}
	return 0, false
}

func (s *sampleVerifier) keepQuad(path string, graph int, term oracle.Term, crc uint32, file string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := graphNode{path, graph}
	if s.nodeQuads[at] == nil {
		s.nodeQuads[at] = &oracle.Tallies{}
	}
	s.nodeQuads[at][term].Add(crc)
	s.fileOf[path] = file
}

// comparePoints reads the parts that hold the posts, and compares their points.
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
	var differences []string // in no order
	differ := func(d string) {
		s.mu.Lock()
		defer s.mu.Unlock()
		differences = append(differences, d)
	}
	work, workCtx := errgroup.WithContext(ctx)
	work.SetLimit(s.workers)
	for part, posts := range postsOf {
		work.Go(func() error { return s.readPart(workCtx, part, posts, differ) })
	}
	if err := errors.Join(work.Wait(), parents.report(&c)); err != nil {
		return c, err
	}
	slices.Sort(differences)
	for _, d := range differences {
		c.differ("%s", d)
	}
	s.comparePostFields(&c)
	if s.remaker.asked != nil {
		return c, s.remaker.asked.compare(ctx, &c)
	}
	return c, nil
}

// embeddedPath returns the path of a post that shards must hold, "" for another post.
func (s *sampleVerifier) embeddedPath(post int64) string {
	for _, kind := range postKinds {
		if path := kind.path() + strconv.FormatInt(post, 10); len(s.want.Fields[path]) > 0 {
			return path
		}
	}
	return ""
}

// readRange reads the range of ids of a file of parents.
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
}

// readPart reads the parents of a part, and the shards of the languages of some of
// its posts.
func (s *sampleVerifier) readPart(ctx context.Context, part string, posts []int64, differ func(string)) error {
	var texts parentTexts
	byName := map[string]file{}
	for _, f := range s.files {
		byName[f.name] = f
	}
	_, difference, err := s.readParents(ctx, byName["parents/"+part], &texts, s.newTextComparer(s.db, posts), nil)
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

// comparePostFields compares the posts' fields in the shards with the tables.
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

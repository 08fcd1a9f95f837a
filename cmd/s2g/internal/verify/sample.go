package verify

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"

	"golang.org/x/sync/errgroup"

	"s2g/cmd/s2g/internal/oracle"
	"s2g/graph/trig"
	"s2g/schema/manifest"
	"s2g/schema/tables"
)

// Sample verifies some posts of a build in depth and leaves the rest unread. It
// draws o.Sample questions and answers, spread over the range of ids, and looks
// in the files where these posts must be:
//
//	files   what the manifest lists is there, with its size, and nothing else is; with o.Hash its SHA-256 too
//	graph   the quads of each post, and of the comments on it, are those of the tables, in each graph
//	points  the shards of each post's languages have its chunks, whole, with what the tables say of it
//
// Each file that is read is checked as Run does. What it does not prove: that the
// other posts are right, that what was drawn stands nowhere else in addition, and
// the tags and wikis. It trusts the order of posts in the files, which is how it
// finds them.
func Sample(ctx context.Context, out string, db *tables.DB, o Options) (Report, error) {
	m, err := readManifest(out)
	if err != nil {
		return Report{}, err
	}
	b, err := open(out, m, o)
	if err != nil {
		return Report{}, err
	}
	posts, err := oracle.Draw(ctx, db, o.Sample, o.Seed)
	if err != nil {
		return Report{}, err
	}
	want, err := oracle.ComputeSample(ctx, db, oracle.Options{
		Languages: m.Options.Languages, Other: m.Options.Other, Materialize: m.Options.Materialize, Connections: connections(b.workers),
		Fields: b.has(manifest.Vectors), Answers: b.embedsAnswers(),
	}, posts)
	if err != nil {
		return Report{}, err
	}
	s := newSampled(b, want)
	checks := []func(context.Context) (Check, error){func(ctx context.Context) (Check, error) { return s.compareFiles(ctx, o.Hash) }}
	if b.has(manifest.Graph) {
		checks = append(checks, s.compareQuads)
	}
	if b.has(manifest.Vectors) {
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

// sampled is what was found of the posts that were drawn.
type sampled struct {
	*build
	want  *oracle.Sample
	nodes map[string]int64 // the posts' and the comments' IRIs, without the site; the post's id, 0 for a comment

	mu     sync.Mutex
	quads  map[place]*oracle.Tallies
	where  map[string]string // a file that a node is in
	fields map[place]*[oracle.Fields]uint32
}

// place is a subject in a graph, or in the shards of a graph.
type place struct {
	path  string
	graph int
}

func newSampled(b *build, want *oracle.Sample) *sampled {
	s := &sampled{build: b, want: want, nodes: map[string]int64{},
		quads: map[place]*oracle.Tallies{}, where: map[string]string{}, fields: map[place]*[oracle.Fields]uint32{}}
	for path := range want.Quads {
		s.nodes[path] = 0
	}
	for _, id := range want.Posts { // what a post is not, must not be there either
		s.nodes[questionPath+strconv.FormatInt(id, 10)] = id
		s.nodes[answerPath+strconv.FormatInt(id, 10)] = id
	}
	return s
}

// compareFiles checks what lies in the folders.
func (s *sampled) compareFiles(ctx context.Context, hash bool) (Check, error) {
	files, what := s.build.files, "files: names and sizes against the manifest"
	sums := make([]string, len(files))
	if hash {
		what = "files: names, sizes and SHA-256 against the manifest"
		work, ctx := errgroup.WithContext(ctx)
		work.SetLimit(s.workers)
		for i, f := range files {
			work.Go(func() (err error) {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				sums[i], err = s.digest(f)
				s.progress.add(f.size)
				return err
			})
		}
		if err := work.Wait(); err != nil {
			return Check{}, err
		}
	}
	return s.inventoryOf(what, func(c *Check, want manifest.File, i int) {
		if f := files[i]; want.Size != f.size {
			c.differ("%s has %d bytes, the manifest says %d", f.name, f.size, want.Size)
		} else if hash && sums[i] != want.SHA256 {
			c.differ("%s has the SHA-256 %s, the manifest says %s", f.name, sums[i], want.SHA256)
		}
	}), nil
}

// kind are the files of a kind.
func (s *sampled) kind(k fileKind) (files []file) {
	for _, f := range s.build.files {
		if f.kind == k {
			files = append(files, f)
		}
	}
	return files
}

// compareQuads reads the batches that the posts are in.
func (s *sampled) compareQuads(ctx context.Context) (Check, error) {
	batches := newShelf(s.kind(aBatch), func(f file) int64 { return s.glance(ctx, f) }, func(f file, r *reach) { s.readSome(ctx, f, r) })
	work, within := errgroup.WithContext(ctx)
	work.SetLimit(s.workers)
	for _, post := range s.want.Threads {
		work.Go(func() error { _, err := batches.find(within, post); return err })
	}
	err := work.Wait()
	c := newCheck("graph", fmt.Sprintf("quads of %d posts and the comments on them, against the tables", len(s.want.Posts)))
	if err := errors.Join(err, batches.sum(&c)); err != nil {
		return c, err
	}
	for _, path := range s.sorted() {
		for g := range s.graphs {
			want, got := s.want.Quads[path][g], s.quads[place{path, g}]
			for t := range oracle.AllTerms {
				tables, files := tallyOf(want, t), tallyOf(got, t)
				c.Count += files.Count
				if tables != files {
					c.differ("graph <%s>, %s of %s%s: %s", s.graphs[g].iri, t, path, s.in(path), between(files, tables))
				}
			}
		}
	}
	return c, nil
}

func tallyOf(t *oracle.Tallies, term oracle.Term) oracle.Tally {
	if t == nil {
		return oracle.Tally{}
	}
	return t[term]
}

func between(files, tables oracle.Tally) string {
	if files.Count == tables.Count {
		return "another value in the files than in the tables"
	}
	return fmt.Sprintf("%d quads in the files, %d by the tables", files.Count, tables.Count)
}

func (s *sampled) in(path string) string {
	if name := s.where[path]; name != "" {
		return " (" + name + ")"
	}
	return ""
}

// sorted are the nodes: posts by id, then comments.
func (s *sampled) sorted() []string {
	return slices.SortedFunc(maps.Keys(s.nodes), func(a, b string) int {
		return cmp.Or(cmp.Compare(uint64(s.nodes[a]-1), uint64(s.nodes[b]-1)), cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	})
}

// glance reads a batch up to its first post.
func (s *sampled) glance(ctx context.Context, f file) (post int64) {
	c := newCensus(s.build)
	_, _ = s.build.quads(ctx, f, func(q *trig.Quad) string { // what is wrong with it is said where it is read
		term, _, bad := c.read(q)
		if bad == "" && term == postID {
			if id, ok := postOfPath(c.text[:c.node]); ok {
				post, bad = id, "seen"
			}
		}
		return bad
	})
	return post
}

// readSome reads a batch whole, and keeps what it says of the posts.
func (s *sampled) readSome(ctx context.Context, f file, r *reach) {
	c := newCensus(s.build)
	r.bad, r.err = s.build.quads(ctx, f, func(q *trig.Quad) string {
		term, crc, bad := c.read(q)
		if bad != "" {
			return bad
		}
		r.count++
		path := c.text[:c.node]
		if post, ok := postOfPath(path); ok && term == postID { // edges alone may be far from the post that they begin at
			if r.first > r.last {
				r.first, r.last = post, post
			}
			r.first, r.last = min(r.first, post), max(r.last, post)
		}
		if _, ok := s.nodes[string(path)]; ok {
			s.add(string(path), c.graph, term, crc, f.name)
		}
		return ""
	})
	if r.bad == "" && r.count > batchQuads {
		r.bad = fmt.Sprintf("%s has %d quads, more than %d", f.name, r.count, batchQuads)
	}
}

// postOfPath is the id of a question or answer.
func postOfPath(path []byte) (int64, bool) {
	digits, ok := bytes.CutPrefix(path, []byte(questionPath))
	if !ok {
		if digits, ok = bytes.CutPrefix(path, []byte(answerPath)); !ok {
			return 0, false
		}
	}
	id, err := strconv.ParseInt(string(digits), 10, 64)
	return id, err == nil
}

func (s *sampled) add(path string, graph int, term oracle.Term, crc uint32, file string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := place{path, graph}
	if s.quads[at] == nil {
		s.quads[at] = &oracle.Tallies{}
	}
	s.quads[at][term].Add(crc)
	s.where[path] = file
}

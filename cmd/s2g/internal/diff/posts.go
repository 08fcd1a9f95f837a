package diff

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"hash/maphash"
	"os"
	"slices"
	"strconv"
	"strings"

	"s2g/graph/trig"
	"s2g/schema/manifest"
	"s2g/schema/vocab"
)

// post is what the graph says of a question or an answer.
type post struct {
	id       int64
	question bool
	graphs   []int // that it stands in, ascending positions in the list of both builds' languages
	from     int   // the graph that its values are taken from: each says the same; -1: not known yet
	values   fingerprint
}

// postReader reads the posts of a build's graph in the order of their ids.
//
// A post's own triples follow each other, in each of its graphs, and may be cut
// by the end of a file: the last post of a file is complete when one with a higher
// id has been seen.
type postReader struct {
	side   *side
	seed   maphash.Seed
	graphs map[string]int // IRI to position
	props  map[string]property
	class  property
	link   [len(properties)]bool // it leads to another post
	read   func(bytes int64)     // hears of each file

	site              []byte
	questions, answer []byte // what the IRIs of posts begin with

	last    int64           // id of the last post that was sent
	pending map[int64]*post // of the file that is being read

	subject []byte // of the quad before, and its post: triples of a subject stand together
	of      *post
}

// newPostReader reads a side; languages are those of both, by their tags.
func newPostReader(s *side, languages []string, seed maphash.Seed, read func(int64)) *postReader {
	r := &postReader{
		side: s, seed: seed, graphs: map[string]int{}, props: byPredicate(), read: read,
		site: []byte(s.site), questions: stem(s.site.Question(0)), answer: stem(s.site.Answer(0)),
		last: -1 << 63, pending: map[int64]*post{},
	}
	r.class = r.props[vocab.RDF+"type"]
	r.link[r.props[vocab.NS+vocab.LinkedTo]], r.link[r.props[vocab.NS+vocab.DuplicateOf]] = true, true
	for i, tag := range languages {
		r.graphs[s.site.Graph(tag)] = i
	}
	return r
}

// stem is an IRI of post 0 without the number.
func stem(iri string) []byte { return []byte(strings.TrimSuffix(iri, "0")) }

// run reads all files and sends their posts, in the order of their ids.
func (r *postReader) run(ctx context.Context, send chan<- []post) error {
	for i, f := range r.side.batches {
		if err := r.file(ctx, f); err != nil {
			return err
		}
		posts, err := r.complete(f, i == len(r.side.batches)-1)
		if err != nil {
			return err
		}
		select {
		case send <- posts:
		case <-ctx.Done():
			return ctx.Err()
		}
		r.read(f.Size)
	}
	return nil
}

// complete returns the posts that no later file can say more of.
func (r *postReader) complete(f manifest.File, last bool) (ready []post, err error) {
	highest := int64(-1 << 63)
	for id := range r.pending {
		highest = max(highest, id)
	}
	for id, p := range r.pending {
		if id == highest && !last {
			continue
		}
		slices.Sort(p.graphs)
		ready = append(ready, *p)
		delete(r.pending, id)
	}
	slices.SortFunc(ready, func(a, b post) int { return cmp.Compare(a.id, b.id) })
	if len(ready) > 0 {
		if ready[0].id <= r.last {
			return nil, r.side.damaged(f, fmt.Errorf("post %d stands after post %d", ready[0].id, r.last))
		}
		r.last = ready[len(ready)-1].id
	}
	return ready, nil
}

// posts are those that a reader sends, one by one.
type posts struct {
	from  <-chan []post
	ready []post
}

// next returns the post with the next id, nil at the end. It is valid until the
// next call.
func (p *posts) next(ctx context.Context) (*post, error) {
	for len(p.ready) == 0 {
		select {
		case more, ok := <-p.from:
			if !ok {
				return nil, nil
			}
			p.ready = more
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	first := &p.ready[0]
	p.ready = p.ready[1:]
	return first, nil
}

// file reads a file of the graph.
func (r *postReader) file(ctx context.Context, f manifest.File) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	stored, err := os.Open(r.side.path(f))
	if err != nil {
		return r.side.damaged(f, err)
	}
	defer stored.Close()
	text, format, err := trig.OpenText(stored, f.Name)
	if err != nil {
		return r.side.damaged(f, err)
	}
	defer text.Close()
	r.subject, r.of = r.subject[:0], nil
	quads := trig.NewReader(text, format)
	for quads.Scan() {
		r.quad(quads.Record())
	}
	if err := quads.Err(); err != nil {
		return r.side.damaged(f, err)
	}
	return nil
}

// quad enters a quad, if it says something of a post that is compared.
func (r *postReader) quad(q *trig.Quad) {
	at, compared := r.props[string(q.Predicate.Value)]
	if !compared && string(q.Predicate.Value) != vocab.NS+vocab.PostID {
		return
	}
	graph, known := r.graphs[string(q.Graph.Value)]
	p := r.postOf(q.Subject.Value)
	switch {
	case p == nil || !known:
		return
	case !compared: // its number stands in the graphs of the post alone, its links in those of their other ends, too
		p.graphs = append(p.graphs, graph)
		return
	case at == r.class && !derived[string(q.Object.Value)]:
		return
	case p.from < 0 && !r.link[at]:
		p.from = graph
	}
	if p.from != graph {
		return
	}
	value := q.Object.Value
	if q.Object.Kind == trig.IRI && at != r.class { // the site of a build is no property of its posts
		value = bytes.TrimPrefix(value, r.site)
	}
	p.values[at] += maphash.Bytes(r.seed, value)
}

// postOf returns the post that a subject is, nil where it is something else.
func (r *postReader) postOf(subject []byte) *post {
	if bytes.Equal(subject, r.subject) {
		return r.of
	}
	r.subject, r.of = append(r.subject[:0], subject...), nil
	digits, question := bytes.CutPrefix(subject, r.questions)
	if !question {
		var answer bool
		if digits, answer = bytes.CutPrefix(subject, r.answer); !answer {
			return nil
		}
	}
	id, err := strconv.ParseInt(string(digits), 10, 64)
	if err != nil {
		return nil
	}
	if r.of = r.pending[id]; r.of == nil {
		r.of = &post{id: id, question: question, from: -1}
		r.pending[id] = r.of
	}
	return r.of
}

package diff

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"hash/maphash"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"s2g/graph/trig"
	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/vocab"
)

// post is a question or an answer of a graph.
type post struct {
	id       int64
	question bool
	graphs   []int // that hold the post, as ascending positions in the list of both builds' languages
	from     int   // the graph that values comes from; its other graphs hold the same values
	hasFrom  bool  // from is set
	values   fingerprint
}

// property is a position in properties and in a post's fingerprint.
type property int

// properties are the compared properties of a post, by local name. The first three are
// its text. The derived classes are one property.
var properties = [...]string{
	vocab.HasTitle, vocab.HasBody, vocab.TaggedWith,
	class,
	vocab.Score, vocab.UpVotes, vocab.DownVotes, vocab.ViewCount, vocab.AnswerCount, vocab.CommentCount, vocab.FavoriteCount,
	vocab.CreationDate, vocab.LastEditDate, vocab.LastActivityDate, vocab.ClosedDate, vocab.CommunityOwnedDate,
	vocab.LinkedTo, vocab.DuplicateOf, vocab.Author, vocab.AuthorName, vocab.License,
}

// class is the property of the derived classes: answered, accepted, possibly better.
const class = "class"

// textual is the number of properties, at the beginning, that are text.
const textual = 3

// fingerprint holds for each property the sum of the hashes of its values, so that
// their order does not matter.
type fingerprint [len(properties)]uint64

// derived are the classes that are compared.
var derived = map[string]bool{
	vocab.NS + vocab.AnsweredQuestion: true, vocab.NS + vocab.UnansweredQuestion: true,
	vocab.NS + vocab.AcceptedAnswer: true, vocab.NS + vocab.PossibleBetterAnswer: true,
}

// byPredicate returns the properties by IRI.
func byPredicate() map[string]property {
	m := map[string]property{}
	for i, name := range properties {
		m[vocab.NS+name] = property(i)
	}
	m[vocab.RDF+"type"] = m[vocab.NS+class]
	delete(m, vocab.NS+class)
	return m
}

// changes returns the properties in which two posts differ, without the ignored ones.
func changes(before, after *fingerprint, ignored *[len(properties)]bool) (list []property) {
	for i := range before {
		if before[i] != after[i] && !ignored[i] {
			list = append(list, property(i))
		}
	}
	return list
}

// comparePosts reads the graphs of both builds side by side and compares their posts.
func (c *comparison) comparePosts(ctx context.Context) error {
	read := c.progress("posts", manifest.Graph)
	work, ctx := errgroup.WithContext(ctx)
	seed := maphash.MakeSeed()
	start := func(s *side) (next func() (*post, error)) {
		sent := make(chan []post)
		work.Go(func() error {
			if err := newPostReader(s, c.languages, seed, read).run(ctx, sent); err != nil {
				return err // sent stays open, because a close would make the unread posts count as removed
			}
			close(sent)
			return nil
		})
		var ready []post
		return func() (*post, error) {
			for len(ready) == 0 {
				select {
				case more, ok := <-sent:
					if !ok {
						return nil, nil
					}
					ready = more
				case <-ctx.Done():
					return nil, ctx.Err()
				}
			}
			first := &ready[0]
			ready = ready[1:]
			return first, nil
		}
	}
	before, after := start(c.old), start(c.new)
	work.Go(func() error {
		counts := newPostCounts(c)
		if err := merge(before, after, func(p *post) int64 { return p.id }, counts.add); err != nil {
			return err
		}
		counts.finish()
		return nil
	})
	return work.Wait()
}

// postReader reads the posts of a build's graph in the order of their ids.
//
// A post's own triples follow each other, in each of its graphs, and may continue in the
// next file. So the last post of a file is complete only when a later file has a post
// with a higher id.
type postReader struct {
	side   *side
	seed   maphash.Seed
	graphs map[string]int // position by IRI
	props  map[string]property
	class  property
	isLink [len(properties)]bool // the property leads to another post
	read   func(bytes int64)     // called with the size of each file that was read

	site                     []byte
	questionStem, answerStem []byte // of the IRIs of posts

	last    int64           // id of the last post that was sent
	pending map[int64]*post // read and not sent yet

	subject []byte // of the previous quad, often that of the next one too
	current *post  // of that subject; nil: no post
}

// newPostReader returns a reader of a side. languages are those of both sides, by
// their tags.
func newPostReader(s *side, languages []string, seed maphash.Seed, read func(int64)) *postReader {
	r := &postReader{
		side: s, seed: seed, graphs: map[string]int{}, props: byPredicate(), read: read,
		site: []byte(s.site), questionStem: stem(s.site.Question(0)), answerStem: stem(s.site.Answer(0)),
		last: math.MinInt64, pending: map[int64]*post{},
	}
	r.class = r.props[vocab.RDF+"type"]
	r.isLink[r.props[vocab.NS+vocab.LinkedTo]], r.isLink[r.props[vocab.NS+vocab.DuplicateOf]] = true, true
	for i, tag := range languages {
		r.graphs[s.site.Graph(tag)] = i
	}
	return r
}

// stem returns the IRI of post 0 without the number.
func stem(iri string) []byte { return []byte(strings.TrimSuffix(iri, "0")) }

// run reads all files and sends their posts, in the order of their ids.
func (r *postReader) run(ctx context.Context, send chan<- []post) error {
	for i, f := range r.side.batches {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := r.readFile(f); err != nil {
			return r.side.damaged(f, err)
		}
		posts, err := r.takeComplete(i == len(r.side.batches)-1)
		if err != nil {
			return r.side.damaged(f, err)
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

// readFile adds the posts of a file of the graph to pending.
func (r *postReader) readFile(f manifest.File) error {
	stored, err := schema.OpenRegular(r.side.path(f))
	if err != nil {
		return err
	}
	defer stored.Close()
	text, format, err := trig.OpenText(stored, f.Name)
	if err != nil {
		return err
	}
	defer text.Close()
	r.subject, r.current = r.subject[:0], nil
	quads := trig.NewReader(text, format)
	for quads.Scan() {
		r.addQuad(quads.Record())
	}
	return quads.Err()
}

// addQuad adds a quad to the fingerprint of its post, if its property is compared.
func (r *postReader) addQuad(q *trig.Quad) {
	at, compared := r.props[string(q.Predicate.Value)]
	if !compared && string(q.Predicate.Value) != vocab.NS+vocab.PostID {
		return
	}
	graph, known := r.graphs[string(q.Graph.Value)]
	p := r.postOf(q.Subject.Value)
	switch {
	case p == nil || !known:
		return
	case !compared: // so:postId is in the post's own graphs; its links are in those of the linked posts too
		p.graphs = append(p.graphs, graph)
		return
	case at == r.class && !derived[string(q.Object.Value)]:
		return
	case !p.hasFrom && !r.isLink[at]:
		p.from, p.hasFrom = graph, true
	}
	if !p.hasFrom || p.from != graph {
		return
	}
	value := q.Object.Value
	if q.Object.Kind == trig.IRI && at != r.class { // two builds of different sites have the same paths
		value = bytes.TrimPrefix(value, r.site)
	}
	p.values[at] += maphash.Bytes(r.seed, value)
}

// postOf returns the post of a subject, nil where it is no question and no answer.
func (r *postReader) postOf(subject []byte) *post {
	if bytes.Equal(subject, r.subject) {
		return r.current
	}
	r.subject, r.current = append(r.subject[:0], subject...), nil
	digits, question := bytes.CutPrefix(subject, r.questionStem)
	if !question {
		var answer bool
		if digits, answer = bytes.CutPrefix(subject, r.answerStem); !answer {
			return nil
		}
	}
	id, err := strconv.ParseInt(string(digits), 10, 64)
	if err != nil {
		return nil
	}
	if r.current = r.pending[id]; r.current == nil {
		r.current = &post{id: id, question: question}
		r.pending[id] = r.current
	}
	return r.current
}

// takeComplete removes the complete posts from pending and returns them.
func (r *postReader) takeComplete(lastFile bool) (ready []post, err error) {
	highest := int64(math.MinInt64)
	for id := range r.pending {
		highest = max(highest, id)
	}
	for id, p := range r.pending {
		if id == highest && !lastFile {
			continue
		}
		slices.Sort(p.graphs)
		ready = append(ready, *p)
		delete(r.pending, id)
	}
	slices.SortFunc(ready, func(a, b post) int { return cmp.Compare(a.id, b.id) })
	if len(ready) > 0 {
		if ready[0].id <= r.last {
			return nil, fmt.Errorf("post %d follows post %d", ready[0].id, r.last)
		}
		r.last = ready[len(ready)-1].id
	}
	return ready, nil
}

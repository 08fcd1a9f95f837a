package diff

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"hash/maphash"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"s2g/graph/trig"
	"s2g/schema/manifest"
	"s2g/schema/vocab"
)

// post is a question or an answer of a graph.
type post struct {
	id       int64
	question bool
	graphs   []int // that hold it, ascending positions in the list of both builds' languages
	from     int   // the graph that its values are taken from, because all hold the same
	hasFrom  bool
	values   fingerprint
}

// property is a position in properties and in a post's fingerprint.
type property int

// properties are what is compared of a post, by their names in the graph. The first
// three are its text. The derived classes are one property.
var properties = [...]string{
	vocab.HasTitle, vocab.HasBody, vocab.TaggedWith,
	class,
	vocab.Score, vocab.UpVotes, vocab.DownVotes, vocab.ViewCount, vocab.AnswerCount, vocab.CommentCount, vocab.FavoriteCount,
	vocab.CreationDate, vocab.LastEditDate, vocab.LastActivityDate, vocab.ClosedDate, vocab.CommunityOwnedDate,
	vocab.LinkedTo, vocab.DuplicateOf, vocab.Author, vocab.AuthorName, vocab.License,
}

// class is the name of the property of derived classes: answered, accepted,
// possibly better.
const class = "class"

// textual is how many of the properties, the first, are text.
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

// changes returns the properties in which two posts differ, without those ignored.
func changes(was, now *fingerprint, ignored *[len(properties)]bool) (list []property) {
	for i := range was {
		if was[i] != now[i] && !ignored[i] {
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
				return err // sent stays open, so that the posts that are missing do not count as removed
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
	was, now := start(c.old), start(c.new)
	work.Go(func() error {
		counts := newPostCounts(c)
		if err := merge(was, now, func(p *post) int64 { return p.id }, counts.add); err != nil {
			return err
		}
		counts.finish()
		return nil
	})
	return work.Wait()
}

// postReader reads the posts of a build's graph in the order of their ids.
//
// A post's own triples follow each other, in each of its graphs, and the end of a
// file can cut them: the last post of a file is complete when a later file has one
// with a higher id.
type postReader struct {
	side   *side
	seed   maphash.Seed
	graphs map[string]int // position by IRI
	props  map[string]property
	class  property
	isLink [len(properties)]bool // the property leads to another post
	read   func(bytes int64)     // called after each file

	site                     []byte
	questionStem, answerStem []byte // of the IRIs of posts

	last    int64           // id of the last post that was sent
	pending map[int64]*post // of the file that is being read

	subject []byte // of the previous quad, because triples of a subject follow each other
	current *post  // of that subject
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
		if err := r.file(f); err != nil {
			return r.side.damaged(f, err)
		}
		posts, err := r.complete(i == len(r.side.batches)-1)
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

// file reads a file of the graph.
func (r *postReader) file(f manifest.File) error {
	stored, err := os.Open(r.side.path(f))
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
		r.quad(quads.Record())
	}
	return quads.Err()
}

// quad adds a quad to the fingerprint of its post, if it is compared.
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
	case !compared: // only the graphs of the post have its so:postId; the graphs of linked posts have its links, too
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
	if q.Object.Kind == trig.IRI && at != r.class { // the site of a build is no property of its posts
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

// complete returns the posts of which no later file has more triples.
func (r *postReader) complete(lastFile bool) (ready []post, err error) {
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

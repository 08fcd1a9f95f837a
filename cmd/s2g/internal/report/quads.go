package report

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"s2g/graph/trig"
	"s2g/schema"
	"s2g/schema/tables"
	"s2g/schema/threads"
	"s2g/schema/vocab"
)

// shownText is how many characters are read of a text: a box shows three lines.
const shownText = 2000

// threadReader reads from the tables what the graph says of one thread: those of
// its quads that a drawing shows, in the order of the graph's files. To find them
// in the files all of these would have to be read.
type threadReader struct {
	db    *tables.DB
	index *threads.Index
	o     Options

	graphs  []string // of the question; the first is drawn
	quads   []trig.Quad
	license string // of the question
	better  bool   // it has a PossibleBetterAnswer
}

// scan gives the quads that were read; see [readThread].
func (r *threadReader) scan(use func(*trig.Quad)) error {
	for i := range r.quads {
		use(&r.quads[i])
	}
	return nil
}

func (r *threadReader) read(ctx context.Context, question int64) error {
	q, ok := r.index.Find(question)
	if !ok || !q.Question {
		return fmt.Errorf("%d is no question of a graph", question)
	}
	for _, g := range r.index.Graphs(q.Set) {
		tag := ""
		if g < len(r.o.Languages) {
			tag = r.o.Languages[g].Tag
		}
		r.graphs = append(r.graphs, r.o.Site.Graph(tag))
	}
	posts := []threads.Post{q}
	err := each(ctx, r.db, fmt.Sprintf("SELECT Id FROM Posts WHERE ParentId = %d ORDER BY Id", question), func(row [][]byte) {
		if a, ok := r.index.Find(tables.Int(row[0])); ok && !a.Question {
			posts = append(posts, a)
			r.edge(q, vocab.HasAnswer, a)
			if a.IsAccepted {
				r.edge(q, vocab.HasAcceptedAnswer, a)
			}
			if a.IsBetter {
				r.edge(q, vocab.HasPossibleBetterAnswer, a)
				r.better = true
			}
		}
	})
	if err != nil {
		return err
	}
	others, err := r.links(ctx, q)
	if err != nil {
		return err
	}
	for i, p := range slices.Concat(posts, others) {
		if err := r.post(ctx, p, i == 0, i < len(posts)); err != nil {
			return err
		}
	}
	return nil
}

// iri names a post.
func (r *threadReader) iri(p threads.Post) string {
	if p.Question {
		return r.o.Site.Question(p.ID)
	}
	return r.o.Site.Answer(p.ID)
}

// add appends a quad of the drawn graph.
func (r *threadReader) add(subject, predicate string, object []byte) {
	if object != nil {
		r.quads = append(r.quads, trig.Quad{
			Subject:   trig.Term{Value: []byte(subject)},
			Predicate: trig.Term{Value: []byte(vocab.NS + predicate)},
			Object:    trig.Term{Value: bytes.Clone(object)},
			Graph:     trig.Term{Value: []byte(r.graphs[0])},
		})
	}
}

// class appends a quad of rdf:type.
func (r *threadReader) class(subject string, classes ...string) {
	for _, c := range classes {
		r.add(subject, "", []byte(vocab.NS+c))
		r.quads[len(r.quads)-1].Predicate.Value = []byte(vocab.RDF + "type")
	}
}

func (r *threadReader) edge(from threads.Post, name string, to threads.Post) {
	r.add(r.iri(from), name, []byte(r.iri(to)))
}

// links reads the edges of a question to other posts, and returns those of these
// that stand in the drawn graph, too.
func (r *threadReader) links(ctx context.Context, q threads.Post) (others []threads.Post, err error) {
	if has, err := hasTable(ctx, r.db, "PostLinks"); err != nil || !has {
		return nil, err
	}
	type link struct {
		kind int64
		wide bool // it stands in more graphs than the question, and is written after the others
		to   threads.Post
	}
	var links []link
	query := fmt.Sprintf("SELECT DISTINCT LinkTypeId, RelatedPostId FROM PostLinks WHERE PostId = %d AND LinkTypeId IN (%d, %d)", q.ID, schema.LinkLinked, schema.LinkDuplicate)
	err = each(ctx, r.db, query, func(row [][]byte) {
		kind := tables.Int(row[0])
		if to, ok := r.index.Find(tables.Int(row[1])); ok && (kind == schema.LinkLinked || to.Question) {
			links = append(links, link{kind, r.index.Union(q.Set, to.Set) != q.Set, to})
		}
	})
	slices.SortFunc(links, func(a, b link) int {
		wide := func(l link) int {
			if l.wide {
				return 1
			}
			return 0
		}
		return cmp.Or(cmp.Compare(wide(a), wide(b)), cmp.Compare(a.kind, b.kind), cmp.Compare(a.to.ID, b.to.ID))
	})
	drawn := r.index.Graphs(q.Set)[0]
	for _, l := range links {
		name := vocab.LinkedTo
		if l.kind == schema.LinkDuplicate {
			name = vocab.DuplicateOf
		}
		r.edge(q, name, l.to)
		if slices.Contains(r.index.Graphs(l.to.Set), drawn) && l.to.Parent != q.ID && l.to.ID != q.ID &&
			!slices.ContainsFunc(others, func(p threads.Post) bool { return p.ID == l.to.ID }) {
			others = append(others, l.to)
		}
	}
	return others, err
}

// classes are those of a post, the concrete one first.
func classes(p threads.Post) []string {
	switch {
	case p.Question && p.Answered:
		return []string{vocab.Question, vocab.AnsweredQuestion}
	case p.Question:
		return []string{vocab.Question, vocab.UnansweredQuestion}
	case p.IsAccepted:
		return []string{vocab.Answer, vocab.AcceptedAnswer}
	case p.IsBetter:
		return []string{vocab.Answer, vocab.PossibleBetterAnswer}
	}
	return []string{vocab.Answer}
}

// post reads a post; main is the thread's question, and of those that are whole
// the comments and tags are read, too.
func (r *threadReader) post(ctx context.Context, p threads.Post, main, whole bool) error {
	iri, tags := r.iri(p), ""
	query := fmt.Sprintf("SELECT Title, LEFT(Body, %d), Score, ViewCount, CreationDate, OwnerUserId, ContentLicense, LastEditDate, LastEditorUserId, Tags FROM Posts WHERE Id = %d", shownText, p.ID)
	err := each(ctx, r.db, query, func(row [][]byte) {
		r.class(iri, classes(p)...)
		for _, g := range r.graphs[1:] {
			if main {
				also := r.quads[len(r.quads)-1].Clone()
				also.Graph.Value = []byte(g)
				r.quads = append(r.quads, also)
			}
		}
		license := vocab.LicenseIRI(row[6], row[4], row[7], string(row[8]) == "-1")
		if p.Question {
			r.add(iri, vocab.HasTitle, row[0])
			r.add(iri, vocab.ViewCount, row[3])
			r.add(iri, vocab.License, []byte(license))
			r.author(iri, row[5])
		}
		r.add(iri, vocab.HasBody, row[1])
		r.add(iri, vocab.Score, row[2])
		r.add(iri, vocab.CreationDate, []byte(date(row[4])))
		if main {
			r.license, tags = license, string(row[9])
		}
	})
	if err != nil {
		return err
	}
	if err := r.votes(ctx, iri, p.ID); err != nil || !whole {
		return err
	}
	if err := r.tags(ctx, iri, tags); err != nil {
		return err
	}
	return r.comments(ctx, iri, p.ID)
}

func (r *threadReader) author(iri string, user []byte) {
	if user != nil {
		r.add(iri, vocab.Author, []byte(r.o.Site.User(tables.Int(user))))
	}
}

func (r *threadReader) votes(ctx context.Context, iri string, post int64) error {
	if has, err := hasTable(ctx, r.db, "Votes"); err != nil || !has {
		return err
	}
	query := fmt.Sprintf("SELECT COUNT(IF(VoteTypeId = %d, 1, NULL)), COUNT(IF(VoteTypeId = %d, 1, NULL)) FROM Votes WHERE PostId = %d", schema.VoteUp, schema.VoteDown, post)
	return each(ctx, r.db, query, func(row [][]byte) {
		r.add(iri, vocab.UpVotes, row[0])
		r.add(iri, vocab.DownVotes, row[1])
	})
}

func (r *threadReader) comments(ctx context.Context, iri string, post int64) error {
	if has, err := hasTable(ctx, r.db, "Comments"); err != nil || !has {
		return err
	}
	query := fmt.Sprintf("SELECT Id, LEFT(Text, %d), Score, CreationDate FROM Comments WHERE PostId = %d ORDER BY Id", shownText, post)
	return each(ctx, r.db, query, func(row [][]byte) {
		c := r.o.Site.Comment(tables.Int(row[0]))
		r.add(iri, vocab.HasComment, []byte(c))
		r.class(c, vocab.Comment)
		r.add(c, vocab.HasBody, row[1])
		r.add(c, vocab.Score, row[2])
		r.add(c, vocab.CreationDate, []byte(date(row[3])))
	})
}

// tags reads the tags of a question, |a|b|.
func (r *threadReader) tags(ctx context.Context, iri, tags string) error {
	has, err := hasTable(ctx, r.db, "Tags")
	if err != nil {
		return err
	}
	for tag := range bytes.SplitSeq([]byte(tags), []byte{'|'}) {
		if len(tag) == 0 {
			continue
		}
		node := r.o.Site.Tag(string(tag))
		r.add(iri, vocab.TaggedWith, []byte(node))
		r.class(node, vocab.Tag)
		r.add(node, vocab.TagName, tag)
		if !has {
			continue
		}
		err := each(ctx, r.db, "SELECT Count FROM Tags WHERE TagName = ? ORDER BY Id LIMIT 1", func(row [][]byte) {
			r.add(node, vocab.TagCount, row[0])
		}, string(tag))
		if err != nil {
			return err
		}
	}
	return nil
}

// date is a date of the database as the graph writes it.
func date(stored []byte) string { return strings.Replace(string(stored), " ", "T", 1) + "Z" }

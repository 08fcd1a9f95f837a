package graph

import (
	"context"
	"errors"
	"slices"

	"s2g/graph/trig"
	"s2g/schema"
	"s2g/schema/tables"
	"s2g/schema/threads"
	"s2g/schema/vocab"
)

// posts renders a unit of posts: it walks the four scans side by side.
func (w *worker) posts(ctx context.Context, u *unit) (err error) {
	s, err := w.open(ctx, u)
	defer func() { err = errors.Join(err, s.close()) }()
	if err != nil {
		return err
	}
	for ; s.posts.row != nil; s.posts.next() {
		id := s.posts.id
		w.orphans(&s, func(st *stream) bool { return st.before(id) })
		if p, ok := w.threads.Find(id); ok {
			w.post(p, s.posts.row, &s)
		} else {
			w.outside(id, tables.Int(s.posts.row[postType]), &s)
		}
		if err := w.spill(ctx); err != nil {
			return err
		}
	}
	w.orphans(&s, func(st *stream) bool { return st.row != nil })
	return nil
}

// orphans passes over the rows of posts that are not in the dump.
func (w *worker) orphans(s *scans, these func(*stream) bool) {
	for ; these(s.comments); s.comments.next() {
		w.count(commentsWithoutPost, 1)
	}
	for ; these(s.votes); s.votes.next() {
		w.count(votesWithoutPost, tables.Int(s.votes.row[2]))
	}
	for ; these(s.links); s.links.next() {
		w.count(linksOutside, 1)
	}
}

// outside passes over the rows of a post that is in no graph.
func (w *worker) outside(id, kind int64, s *scans) {
	reason := commentsOutside
	switch kind {
	case schema.PostQuestion:
		w.count(questionsOutside, 1)
	case schema.PostAnswer:
		w.count(answersOutside, 1)
	case schema.PostTagWiki, schema.PostTagWikiExcerpt:
		reason = commentsOnWikis
	}
	for ; s.comments.of(id); s.comments.next() {
		w.count(reason, 1)
	}
	for s.votes.of(id) {
		s.votes.next()
	}
	for ; s.links.of(id); s.links.next() {
		w.count(linksOutside, 1)
	}
}

// edge is a link of the post that is being rendered.
type edge struct {
	property property
	frame    trig.Frame
	id       int64
	set      threads.GraphSet
}

// post renders a question or an answer with its comments and links.
func (w *worker) post(p threads.Post, row [][]byte, s *scans) {
	graphs := w.threads.Graphs(p.Set)
	if p.Question {
		w.count(questionsWritten, 1)
		w.out.Begin(graphs, w.terms.question, p.ID)
		w.questionOnly(p, row)
	} else {
		w.count(answersWritten, 1)
		w.out.Begin(graphs, w.terms.question, p.Parent)
		w.terms.HasAnswer[standingOf(p)].int(w.out, w.terms.answer, p.ID)
		w.out.Begin(graphs, w.terms.answer, p.ID)
		w.terms.isAnswer[standingOf(p)].write(w.out)
	}
	w.common(row)
	if w.has["Votes"] {
		w.votes(p.ID, s.votes)
	}
	if p.Question {
		w.tags(row[postTags], graphs)
	}
	w.links(p, s.links)
	w.comments(p, graphs, s.comments)
	for _, e := range w.pending {
		w.out.Begin(w.threads.Graphs(e.set), w.frame(p), p.ID)
		e.property.int(w.out, e.frame, e.id)
	}
}

func (w *worker) frame(p threads.Post) trig.Frame {
	if p.Question {
		return w.terms.question
	}
	return w.terms.answer
}

func (w *worker) questionOnly(p threads.Post, row [][]byte) {
	t, f := w.terms, w.out
	if p.Answered {
		t.isAnswered.write(f)
	} else {
		t.isUnanswered.write(f)
	}
	if len(row[postAcceptedAnswerID]) > 0 && p.AcceptedAnswer == 0 {
		w.count(acceptedDropped, 1)
	}
	w.text(f, t.hasTitle, row[postTitle])
	w.number(f, t.viewCount, row[postViewCount])
	w.number(f, t.answerCount, row[postAnswerCount])
	w.number(f, t.favoriteCount, row[postFavoriteCount])
	w.date(f, t.closedDate, row[postClosedDate])
}

// common renders what questions, answers and wikis have in common.
func (w *worker) common(row [][]byte) {
	t, f := w.terms, w.out
	w.number(f, t.postID, row[postID])
	w.text(f, t.hasBody, row[postBody])
	w.number(f, t.score, row[postScore])
	w.number(f, t.commentCount, row[postCommentCount])
	w.date(f, t.creationDate, row[postCreationDate])
	w.date(f, t.lastEditDate, row[postLastEditDate])
	w.date(f, t.lastActivityDate, row[postLastActivityDate])
	w.date(f, t.communityOwnedDate, row[postCommunityOwnedDate])
	w.author(f, row[postOwnerUserID])
	w.text(f, t.authorName, row[postOwnerDisplayName])
	bySite := string(row[postLastEditorUserID]) == "-1"
	t.licenseOf.term(f, w.license(row[postContentLicense], row[postCreationDate], row[postLastEditDate], bySite))
}

func (w *worker) votes(post int64, votes *stream) {
	var up, down int64
	for ; votes.of(post); votes.next() {
		if n := tables.Int(votes.row[2]); tables.Int(votes.row[1]) == schema.VoteUp {
			up = n
		} else {
			down = n
		}
	}
	w.terms.upVotes.int(w.out, w.terms.integer, up)
	w.terms.downVotes.int(w.out, w.terms.integer, down)
}

// tags renders the tags of a question, and notes which graphs they are now in.
func (w *worker) tags(list []byte, graphs []int) {
	for tag := range splitTags(list) {
		w.tagged.add(tag, graphs, len(w.graphs))
		w.scratch = vocab.AppendSegment(w.scratch[:0], string(tag))
		w.terms.TaggedWith.bytes(w.out, w.terms.tag, w.scratch)
	}
}

// links renders the links of a post. Those that stand in more graphs than the
// post itself have to wait until its own triples are complete. Rows come by
// type, then by the post that they lead to.
func (w *worker) links(p threads.Post, links *stream) {
	w.pending, w.linked = w.pending[:0], w.linked[:0]
	var kind, related int64
	for first := true; links.of(p.ID); links.next() {
		k, r := tables.Int(links.row[1]), tables.Int(links.row[2])
		if !first && k == kind && r == related {
			w.count(linksRepeated, 1)
			continue
		}
		first, kind, related = false, k, r
		other, ok := w.threads.Find(r)
		if !ok {
			w.count(linksOutside, 1)
			continue
		}
		e := edge{property: w.terms.LinkedTo, frame: w.frame(other), set: w.threads.Union(p.Set, other.Set), id: r}
		if k == schema.LinkDuplicate {
			if !p.Question || !other.Question {
				w.count(duplicatesNotQuestions, 1)
				continue
			}
			e.property = w.terms.DuplicateOf
			if _, too := slices.BinarySearch(w.linked, r); too {
				e.property = w.terms.DuplicateToo
			}
		} else {
			w.linked = append(w.linked, r)
		}
		w.count(linksWritten, 1)
		if e.set == p.Set {
			e.property.int(w.out, e.frame, r)
		} else {
			w.pending = append(w.pending, e)
		}
	}
}

// comments renders the edges to a post's comments, then the comments.
func (w *worker) comments(p threads.Post, graphs []int, rows *stream) {
	t, f := w.terms, &w.under
	f.Reset()
	for ; rows.of(p.ID); rows.next() {
		row := rows.row
		id := tables.Int(row[commentID])
		t.HasComment.int(w.out, t.comment, id)
		f.Begin(graphs, t.comment, id)
		t.isComment.write(f)
		w.number(f, t.commentID, row[commentID])
		w.text(f, t.hasBody, row[commentText])
		w.number(f, t.score, row[commentScore])
		w.date(f, t.creationDate, row[commentDate])
		w.author(f, row[commentUser])
		w.text(f, t.authorName, row[commentUserName])
		t.licenseOf.term(f, w.license(row[commentLicense], row[commentDate], nil, false))
		w.count(commentsWritten, 1)
	}
	w.out.Append(f)
}

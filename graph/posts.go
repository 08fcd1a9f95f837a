package graph

import (
	"context"
	"errors"
	"slices"

	"s2g/graph/trig"
	"s2g/schema"
	"s2g/schema/postscan"
	"s2g/schema/tables"
	"s2g/schema/threads"
	"s2g/schema/vocab"
)

// renderPosts renders a unit of posts: it merges the posts and the three scans.
func (w *worker) renderPosts(ctx context.Context, u *unit) (err error) {
	s, err := openPostScans(ctx, w.source, u.lo, u.hi)
	defer func() { err = errors.Join(err, s.close()) }()
	if err != nil {
		return err
	}
	err = u.posts.Each(ctx, func(row [][]byte) error {
		id := tables.Int(row[postscan.ID])
		w.skipOrphans(&s, func(scan *orderedScan) bool { return scan.isBefore(id) })
		if p, ok := w.threads.Find(id); ok {
			w.renderPost(p, row, &s)
		} else {
			w.skipPost(id, row, &s)
		}
		return w.spill(ctx)
	})
	if err == nil {
		w.skipOrphans(&s, func(scan *orderedScan) bool { return scan.row != nil })
	}
	return err
}

// skipOrphans counts and skips rows of posts that are not in the dump.
func (w *worker) skipOrphans(s *postScans, isOrphan func(*orderedScan) bool) {
	for ; isOrphan(s.comments); s.comments.next() {
		w.count(commentsWithoutPost, 1)
	}
	for ; isOrphan(s.votes); s.votes.next() {
		w.count(votesWithoutPost, tables.Int(s.votes.row[2]))
	}
	for ; isOrphan(s.links); s.links.next() {
		w.count(linksOutside, 1)
	}
}

// skipPost counts and skips a post that is in no graph, and the rows of other tables
// that belong to it.
func (w *worker) skipPost(id int64, row [][]byte, s *postScans) {
	reason := commentsOutside
	switch tables.Int(row[postscan.Type]) {
	case schema.PostQuestion:
		w.count(questionsOutside, 1)
		w.figures.addTags(row[postscan.Tags], false)
	case schema.PostAnswer:
		w.count(answersOutside, 1)
	case schema.PostTagWiki, schema.PostTagWikiExcerpt:
		reason = commentsOnWikis
	}
	for ; s.comments.isOf(id); s.comments.next() {
		w.count(reason, 1)
	}
	for s.votes.isOf(id) {
		s.votes.next()
	}
	for ; s.links.isOf(id); s.links.next() {
		w.count(linksOutside, 1)
	}
}

// renderPost renders a question or an answer with its votes, tags, links and comments.
// It renders each node once, with the list of graphs that the node belongs to.
func (w *worker) renderPost(p threads.Post, row [][]byte, s *postScans) {
	t, f, graphs := w.terms, w.out, w.threads.Graphs(p.Set)
	w.figures.addPost(p, row[postscan.CreationDate], row[postscan.Score])
	if p.Question {
		w.count(questionsWritten, 1)
		w.figures.addTags(row[postscan.Tags], true)
		if len(row[postscan.AcceptedAnswerID]) > 0 && p.AcceptedAnswer == 0 {
			w.count(acceptedDropped, 1)
		}
		f.Begin(graphs, t.question, p.ID)
		if p.Answered {
			t.isAnswered.write(f)
		} else {
			t.isUnanswered.write(f)
		}
		w.writeText(f, t.hasTitle, row[postscan.Title])
		w.writeNumber(f, t.viewCount, row[postscan.ViewCount])
		w.writeNumber(f, t.answerCount, row[postscan.AnswerCount])
		w.writeNumber(f, t.favoriteCount, row[postscan.FavoriteCount])
		w.writeDate(f, t.closedDate, row[postscan.ClosedDate])
	} else {
		w.count(answersWritten, 1)
		status := statusOf(p)
		f.Begin(graphs, t.question, p.Parent)
		t.HasAnswer[status].int(f, t.answer, p.ID)
		f.Begin(graphs, t.answer, p.ID)
		t.isAnswer[status].write(f)
	}
	w.renderCommon(row)
	if w.tables["Votes"] {
		w.renderVotes(p.ID, s.votes)
	}
	if p.Question {
		for tag := range schema.SplitTags(row[postscan.Tags]) {
			w.tagged.record(tag, graphs, len(w.graphs))
			w.scratch = vocab.AppendSegment(w.scratch[:0], string(tag))
			t.TaggedWith.bytes(f, t.tag, w.scratch)
		}
	}
	w.renderLinks(p, s.links)
	w.renderComments(p.ID, graphs, s.comments)
	for _, e := range w.wider {
		f.Begin(w.threads.Graphs(e.graphs), w.frame(p), p.ID)
		e.property.int(f, e.target, e.id)
	}
}

// frame returns the frame of a post's IRI.
func (w *worker) frame(p threads.Post) trig.Frame {
	if p.Question {
		return w.terms.question
	}
	return w.terms.answer
}

// renderCommon renders what questions, answers and wikis have in common.
func (w *worker) renderCommon(row [][]byte) {
	t, f := w.terms, w.out
	w.writeNumber(f, t.postID, row[postscan.ID])
	w.writeText(f, t.hasBody, row[postscan.Body])
	w.writeNumber(f, t.score, row[postscan.Score])
	w.writeNumber(f, t.commentCount, row[postscan.CommentCount])
	w.writeDate(f, t.creationDate, row[postscan.CreationDate])
	w.writeDate(f, t.lastEditDate, row[postscan.LastEditDate])
	w.writeDate(f, t.lastActivityDate, row[postscan.LastActivityDate])
	w.writeDate(f, t.communityOwnedDate, row[postscan.CommunityOwnedDate])
	w.writeAuthor(f, row[postscan.OwnerUserID])
	w.writeText(f, t.authorName, row[postscan.OwnerDisplayName])
	w.writeLicense(f, row[postscan.ContentLicense], row[postscan.CreationDate], row[postscan.LastEditDate], row[postscan.LastEditorUserID])
}

func (w *worker) renderVotes(post int64, votes *orderedScan) {
	var up, down int64
	for ; votes.isOf(post); votes.next() {
		if n := tables.Int(votes.row[2]); tables.Int(votes.row[1]) == schema.VoteUp {
			up = n
		} else {
			down = n
		}
	}
	w.terms.upVotes.int(w.out, w.terms.integer, up)
	w.terms.downVotes.int(w.out, w.terms.integer, down)
}

// renderLinks renders the links of a post. Links that belong to more graphs than the
// post go to w.wider; renderPost renders them as nodes of their own. The scan is
// ordered by type, then by related post, so repeated rows are neighbours.
func (w *worker) renderLinks(p threads.Post, links *orderedScan) {
	w.wider, w.linked = w.wider[:0], w.linked[:0]
	var linkType, related int64
	for first := true; links.isOf(p.ID); links.next() {
		k, r := tables.Int(links.row[1]), tables.Int(links.row[2])
		if !first && k == linkType && r == related {
			w.count(linksRepeated, 1)
			continue
		}
		first, linkType, related = false, k, r
		other, ok := w.threads.Find(r)
		if !ok {
			w.count(linksOutside, 1)
			continue
		}
		e := edge{property: w.terms.LinkedTo, target: w.frame(other), id: r, graphs: w.threads.Union(p.Set, other.Set)}
		if k == schema.LinkDuplicate {
			if !p.Question || !other.Question {
				w.count(duplicatesNotQuestions, 1)
				continue
			}
			e.property = w.terms.DuplicateOf
			if _, linked := slices.BinarySearch(w.linked, r); linked {
				e.property = w.terms.DuplicateOfLinked
			}
		} else {
			w.linked = append(w.linked, r)
		}
		w.count(linksWritten, 1)
		w.figures.links.add(w.threads.Graphs(p.Set), w.threads.Graphs(other.Set), k == schema.LinkDuplicate)
		if e.graphs == p.Set {
			e.property.int(w.out, e.target, r)
		} else {
			w.wider = append(w.wider, e)
		}
	}
}

// renderComments renders the edges to a post's comments, then the comments.
func (w *worker) renderComments(post int64, graphs []int, comments *orderedScan) {
	t, f := w.terms, &w.comments
	f.Reset()
	for ; comments.isOf(post); comments.next() {
		row := comments.row
		id := tables.Int(row[commentRowID])
		t.HasComment.int(w.out, t.comment, id)
		f.Begin(graphs, t.comment, id)
		t.isComment.write(f)
		w.writeNumber(f, t.commentID, row[commentRowID])
		w.writeText(f, t.hasBody, row[commentText])
		w.writeNumber(f, t.score, row[commentScore])
		w.writeDate(f, t.creationDate, row[commentDate])
		w.writeAuthor(f, row[commentUser])
		w.writeText(f, t.authorName, row[commentUserName])
		w.writeLicense(f, row[commentLicense], row[commentDate], nil, nil)
		w.count(commentsWritten, 1)
	}
	w.out.Append(f)
}

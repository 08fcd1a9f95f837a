package graph

import (
	"bytes"
	"slices"

	"s2g/graph/trig"
	"s2g/schema"
	"s2g/schema/tables"
	"s2g/schema/threads"
	"s2g/schema/vocab"
)

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

func (w *worker) text(f *trig.Fragment, p property, v []byte) {
	if v != nil {
		p.text(f, v)
	}
}

func (w *worker) number(f *trig.Fragment, p property, v []byte) {
	if v != nil {
		p.bytes(f, w.terms.integer, v)
	}
}

// date renders a DATETIME(3), 2008-07-31 21:42:52.667, which is in UTC.
func (w *worker) date(f *trig.Fragment, p property, v []byte) {
	if v == nil {
		return
	}
	w.scratch = append(append(w.scratch[:0], v...), 'Z')
	if i := bytes.IndexByte(w.scratch, ' '); i >= 0 {
		w.scratch[i] = 'T'
	}
	p.bytes(f, w.terms.dateTime, w.scratch)
}

func (w *worker) author(f *trig.Fragment, user []byte) {
	switch {
	case len(user) == 0:
	case user[0] == '-':
		w.terms.author.bytes(f, w.terms.systemUser, user)
	default:
		w.terms.author.bytes(f, w.terms.user, user)
	}
}

// keepLicenses bounds the licences whose spelling is remembered.
const keepLicenses = 64

// license spells the licence of a post or comment. What a ContentLicense that
// names a version leads to is remembered, and how each licence is spelled.
func (w *worker) license(content, created, edited []byte, bySite bool) string {
	if term, ok := w.licenses[string(content)]; ok {
		return term
	}
	iri := vocab.LicenseIRI(content, created, edited, bySite)
	term, ok := w.licenses[iri]
	if !ok {
		term = w.terms.syntax.IRI(iri)
		w.licenses[iri] = term
	}
	// It names a version if no date makes a difference.
	early, late := vocab.LicenseIRI(content, nil, nil, false), vocab.LicenseIRI(content, []byte("9"), nil, false)
	if early == late && len(w.licenses) < keepLicenses {
		w.licenses[string(content)] = term
	}
	return term
}

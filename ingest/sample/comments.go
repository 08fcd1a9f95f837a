package sample

import "context"

// A comment is a future row of Comments.xml.
type comment struct {
	slot  int64 // of its post
	due   int64
	nth   int  // among the comments on the post
	stray bool // on the deleted post nearby instead
}

// drawComments appends the comments that the post at offset i of b gets before the
// last slot, each due after the one before.
func (s *site) drawComments(dst []comment, b *block, i int) []comment {
	slot := b.slot(i)
	r := newRNG(s.seed, streamComments, slot)
	if b.role[i] == roleWiki || b.role[i] == roleExcerpt || r.chance(420) {
		return dst
	}
	due := slot
	for nth := range 1 + r.geometric() + r.logUniform(2) {
		due += 1 + int64(r.logUniform(7))
		if due >= s.limit || due >= slot+maxDelay {
			break
		}
		dst = append(dst, comment{slot: slot, due: due, nth: nth})
	}
	return dst
}

// writeComments writes Comments.xml.
func (d *dumpWriter) writeComments(ctx context.Context, f *xmlFile) error {
	var drawn []comment
	var id int64
	w := &bodyWriter{site: d.site}
	return eachDue(ctx, d, "Comments", func(b *block, i int, add func(int64, comment)) {
		drawn = d.site.drawComments(drawn[:0], b, i)
		for _, c := range drawn {
			add(c.due, c)
		}
		if slot := b.slot(i); slot%256 == 9 { // on a deleted post
			add(slot, comment{slot: slot, due: slot, stray: true})
		}
	}, func(c comment) error {
		id += 1 + c.slot%7/6
		w.buf = w.buf[:0]
		w.writeCommentRow(id, c, d.blockOf(c.slot))
		return f.writeRow(w.buf)
	})
}

// writeCommentRow writes a row of Comments.xml. b is the block of the comment's post.
func (w *bodyWriter) writeCommentRow(id int64, c comment, b *block) {
	i := int(c.slot % blockSize)
	w.begin(b, i)
	w.r = newRNG(w.seed, streamComment, c.slot*64+int64(c.nth))
	w.variation += c.nth
	post := w.postID(c.slot)
	if c.stray {
		post = w.deletedID(c.slot)
	}
	w.buf = attrInt(append(w.buf, rowOpen...), "Id", id)
	w.buf = attrInt(w.buf, "PostId", post)
	w.buf = attrInt(w.buf, "Score", int64(max(0, w.r.geometric()*w.r.logUniform(3)-1)))
	w.buf = append(w.buf, ` Text="`...)
	w.writeCommentText(c, b.role[i])
	w.buf = append(w.buf, '"')
	ms := w.clock.at(c.due)
	w.buf = attrTime(w.buf, "CreationDate", ms)
	if w.r.chance(15) {
		w.buf = attrUserName(w.buf, "UserDisplayName", w.drawUser(&w.r, c.due))
	} else {
		w.buf = attrInt(w.buf, "UserId", w.drawUser(&w.r, c.due))
	}
	if w.licence {
		w.buf = attr(w.buf, "ContentLicense", licenceOf(ms))
	}
	w.buf = append(w.buf, rowShut...)
}

// writeCommentText writes the text of a comment on a post of the role: one to three
// sentences.
func (w *bodyWriter) writeCommentText(c comment, post role) {
	if c.nth > 0 && w.r.chance(450) {
		w.writePhrase("comment.address", markdown)
	}
	section := "comment.question"
	if post == roleAnswer {
		section = "comment.answer"
	}
	w.writePhrase(section, markdown)
	more := w.corpus.prose["comment.more"]
	next := w.r.below(len(more))
	for range w.r.below(3) {
		w.buf = append(w.buf, ' ')
		w.write(more[next%len(more)][markdown], markdown)
		next++
	}
}

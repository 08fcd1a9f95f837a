package sample

// A remark is one row of Comments.xml to be.
type remark struct {
	slot  int64 // of its post
	due   int64
	nth   int  // among the comments on the post
	stray bool // on the deleted post nearby instead
}

// remarks appends the comments that the post at offset i of b gets before the
// last slot, each due after the one before.
func (s *site) remarks(dst []remark, b *block, i int) []remark {
	slot := b.slot(i)
	r := newRNG(s.seed, streamComments, slot)
	if b.role[i] == roleWiki || b.role[i] == roleExcerpt || r.chance(420) {
		return dst
	}
	due := slot
	for nth := range 1 + r.geometric() + r.spread(2) {
		due += 1 + int64(r.spread(7))
		if due >= s.limit || due >= slot+ringSize {
			break
		}
		dst = append(dst, remark{slot: slot, due: due, nth: nth})
	}
	return dst
}

// commentRow writes a row of Comments.xml. b is the block of the comment's post.
func (v *voice) commentRow(id int64, m remark, b *block) {
	i := int(m.slot % blockSize)
	v.begin(b, i)
	v.r = newRNG(v.seed, streamComment, m.slot*64+int64(m.nth))
	v.turn += m.nth
	post := v.id(m.slot)
	if m.stray {
		post = v.lostID(m.slot)
	}
	v.buf = attrInt(append(v.buf, rowOpen...), "Id", id)
	v.buf = attrInt(v.buf, "PostId", post)
	v.buf = attrInt(v.buf, "Score", int64(max(0, v.r.geometric()*v.r.spread(3)-1)))
	v.buf = append(v.buf, ` Text="`...)
	v.remark(m, b.role[i])
	v.buf = append(v.buf, '"')
	ms := v.clock.at(m.due)
	v.buf = attrTime(v.buf, "CreationDate", ms)
	if v.r.chance(15) {
		v.buf = attrUserName(v.buf, "UserDisplayName", v.user(&v.r, m.due))
	} else {
		v.buf = attrInt(v.buf, "UserId", v.user(&v.r, m.due))
	}
	if v.licence {
		v.buf = attr(v.buf, "ContentLicense", licenceOf(ms))
	}
	v.buf = append(v.buf, rowShut...)
}

// remark writes the text of a comment: one to three sentences.
func (v *voice) remark(m remark, of role) {
	if m.nth > 0 && v.r.chance(450) {
		v.say("comment.address", markdown)
	}
	section := "comment.question"
	if of == roleAnswer {
		section = "comment.answer"
	}
	v.say(section, markdown)
	more := v.corpus.say["comment.more"]
	next := v.r.below(len(more))
	for range v.r.below(3) {
		v.buf = append(v.buf, ' ')
		v.write(more[next%len(more)][markdown], markdown)
		next++
	}
}

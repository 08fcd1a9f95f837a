package sample

import "context"

// Types of links, as on Stack Exchange.
const (
	linkLinked    = 1
	linkDuplicate = 3
)

// A link is a future row of PostLinks.xml: the post at a slot names the question at
// another. Neither is 0 in a link that was drawn.
type link struct {
	slot    int64
	related int64
	due     int64
	kind    uint8
}

// drawLinks draws the question that the post at offset i of b is a duplicate of and
// the question that its text links to; the kind of a link that is not drawn is 0.
// Most links stay within the block. The others lead to the first question of an
// earlier block, so such questions gather many.
func (s *site) drawLinks(b *block, i int) (duplicate, linked link) {
	slot := b.slot(i)
	r := newRNG(s.seed, streamLinks, slot)
	asks := b.role[i] == roleQuestion
	question := i
	switch {
	case b.role[i] == roleAnswer:
		question = int(b.owner[i])
	case !asks:
		return duplicate, linked
	}
	due := slot + int64(r.logUniform(8))
	if asks && r.chance(75) {
		of, _ := s.drawSubject(slot)
		same := func(other subject) bool { return other == of }
		if at, ok := s.earlierQuestion(b, i-1, same); ok {
			duplicate = link{slot: slot, related: b.slot(at), due: due, kind: linkDuplicate}
		}
	}
	if r.chance(75) {
		if to, ok := s.drawRelated(&r, b, question); ok && to != duplicate.related {
			linked = link{slot: slot, related: to, due: due, kind: linkLinked}
		}
	}
	return duplicate, linked
}

// earlierQuestion returns the last question at or before offset i of b whose subject is
// wanted.
func (s *site) earlierQuestion(b *block, i int, wanted func(subject) bool) (offset int, ok bool) {
	for ; i >= 0; i-- {
		if b.role[i] != roleQuestion {
			continue
		}
		if of, _ := s.drawSubject(b.slot(i)); wanted(of) {
			return i, true
		}
	}
	return 0, false
}

// drawRelated draws a question in the language of the one at offset i of b.
func (s *site) drawRelated(r *rng, b *block, i int) (slot int64, ok bool) {
	of, _ := s.drawSubject(b.slot(i))
	near := func(other subject) bool { return other.language == of.language }
	if b.number > 0 && r.chance(300) {
		for range 8 {
			slot := int64(r.below(int(b.number))) * blockSize
			if other, _ := s.drawSubject(slot); near(other) {
				return slot, true
			}
		}
	}
	if i == 0 {
		return 0, false
	}
	at, ok := s.earlierQuestion(b, i-1-r.below(i), near)
	return b.slot(at), ok
}

// writeLinks writes PostLinks.xml.
func (d *dumpWriter) writeLinks(ctx context.Context, f *xmlFile) error {
	var id int64
	var buf []byte
	return eachDue(ctx, d, "PostLinks", func(b *block, i int, add func(int64, link)) {
		duplicate, linked := d.site.drawLinks(b, i)
		for _, l := range []link{duplicate, linked} {
			if l.kind != 0 && l.due < d.site.limit {
				add(l.due, l)
			}
		}
	}, func(l link) error {
		id += 1 + l.slot%40
		buf = d.site.linkRow(buf[:0], id, l)
		return f.writeRow(buf)
	})
}

// linkRow writes a row of PostLinks.xml. A few name a deleted post.
func (s *site) linkRow(dst []byte, id int64, l link) []byte {
	r := newRNG(s.seed, streamLinks, ^l.slot)
	from, to := s.postID(l.slot), s.postID(l.related)
	switch r.below(200) {
	case 0:
		from = s.deletedID(l.slot)
	case 1:
		to = s.deletedID(l.related)
	}
	dst = attrInt(append(dst, rowOpen...), "Id", id)
	dst = attrTime(dst, "CreationDate", s.clock.at(l.due))
	dst = attrInt(dst, "PostId", from)
	dst = attrInt(dst, "RelatedPostId", to)
	dst = attrInt(dst, "LinkTypeId", int64(l.kind))
	return append(dst, rowShut...)
}

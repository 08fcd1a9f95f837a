package sample

import "context"

// wikiSlot is the slot of the wiki of a tag; its excerpt has the next.
func wikiSlot(tag int) int64 {
	return int64(tag/wikisPerBlock)*blockSize + int64(tag%wikisPerBlock)*wikiEvery + wikiAt
}

// writeWikiRow writes the row of a tag's wiki or excerpt; its body is empty if nobody has
// written it yet.
func (w *postWriter) writeWikiRow(b *block, i int) {
	slot := b.slot(i)
	tag := int(b.number)*wikisPerBlock + int(b.owner[i])
	r := newRNG(w.seed, streamEdit, wikiSlot(tag))
	empty := r.chance(250)
	p := post{slot: slot, created: w.clock.at(slot), owner: -1}
	p.edited, p.editor = p.created, -1
	if !empty {
		p.owner = w.drawUser(&r, slot)
		p.editor = p.owner
		p.edited += int64(r.below(day))
	}
	p.active = p.edited
	kind := int64(5)
	if b.role[i] == roleExcerpt {
		kind = 4
	}
	w.openRow(w.postID(slot), kind)
	w.buf = attrTime(w.buf, "CreationDate", p.created)
	w.buf = attrInt(w.buf, "Score", 0)
	w.buf = append(w.buf, ` Body="`...)
	if !empty {
		w.writeWikiText(b, i, tag)
	}
	w.buf = append(w.buf, '"')
	w.writeUsers(p)
	w.closeRow(p)
}

// writeWikiText writes the description of a tag: plain text in an excerpt, HTML in a
// wiki.
func (w *postWriter) writeWikiText(b *block, i, tag int) {
	w.begin(b, 0) // a wiki has no thread: its placeholders take the block's first
	w.r = newRNG(w.seed, streamBody, b.slot(i))
	w.tagName = w.corpus.tags[tag]
	var about *phrase
	for _, l := range w.languages {
		if l.tagID == tag {
			about = &l.about
		}
	}
	if b.role[i] == roleExcerpt {
		if about != nil {
			w.write(about[plain], plain)
			w.buf = append(w.buf, ' ')
		}
		w.writePhrase("excerpt", plain)
		return
	}
	if about != nil {
		w.buf = append(w.buf, pOpen...)
		w.write(about[html], html)
		w.buf = append(w.buf, pShut+nl...)
	} else {
		w.writeParagraph("wiki.open")
	}
	w.writeParagraph("wiki.more")
	w.writeList("wiki.item", false)
}

// writeTags writes Tags.xml, after the posts.
func (d *dumpWriter) writeTags(_ context.Context, f *xmlFile) error {
	var buf []byte
	for tag, n := range d.questions {
		buf = d.site.tagRow(buf[:0], tag, n)
		if len(buf) == 0 {
			continue
		}
		if err := f.writeRow(buf); err != nil {
			return err
		}
	}
	d.report("Tags", d.site.limit)
	return nil
}

// tagRow appends the row of a tag, nothing for a tag that no post has yet.
func (s *site) tagRow(dst []byte, tag int, count int64) []byte {
	wiki := wikiSlot(tag)
	described := wiki+1 < s.limit
	if count == 0 && !described {
		return dst
	}
	dst = attrInt(append(dst, rowOpen...), "Id", int64(tag+1+tag/5))
	dst = append(append(append(dst, ` TagName="`...), s.corpus.tags[tag]...), '"')
	dst = attrInt(dst, "Count", count)
	if described {
		dst = attrInt(dst, "ExcerptPostId", s.postID(wiki+1))
		dst = attrInt(dst, "WikiPostId", s.postID(wiki))
	}
	return append(dst, rowShut...)
}

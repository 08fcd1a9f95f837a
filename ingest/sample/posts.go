package sample

import (
	"fmt"
)

// A post is what the row of a question or an answer says beside its text.
type post struct {
	slot     int64
	ms       int64 // creation
	edited   int64 // 0 where it was not
	active   int64
	closed   int64
	wikified int64
	owner    int64
	editor   int64
	unnamed  bool // the owner's account is deleted
	votes    tally
	comments int64
}

// begin turns the voice to the post at offset i of b.
func (v *voice) begin(b *block, i int) {
	q := i
	v.turn = 0
	if b.role[i] == roleAnswer {
		q, v.turn = int(b.owner[i]), int(b.nth[i])
	}
	v.block = b
	v.site.thread(&v.own, b.slot(q))
	v.thread, v.language = &v.own, v.own.language
	v.r = newRNG(v.seed, streamBody, b.slot(i))
	v.codeTurn = v.r.below(64)
	v.tight = v.clock.at(b.slot(i)) >= tightHTML
}

// A postWriter writes rows of Posts.xml and counts the tags that it writes.
type postWriter struct {
	voice
	votesRoom   []vote
	remarksRoom []remark
	tagCounts   []int64
	stats       Stats
}

// row writes the row of the post at offset i of b.
func (w *postWriter) row(b *block, i int) {
	switch b.role[i] {
	case roleQuestion:
		w.stats.Questions++
		w.questionRow(b, i)
	case roleAnswer:
		w.stats.Answers++
		w.answerRow(b, i)
	default:
		w.wikiRow(b, i)
	}
}

// post draws what the row of the post at offset i of b says.
func (w *postWriter) post(b *block, i int) post {
	slot := b.slot(i)
	r := newRNG(w.seed, streamEdit, slot)
	p := post{slot: slot, ms: w.clock.at(slot), owner: w.user(&r, slot), unnamed: r.chance(15)}
	p.active = p.ms
	if due := slot + int64(r.spread(11)); r.chance(420) && due < w.limit {
		p.edited = w.clock.at(due) + int64(r.below(90_000))
		p.editor = p.owner
		if r.chance(550) {
			p.editor = w.user(&r, due)
		}
		p.active = p.edited
	}
	if due := slot + int64(r.spread(9)); r.chance(15) && due < w.limit {
		p.closed = w.clock.at(due)
	}
	if r.chance(8) {
		p.wikified = p.ms
	}
	if r.chance(2) {
		p.owner = -1
	}
	w.votesRoom = w.site.votes(w.votesRoom[:0], b, i)
	p.votes = tallyOf(w.votesRoom)
	w.remarksRoom = w.remarks(w.remarksRoom[:0], b, i)
	p.comments = int64(len(w.remarksRoom))
	return p
}

func (w *postWriter) questionRow(b *block, i int) {
	p := w.post(b, i)
	w.begin(b, i)
	answers, last := w.answers(b, i)
	if answers > 0 {
		p.active = max(p.active, w.clock.at(last))
	}
	duplicate, linked := w.references(b, i)
	closed := duplicate.kind != 0 && duplicate.due < w.limit
	if closed {
		p.closed = w.clock.at(duplicate.due)
	}
	w.open(w.id(p.slot), 1)
	if at, _ := w.accepted(b, i); at != 0 {
		w.buf = attrInt(w.buf, "AcceptedAnswerId", w.id(b.slot(at)))
	}
	w.buf = attrTime(w.buf, "CreationDate", p.ms)
	w.buf = attrInt(w.buf, "Score", p.votes.score)
	w.buf = attrInt(w.buf, "ViewCount", w.views(p))
	w.buf = append(w.buf, ` Body="`...)
	if closed && !w.tight {
		w.site.thread(&w.other, duplicate.related)
		w.duplicate()
	}
	if linked.kind != 0 {
		w.site.thread(&w.other, linked.related)
	}
	w.question(linked.kind != 0)
	w.buf = append(w.buf, '"')
	w.people(p)
	w.buf = append(w.buf, ` Title="`...)
	w.title(plain)
	w.buf = append(w.buf, '"')
	w.tagList(w.own.tags)
	w.buf = attrInt(w.buf, "AnswerCount", int64(answers))
	w.close(p)
}

func (w *postWriter) answerRow(b *block, i int) {
	p := w.post(b, i)
	p.closed = 0
	w.begin(b, i)
	_, linked := w.references(b, i)
	w.open(w.id(p.slot), 2)
	w.buf = attrInt(w.buf, "ParentId", w.id(b.slot(int(b.owner[i]))))
	w.buf = attrTime(w.buf, "CreationDate", p.ms)
	w.buf = attrInt(w.buf, "Score", p.votes.score)
	w.buf = append(w.buf, ` Body="`...)
	if linked.kind != 0 {
		w.site.thread(&w.other, linked.related)
	}
	w.answer(linked.kind != 0)
	w.buf = append(w.buf, '"')
	w.people(p)
	w.close(p)
}

func (w *postWriter) open(id, kind int64) {
	w.buf = attrInt(append(w.buf, rowOpen...), "Id", id)
	w.buf = attrInt(w.buf, "PostTypeId", kind)
}

// people writes the attributes on who wrote and edited a post, and when.
func (w *postWriter) people(p post) {
	if !p.unnamed {
		w.buf = attrInt(w.buf, "OwnerUserId", p.owner)
	}
	if p.unnamed || p.owner%97 == 0 {
		w.buf = attrUserName(w.buf, "OwnerDisplayName", p.owner)
	}
	if p.edited != 0 {
		if p.editor%89 == 0 {
			w.buf = attrUserName(w.buf, "LastEditorDisplayName", p.editor)
		} else {
			w.buf = attrInt(w.buf, "LastEditorUserId", p.editor)
		}
		w.buf = attrTime(w.buf, "LastEditDate", p.edited)
	}
	w.buf = attrTime(w.buf, "LastActivityDate", p.active)
}

func (w *postWriter) close(p post) {
	w.buf = attrInt(w.buf, "CommentCount", p.comments)
	if p.votes.favourites > 0 {
		w.buf = attrInt(w.buf, "FavoriteCount", p.votes.favourites)
	}
	if p.closed != 0 {
		w.buf = attrTime(w.buf, "ClosedDate", p.closed)
	}
	if p.wikified != 0 {
		w.buf = attrTime(w.buf, "CommunityOwnedDate", p.wikified)
	}
	if w.licence {
		w.buf = attr(w.buf, "ContentLicense", licenceOf(max(p.ms, p.edited)))
	}
	w.buf = append(w.buf, rowShut...)
}

// views draws how often a question was seen: more for a higher score.
func (w *postWriter) views(p post) int64 {
	r := newRNG(w.seed, streamEdit, ^p.slot)
	return 11 + int64(r.spread(12)) + (2+max(0, p.votes.score))*int64(r.spread(9))
}

// tagList writes the Tags attribute and counts the tags.
func (w *postWriter) tagList(tags []int) {
	open, shut := "&lt;", "&gt;"
	if w.pipes {
		open, shut = "|", ""
	}
	w.buf = append(w.buf, ` Tags="`...)
	for _, t := range tags {
		w.tagCounts[t]++
		w.buf = append(append(append(w.buf, open...), w.corpus.tags[t]...), shut...)
	}
	if w.pipes {
		w.buf = append(w.buf, '|')
	}
	w.buf = append(w.buf, '"')
}

// window is how many blocks are shuffled together.
const window = 8

// shuffled calls row for each post once, out of order: it takes blocks that lie
// an eighth of the site apart, and goes through their slots in a random order.
// So neighbouring rows are mostly far from each other, and memory is a window.
func (d *dump) shuffled(row func(b *block, i int) error) error {
	blocks := d.site.blockCount()
	apart := (blocks + window - 1) / window
	room := make([]block, window)
	var order []int
	var done int64
	for start := range apart {
		if err := d.ctx.Err(); err != nil {
			return fmt.Errorf("writing Posts.xml: %w", err)
		}
		order = order[:0]
		for k := range window {
			n := start + int64(k)*apart
			if n >= blocks {
				break
			}
			room[k].fill(d.o.Seed, n, len(d.site.corpus.tags))
			for i := range d.site.slots(&room[k]) {
				order = append(order, k*blockSize+i)
			}
		}
		r := newRNG(d.o.Seed, streamShuffle, start)
		for i := len(order) - 1; i > 0; i-- {
			j := r.below(i + 1)
			order[i], order[j] = order[j], order[i]
		}
		for _, x := range order {
			if err := row(&room[x/blockSize], x%blockSize); err != nil {
				return err
			}
		}
		done += int64(len(order))
		d.report("Posts", done)
	}
	return nil
}

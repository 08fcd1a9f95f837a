package sample

import (
	"context"
	"fmt"
)

// A post is the columns of a question's or an answer's row, without its texts.
// Times are in milliseconds since 1970; 0 is an absent one.
type post struct {
	slot         int64
	created      int64
	edited       int64
	active       int64
	closed       int64
	wikified     int64 // made a community wiki
	owner        int64
	editor       int64
	ownerDeleted bool // the owner's account is deleted
	votes        voteCount
	comments     int64
}

// writePosts writes Posts.xml.
func (d *dumpWriter) writePosts(ctx context.Context, f *xmlFile) error {
	w := &postWriter{bodyWriter: bodyWriter{site: d.site}, questions: d.questions}
	row := func(b *block, i int) error {
		w.buf = w.buf[:0]
		w.writeRow(b, i)
		return f.writeRow(w.buf)
	}
	var err error
	if d.o.Shuffle {
		err = d.eachShuffled(ctx, row)
	} else {
		err = d.eachBlock(ctx, "Posts", func(b *block) error {
			for i := range d.site.slots(b) {
				if err := row(b, i); err != nil {
					return err
				}
			}
			return nil
		})
	}
	d.stats.Questions, d.stats.Answers = w.stats.Questions, w.stats.Answers
	return err
}

// shuffledBlocks is how many blocks are shuffled together.
const shuffledBlocks = 8

// eachShuffled calls row for each post once, not in the order of Id. It takes
// blocks that lie an eighth of the site apart and visits their slots in random
// order, so that most neighbouring rows are far from each other.
func (d *dumpWriter) eachShuffled(ctx context.Context, row func(b *block, i int) error) error {
	count := d.site.blockCount()
	apart := (count + shuffledBlocks - 1) / shuffledBlocks
	blocks := make([]block, shuffledBlocks)
	var order []int
	var done int64
	for start := range apart {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("write Posts.xml: %w", err)
		}
		order = order[:0]
		for k := range shuffledBlocks {
			n := start + int64(k)*apart
			if n >= count {
				break
			}
			blocks[k].fill(d.o.Seed, n, len(d.site.corpus.tags))
			for i := range d.site.slots(&blocks[k]) {
				order = append(order, k*blockSize+i)
			}
		}
		r := newRNG(d.o.Seed, streamShuffle, start)
		for i := len(order) - 1; i > 0; i-- {
			j := r.below(i + 1)
			order[i], order[j] = order[j], order[i]
		}
		for _, x := range order {
			if err := row(&blocks[x/blockSize], x%blockSize); err != nil {
				return err
			}
		}
		done += int64(len(order))
		d.report("Posts", done)
	}
	return nil
}

// A postWriter writes rows of Posts.xml and counts the questions of each tag.
type postWriter struct {
	bodyWriter
	votes     []vote
	comments  []comment
	questions []int64 // by tag
	stats     Stats   // Questions and Answers
}

// writeRow writes the row of the post at offset i of b.
func (w *postWriter) writeRow(b *block, i int) {
	switch b.role[i] {
	case roleQuestion:
		w.stats.Questions++
		w.writeQuestionRow(b, i)
	case roleAnswer:
		w.stats.Answers++
		w.writeAnswerRow(b, i)
	default:
		w.writeWikiRow(b, i)
	}
}

// drawPost draws the columns of the post at offset i of b.
func (w *postWriter) drawPost(b *block, i int) post {
	slot := b.slot(i)
	r := newRNG(w.seed, streamEdit, slot)
	p := post{slot: slot, created: w.clock.at(slot), owner: w.drawUser(&r, slot), ownerDeleted: r.chance(15)}
	p.active = p.created
	if due := slot + int64(r.logUniform(11)); r.chance(420) && due < w.limit {
		p.edited = w.clock.at(due) + int64(r.below(90_000))
		p.editor = p.owner
		if r.chance(550) {
			p.editor = w.drawUser(&r, due)
		}
		p.active = p.edited
	}
	if due := slot + int64(r.logUniform(9)); r.chance(15) && due < w.limit {
		p.closed = w.clock.at(due)
	}
	if r.chance(8) {
		p.wikified = p.created
	}
	if r.chance(2) {
		p.owner = -1
	}
	w.votes = w.drawVotes(w.votes[:0], b, i)
	p.votes = countVotes(w.votes)
	w.comments = w.drawComments(w.comments[:0], b, i)
	p.comments = int64(len(w.comments))
	return p
}

func (w *postWriter) writeQuestionRow(b *block, i int) {
	p := w.drawPost(b, i)
	w.begin(b, i)
	answers, last := w.countAnswers(b, i)
	if answers > 0 {
		p.active = max(p.active, w.clock.at(last))
	}
	duplicate, linked := w.drawLinks(b, i)
	closed := duplicate.kind != 0 && duplicate.due < w.limit
	if closed {
		p.closed = w.clock.at(duplicate.due)
	}
	w.openRow(w.postID(p.slot), 1)
	if at, _ := w.acceptedAnswer(b, i); at != 0 {
		w.buf = attrInt(w.buf, "AcceptedAnswerId", w.postID(b.slot(at)))
	}
	w.buf = attrTime(w.buf, "CreationDate", p.created)
	w.buf = attrInt(w.buf, "Score", p.votes.score)
	w.buf = attrInt(w.buf, "ViewCount", w.drawViews(p))
	w.buf = append(w.buf, ` Body="`...)
	if closed && !w.tight {
		w.drawThread(&w.other, duplicate.related)
		w.writeDuplicateNotice()
	}
	if linked.kind != 0 {
		w.drawThread(&w.other, linked.related)
	}
	w.writeQuestion(linked.kind != 0)
	w.buf = append(w.buf, '"')
	w.writeUsers(p)
	w.buf = append(w.buf, ` Title="`...)
	w.writeTitle(plain)
	w.buf = append(w.buf, '"')
	w.writeTagList(w.own.tags)
	w.buf = attrInt(w.buf, "AnswerCount", int64(answers))
	w.closeRow(p)
}

func (w *postWriter) writeAnswerRow(b *block, i int) {
	p := w.drawPost(b, i)
	p.closed = 0
	w.begin(b, i)
	_, linked := w.drawLinks(b, i)
	w.openRow(w.postID(p.slot), 2)
	w.buf = attrInt(w.buf, "ParentId", w.postID(b.slot(int(b.owner[i]))))
	w.buf = attrTime(w.buf, "CreationDate", p.created)
	w.buf = attrInt(w.buf, "Score", p.votes.score)
	w.buf = append(w.buf, ` Body="`...)
	if linked.kind != 0 {
		w.drawThread(&w.other, linked.related)
	}
	w.writeAnswer(linked.kind != 0)
	w.buf = append(w.buf, '"')
	w.writeUsers(p)
	w.closeRow(p)
}

func (w *postWriter) openRow(id, kind int64) {
	w.buf = attrInt(append(w.buf, rowOpen...), "Id", id)
	w.buf = attrInt(w.buf, "PostTypeId", kind)
}

// writeUsers writes the attributes of the owner and the editor, and of the last edit
// and activity.
func (w *postWriter) writeUsers(p post) {
	if !p.ownerDeleted {
		w.buf = attrInt(w.buf, "OwnerUserId", p.owner)
	}
	if p.ownerDeleted || p.owner%97 == 0 {
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

func (w *postWriter) closeRow(p post) {
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
		w.buf = attr(w.buf, "ContentLicense", licenceOf(max(p.created, p.edited)))
	}
	w.buf = append(w.buf, rowShut...)
}

// drawViews draws how often a question was viewed, which grows with its score.
func (w *postWriter) drawViews(p post) int64 {
	r := newRNG(w.seed, streamEdit, ^p.slot)
	return 11 + int64(r.logUniform(12)) + (2+max(0, p.votes.score))*int64(r.logUniform(9))
}

// writeTagList writes the Tags attribute and counts the tags.
func (w *postWriter) writeTagList(tags []int) {
	open, shut := "&lt;", "&gt;"
	if w.pipeTags {
		open, shut = "|", ""
	}
	w.buf = append(w.buf, ` Tags="`...)
	for _, t := range tags {
		w.questions[t]++
		w.buf = append(append(append(w.buf, open...), w.corpus.tags[t]...), shut...)
	}
	if w.pipeTags {
		w.buf = append(w.buf, '|')
	}
	w.buf = append(w.buf, '"')
}

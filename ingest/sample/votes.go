package sample

import "context"

// Types of votes, as on Stack Exchange.
const (
	voteAccept      = 1
	voteUp          = 2
	voteDown        = 3
	voteOffensive   = 4
	voteFavourite   = 5
	voteClose       = 6
	voteBountyStart = 8
	voteBountyEnd   = 9
	voteDeletion    = 10
	voteUndeletion  = 11
	voteModeration  = 15
	voteEdit        = 16
)

// A vote is a future row of Votes.xml.
type vote struct {
	post   int64 // Id
	due    int64 // slot
	user   int64 // 0 for secret votes
	bounty int
	kind   uint8
}

// drawVotes appends the votes that the post at offset i of b gets before the last
// slot, in the order in which they were drawn.
func (s *site) drawVotes(dst []vote, b *block, i int) []vote {
	if b.role[i] == roleWiki || b.role[i] == roleExcerpt {
		return dst
	}
	slot := b.slot(i)
	r := newRNG(s.seed, streamVotes, slot)
	id := s.postID(slot)
	cast := func(kind uint8, user int64, bounty int) {
		if due := slot + int64(r.logUniform(11)); due < s.limit {
			dst = append(dst, vote{post: id, due: due, user: user, bounty: bounty, kind: kind})
		}
	}
	up, down := drawScore(&r)
	for range up {
		cast(voteUp, 0, 0)
	}
	for range down {
		cast(voteDown, 0, 0)
	}
	if b.role[i] == roleQuestion && r.chance(160) {
		for range 1 + up/8 + r.geometric() {
			cast(voteFavourite, s.drawUser(&r, slot), 0)
		}
	}
	if r.chance(8) {
		amount := 50 * (1 + r.geometric())
		cast(voteBountyStart, s.drawUser(&r, slot), amount)
		cast(voteBountyEnd, 0, amount)
	}
	for _, k := range [...]struct{ kind, perMille int }{
		{voteEdit, 60}, {voteDeletion, 12}, {voteModeration, 8}, {voteClose, 6}, {voteUndeletion, 2}, {voteOffensive, 1},
	} {
		if r.chance(k.perMille) {
			cast(uint8(k.kind), 0, 0)
		}
	}
	if b.role[i] == roleAnswer {
		if at, due := s.acceptedAnswer(b, int(b.owner[i])); at == i {
			dst = append(dst, vote{post: id, due: due, kind: voteAccept})
		}
	}
	return dst
}

// drawScore draws how many votes up and down a post gets: 2.2 and 0.25 on
// average, and at times hundreds.
func drawScore(r *rng) (up, down int) {
	up = r.geometric()
	if r.chance(120) {
		up += 3 + 4*r.geometric()
	}
	if r.chance(4) {
		up += r.logUniform(9)
	}
	if r.chance(130) {
		down = 1 + r.geometric()
	}
	return up, down
}

// A voteCount is the sums of votes that a post's row contains.
type voteCount struct{ score, favourites int64 }

func countVotes(votes []vote) voteCount {
	var t voteCount
	for _, v := range votes {
		switch v.kind {
		case voteUp:
			t.score++
		case voteDown:
			t.score--
		case voteFavourite:
			t.favourites++
		}
	}
	return t
}

// drawUser draws a user who has joined by a slot. Users who joined early are drawn more
// often.
func (s *site) drawUser(r *rng, slot int64) int64 {
	joined := 40 + slot/3
	return 1 + min(int64(r.below(int(joined))), int64(r.below(int(joined))))
}

// writeVotes writes Votes.xml.
func (d *dumpWriter) writeVotes(ctx context.Context, f *xmlFile) error {
	var drawn []vote
	var id int64
	var buf []byte
	return eachDue(ctx, d, "Votes", func(b *block, i int, add func(int64, vote)) {
		drawn = d.site.drawVotes(drawn[:0], b, i)
		for _, v := range drawn {
			add(v.due, v)
		}
		if slot := b.slot(i); slot%32 == 7 { // on a deleted post
			add(slot, vote{post: d.site.deletedID(slot), due: slot, kind: voteUp})
		}
	}, func(v vote) error {
		id += 1 + v.post%9/8
		buf = d.site.voteRow(buf[:0], id, v)
		return f.writeRow(buf)
	})
}

// voteRow writes a row of Votes.xml.
func (s *site) voteRow(dst []byte, id int64, v vote) []byte {
	dst = attrInt(append(dst, rowOpen...), "Id", id)
	dst = attrInt(dst, "PostId", v.post)
	dst = attrInt(dst, "VoteTypeId", int64(v.kind))
	if v.user != 0 {
		dst = attrInt(dst, "UserId", v.user)
	}
	dst = append(dst, ` CreationDate="`...)
	dst = appendDate(dst, s.clock.at(v.due))
	dst = append(dst, `T00:00:00.000"`...)
	if v.bounty != 0 {
		dst = attrInt(dst, "BountyAmount", int64(v.bounty))
	}
	return append(dst, rowShut...)
}

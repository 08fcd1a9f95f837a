package oracle

import (
	"context"
	"strconv"

	"s2g/schema"
	"s2g/schema/tables"
	"s2g/schema/vocab"
)

// voteCounts are the up and down votes of posts by id, in pages as memberships.
type voteCounts map[int64]*[pageSize][2]uint32

func (v voteCounts) add(id int64, kind int) {
	page := v[id>>pageBits]
	if page == nil {
		page = new([pageSize][2]uint32)
		v[id>>pageBits] = page
	}
	page[id&(pageSize-1)][kind]++
}

func (v voteCounts) of(id int64) [2]uint32 {
	if page := v[id>>pageBits]; page != nil {
		return page[id&(pageSize-1)]
	}
	return [2]uint32{}
}

// voteScan returns the scan of Votes. It counts the votes of each post, 8 bytes for each, and then collects the quads.
func (r *tableReader) voteScan() scan {
	kinds := [2]Term{mustTerm(vocab.UpVotes), mustTerm(vocab.DownVotes)}
	return scan{name: "votes", terms: kinds[:], run: func(ctx context.Context, c *collector) error {
		counts := voteCounts{}
		if !r.options.CountsOnly {
			if err := r.countVotes(ctx, c, counts); err != nil {
				return err
			}
		}
		s := subject{countsOnly: r.options.CountsOnly}
		var digits []byte
		for id, m := range r.memberships.all() {
			digits = strconv.AppendInt(digits[:0], id, 10)
			s.set(m.path(), digits)
			for kind, n := range counts.of(id) {
				digits = strconv.AppendUint(digits[:0], uint64(n), 10)
				c.addQuad(r.memberships.graphs(m), kinds[kind], s.path, s.quad(markInteger, digits))
			}
		}
		return nil
	}}
}

func (r *tableReader) countVotes(ctx context.Context, c *collector, counts voteCounts) error {
	selected := r.columnsOf("Votes", "v")
	post, kind := selected.place("v.PostId"), selected.place("v.VoteTypeId")
	condition := ""
	print := r.printer("Votes")
	if print == nil {
		condition = " AND v.VoteTypeId IN (2,3)" // which the index on PostId has
	}
	return r.db.EachRow(ctx, "SELECT "+selected.String()+" FROM Votes v WHERE TRUE"+condition+r.selection.posts.in("v.PostId"), func(row [][]byte) error {
		print.add(row)
		of := tables.Int(row[kind])
		if of != schema.VoteUp && of != schema.VoteDown {
			return nil
		}
		id := tables.Int(row[post])
		switch m := r.memberships.at(id); {
		case m.inGraph() && of == schema.VoteUp:
			counts.add(id, 0)
		case m.inGraph():
			counts.add(id, 1)
		case !m.is(inDump):
			c.omitted[VotesWithoutPost]++
		}
		return nil
	})
}

package oracle

import (
	"context"
	"strconv"

	"s2g/schema"
	"s2g/schema/tables"
	"s2g/schema/vocab"
)

// voteScan returns the scan of Votes. It adds 0 votes of each kind for every post, and
// replaces them by the votes of the table.
func (r *tableReader) voteScan() scan {
	up, down := mustTerm(vocab.UpVotes), mustTerm(vocab.DownVotes)
	return scan{name: "votes", terms: []Term{up, down}, run: func(ctx context.Context, c *collector) error {
		s, zero := subject{countsOnly: r.options.CountsOnly}, []byte("0")
		for id, m := range r.memberships.all() {
			s.set(m.path(), strconv.AppendInt(nil, id, 10))
			in, none := r.memberships.graphs(m), s.quad(markInteger, zero)
			c.addQuad(in, up, s.path, none)
			c.addQuad(in, down, s.path, none)
		}
		if r.options.CountsOnly {
			return nil
		}
		// in the order of the table's index
		query := "SELECT PostId, VoteTypeId, COUNT(*) FROM Votes WHERE VoteTypeId IN (2,3)" +
			r.selection.posts.in("PostId") + " GROUP BY PostId, VoteTypeId"
		return r.db.EachRow(ctx, query, func(row [][]byte) error {
			m := r.memberships.at(tables.Int(row[0]))
			in := r.memberships.graphs(m)
			if !m.is(inDump) {
				c.omitted[VotesWithoutPost] += tables.Int(row[2])
			}
			if len(in) == 0 {
				return nil
			}
			term := up
			if tables.Int(row[1]) == schema.VoteDown {
				term = down
			}
			s.set(m.path(), row[0])
			c.replaceQuad(in, term, s.path, s.quad(markInteger, row[2]), s.quad(markInteger, zero))
			return nil
		})
	}}
}

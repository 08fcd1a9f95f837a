package oracle

import (
	"context"
	"strconv"

	"s2g/schema"
	"s2g/schema/tables"
	"s2g/schema/vocab"
)

// voteQuery counts votes in the order of their index.
func (s *survey) voteQuery() string {
	return "SELECT PostId, VoteTypeId, COUNT(*) FROM Votes WHERE VoteTypeId IN (2,3)" + s.only.posts.in("PostId") + " GROUP BY PostId, VoteTypeId"
}

// voteScan says the votes of questions and answers: 0 of each, and then what
// there is in its place.
func (s *survey) voteScan() scan {
	up, down := named(vocab.UpVotes), named(vocab.DownVotes)
	return scan{name: "votes", terms: []Term{up, down}, run: func(ctx context.Context, o *out) error {
		n, zero := node{mute: s.options.CountsOnly}, []byte("0")
		for id, p := range s.members.all() {
			n.begin(p.path(), strconv.AppendInt(nil, id, 10))
			in, none := s.members.graphs(p), n.object(asInt, zero)
			o.quad(in, up, n.path, none)
			o.quad(in, down, n.path, none)
		}
		if s.options.CountsOnly {
			return nil
		}
		return s.each(ctx, s.voteQuery(), func(row [][]byte) error {
			p := s.members.at(tables.Int(row[0]))
			in := s.members.graphs(p)
			if len(in) == 0 {
				return nil
			}
			term := up
			if tables.Int(row[1]) == schema.VoteDown {
				term = down
			}
			n.begin(p.path(), row[0])
			o.instead(in, term, n.path, n.object(asInt, row[2]), n.object(asInt, zero))
			return nil
		})
	}}
}

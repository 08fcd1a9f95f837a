package report

import (
	"cmp"
	"slices"

	"s2g/schema"
)

// answeredQuestion is what decides whether a question makes a good example.
type answeredQuestion struct {
	id       int64
	answers  int
	accepted bool // one of the answers is accepted
	better   bool // one of the answers is possibly better
}

// rank is higher for a question that shows more of the graph in little room.
func (q answeredQuestion) rank() int {
	few := q.answers == 2 || q.answers == 3
	switch {
	case few && q.accepted && q.better:
		return 3
	case few && q.accepted:
		return 2
	case q.answers <= 4:
		return 1
	}
	return 0
}

// keptCandidates is how many questions are compared by their comments and links.
const keptCandidates = 256

// candidates are the questions of the highest rank; of too many, a sample that
// depends on their ids alone.
type candidates struct {
	rank int
	ids  []int64
}

func (c *candidates) offer(q answeredQuestion) {
	switch rank := q.rank(); {
	case len(c.ids) == 0 || rank > c.rank:
		c.rank, c.ids = rank, append(c.ids[:0], q.id)
	case rank == c.rank:
		if c.ids = append(c.ids, q.id); len(c.ids) == 8*keptCandidates {
			c.thin()
		}
	}
}

// thin keeps the ids with the smallest hashes.
func (c *candidates) thin() {
	slices.SortFunc(c.ids, func(a, b int64) int { return cmp.Compare(schema.Mix64(uint64(a)), schema.Mix64(uint64(b))) })
	c.ids = c.ids[:min(len(c.ids), keptCandidates)]
}

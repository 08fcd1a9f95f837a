package report

import (
	"cmp"
	"slices"
)

// linkTable counts the edges that lead from posts of one language to posts of
// another, or the same. An edge whose ends are in several graphs counts in the
// cell of each pair of them, and once among all.
type linkTable struct {
	rows          map[int]int // of a graph's position: its row and column
	cells         [][]linkCell
	all           linkCell // edges, each once
	across        linkCell // of these, those whose ends have no language in common
	beyond, pairs int64    // edges with an end in no row; sum of the cells
}

// linkCell counts edges by their property.
type linkCell struct{ linked, duplicate int64 }

func (c linkCell) sum() int64 { return c.linked + c.duplicate }

func (c *linkCell) add(duplicate bool) {
	if duplicate {
		c.duplicate++
	} else {
		c.linked++
	}
}

// newLinkTable makes an empty table of the graphs at these positions.
func newLinkTable(shown []int) *linkTable {
	t := &linkTable{rows: map[int]int{}, cells: make([][]linkCell, len(shown))}
	for row, graph := range shown {
		t.rows[graph] = row
		t.cells[row] = make([]linkCell, len(shown))
	}
	return t
}

func (t *linkTable) add(from, to []int, duplicate bool) {
	t.all.add(duplicate)
	if !slices.ContainsFunc(from, func(g int) bool { return slices.Contains(to, g) }) {
		t.across.add(duplicate)
	}
	before := t.pairs
	for _, f := range from {
		row, ok := t.rows[f]
		if !ok {
			continue
		}
		for _, g := range to {
			if column, ok := t.rows[g]; ok {
				t.cells[row][column].add(duplicate)
				t.pairs++
			}
		}
	}
	if t.pairs == before {
		t.beyond++
	}
}

// linkPair is a cell with its place.
type linkPair struct {
	from, to int // rows
	linkCell
}

// largest returns the cells off the diagonal with most edges, at most n of them.
func (t *linkTable) largest(n int) []linkPair {
	var pairs []linkPair
	for i, row := range t.cells {
		for j, c := range row {
			if i != j && c.sum() > 0 {
				pairs = append(pairs, linkPair{i, j, c})
			}
		}
	}
	slices.SortFunc(pairs, func(a, b linkPair) int {
		return cmp.Or(cmp.Compare(b.sum(), a.sum()), cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to))
	})
	return pairs[:min(n, len(pairs))]
}

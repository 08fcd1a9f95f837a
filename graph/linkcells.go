package graph

import (
	"cmp"
	"slices"

	"s2g/schema"
)

// linkCells counts the edges between graphs, as schema.LinkFigures has them.
type linkCells struct {
	*linkRows
	cells       [][]schema.LinkCount
	all, across schema.LinkCount
	outside     int64
}

// linkRows are the graphs that have cells.
type linkRows struct {
	graphs []int // their positions by row; a column has the number of its graph's row
	row    []int // by position of a graph, -1: it has no cells
}

// newLinkRows chooses the graphs with most questions. The graph of the whole site is left
// out where there are others, because it holds all that they hold.
func newLinkRows(questions []int64, tags []string) *linkRows {
	r := &linkRows{row: make([]int, len(tags))}
	for g, n := range questions {
		if n > 0 {
			r.graphs = append(r.graphs, g)
		}
	}
	if len(r.graphs) > 1 {
		r.graphs = slices.DeleteFunc(r.graphs, func(g int) bool { return tags[g] == schema.SiteTag })
	}
	slices.SortStableFunc(r.graphs, func(a, b int) int { return cmp.Compare(questions[b], questions[a]) })
	r.graphs = r.graphs[:min(len(r.graphs), schema.LinkGraphs)]
	for g := range r.row {
		r.row[g] = slices.Index(r.graphs, g)
	}
	return r
}

func newLinkCells(rows *linkRows) *linkCells {
	l := &linkCells{linkRows: rows, cells: make([][]schema.LinkCount, len(rows.graphs))}
	for row := range l.cells {
		l.cells[row] = make([]schema.LinkCount, len(rows.graphs))
	}
	return l
}

// add counts an edge whose ends are in these graphs.
func (l *linkCells) add(from, to []int, duplicate bool) {
	l.all.Add(duplicate)
	if !slices.ContainsFunc(from, func(g int) bool { return slices.Contains(to, g) }) {
		l.across.Add(duplicate)
	}
	inside := false
	for _, f := range from {
		for _, t := range to {
			if row, column := l.row[f], l.row[t]; row >= 0 && column >= 0 {
				l.cells[row][column].Add(duplicate)
				inside = true
			}
		}
	}
	if !inside {
		l.outside++
	}
}

func (l *linkCells) merge(m *linkCells) {
	for row := range l.cells {
		for column := range l.cells[row] {
			addLinks(&l.cells[row][column], m.cells[row][column])
		}
	}
	addLinks(&l.all, m.all)
	addLinks(&l.across, m.across)
	l.outside += m.outside
}

func addLinks(to *schema.LinkCount, n schema.LinkCount) {
	to.Linked += n.Linked
	to.Duplicate += n.Duplicate
}

func (l *linkCells) figures(tags []string) schema.LinkFigures {
	f := schema.LinkFigures{All: l.all, Across: l.across, Outside: l.outside}
	for row, g := range l.graphs {
		linked, duplicate := make([]int64, len(l.graphs)), make([]int64, len(l.graphs))
		for column, n := range l.cells[row] {
			linked[column], duplicate[column] = n.Linked, n.Duplicate
		}
		f.Graphs, f.Linked, f.Duplicate = append(f.Graphs, tags[g]), append(f.Linked, linked), append(f.Duplicate, duplicate)
	}
	return f
}

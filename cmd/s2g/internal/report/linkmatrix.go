package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"s2g/schema"
)

// linkCells are the edges between graphs.
type linkCells struct{ schema.LinkFigures }

// at returns the edges from posts of a row's graph to posts of a column's.
func (l linkCells) at(row, column int) schema.LinkCount {
	return schema.LinkCount{Linked: l.Linked[row][column], Duplicate: l.Duplicate[row][column]}
}

// languagePair is a cell with its place.
type languagePair struct {
	from, to int // rows
	schema.LinkCount
}

// largest returns the cells off the diagonal with most edges, at most n of them.
func (l linkCells) largest(n int) []languagePair {
	var pairs []languagePair
	for i := range l.Graphs {
		for j := range l.Graphs {
			if c := l.at(i, j); i != j && c.Sum() > 0 {
				pairs = append(pairs, languagePair{i, j, c})
			}
		}
	}
	slices.SortFunc(pairs, func(a, b languagePair) int {
		return cmp.Or(cmp.Compare(b.Sum(), a.Sum()), cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to))
	})
	return pairs[:min(n, len(pairs))]
}

// maxCell returns the count of the largest cell.
func (l linkCells) maxCell() (n int64) {
	for i := range l.Graphs {
		for j := range l.Graphs {
			n = max(n, l.at(i, j).Sum())
		}
	}
	return n
}

// numberedLanguages is the largest number of languages at which cells show their counts.
const numberedLanguages = 12

// Measures of the matrix, in pixels of its own; a page scales it as a whole.
const (
	matrixMargin = 6
	matrixFont   = 12.5
	widestName   = 24 // of a row or column, in ems; a longer name is cut
	narrowCell   = 22
	wideCell     = 62
	cellGap      = 1
	nameGap      = 8
	ruleEvery    = 5 // rows and columns between two lines
)

// shades is the largest number of steps of the colour scale.
const shades = 6

// linkMatrix is the chart of links between languages, from rows to columns.
type linkMatrix struct {
	chart
	Width       int
	CellX       int // width of a cell
	CellY       int // height of a cell
	Numbered    bool
	Ground      struct{ X, Y, Width, Height int }
	Rules       []string // paths of lines that guide the eye
	Rows, Heads []matrixName
	Cells       []matrixCell
	Own         []matrixCell // the diagonal: links within a language
	Key         []shade
}

type matrixName struct {
	Text  string
	Whole string // empty: Text is the whole name
	X, Y  int
}

type matrixCell struct {
	X, Y         int
	TextX, TextY int
	Shade        int // from 1
	Text, Hint   string
}

// shade is a step of the colour scale.
type shade struct {
	Shade int
	Label string
}

// newLinkMatrix draws the cells of l, whose rows have these names.
func newLinkMatrix(c chart, l linkCells, names []string) *linkMatrix {
	m := &linkMatrix{chart: c, CellX: narrowCell, CellY: narrowCell, Numbered: len(names) <= numberedLanguages}
	if m.Numbered {
		m.CellX = wideCell
	}
	shown, widest := make([]matrixName, len(names)), 0.0
	for i, name := range names {
		shown[i].Text = fitWidth(name, widestName)
		if shown[i].Text != name {
			shown[i].Whole = name
		}
		widest = max(widest, textWidth(shown[i].Text))
	}
	edge := int(widest*matrixFont) + 2*nameGap // room for names on the left and above
	at := func(row, column int) (x, y int) {
		return edge + column*(m.CellX+cellGap), edge + row*(m.CellY+cellGap)
	}
	from := shadeSteps(l.maxCell())
	for i, name := range names {
		x, y := at(i, i)
		row, head := shown[i], shown[i]
		row.X, row.Y = edge-nameGap, y+m.CellY/2+4
		head.X, head.Y = x+m.CellX/2+4, edge-nameGap
		m.Rows, m.Heads = append(m.Rows, row), append(m.Heads, head)
		m.Own = append(m.Own, matrixCell{X: x, Y: y})
		for j := range names {
			cell := l.at(i, j)
			if cell.Sum() == 0 {
				continue
			}
			x, y := at(i, j)
			m.Cells = append(m.Cells, matrixCell{
				X: x, Y: y, TextX: x + m.CellX/2, TextY: y + m.CellY/2 + 4, Shade: shadeOf(cell.Sum(), from), Text: short(cell.Sum()),
				Hint: fmt.Sprintf("%s to %s: %s, %s", name, names[j], plural(cell.Linked, "link"), plural(cell.Duplicate, "duplicate")),
			})
		}
	}
	x, y := at(len(names), len(names))
	m.Width, m.Height = x+matrixMargin, y+matrixMargin
	m.Ground.X, m.Ground.Y, m.Ground.Width, m.Ground.Height = edge, edge, x-edge-cellGap, y-edge-cellGap
	for i := ruleEvery; i < len(names); i += ruleEvery {
		rx, ry := at(i, i)
		m.Rules = append(m.Rules, fmt.Sprintf("M%d.5 %dV%dM%d %d.5H%d", rx-cellGap, edge, y, edge, ry-cellGap, x))
	}
	for i := range from {
		m.Key = append(m.Key, shade{shadeOf(from[i], from), shadeLabel(from, i)})
	}
	return m
}

// shadeSteps returns the first count of each shade: of 1, 3, 10, 30, … up to most, the
// highest ones. The first of them is always 1.
func shadeSteps(most int64) (from []int64) {
	for decade := int64(1); decade <= most && decade < math.MaxInt64/30; decade *= 10 {
		from = append(from, decade)
		if 3*decade <= most {
			from = append(from, 3*decade)
		}
	}
	if len(from) > shades {
		from = from[len(from)-shades:]
		from[0] = 1
	}
	return from
}

// shadeOf returns the shade of a count. A scale with fewer steps has the stronger shades.
func shadeOf(n int64, from []int64) (s int) {
	for i, f := range from {
		if n >= f {
			s = i + 1
		}
	}
	return s + shades - len(from)
}

// shadeLabel names the counts of the shade that begins with from[i].
func shadeLabel(from []int64, i int) string {
	switch {
	case i == len(from)-1:
		return comma(from[i]) + " and more"
	case from[i+1] == from[i]+1:
		return comma(from[i])
	case from[i+1] == from[i]+2:
		return comma(from[i]) + ", " + comma(from[i]+1)
	}
	return comma(from[i]) + " to " + comma(from[i+1]-1)
}

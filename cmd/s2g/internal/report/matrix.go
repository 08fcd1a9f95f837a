package report

import (
	"fmt"
	"math"
)

// matrixLanguages is how many languages the matrix has at most.
const matrixLanguages = 40

// numbered is up to how many languages a cell has room for its number.
const numbered = 12

// Measures of the matrix, in pixels of its own; it is scaled as a whole.
const (
	matrixLeft   = 132
	matrixTop    = 122
	matrixMargin = 6
	narrowCell   = 22
	wideCell     = 62
	gap          = 1
)

// ruled is after how many rows and columns a line is drawn.
const ruled = 5

// shades is how many steps the colour scale has at most.
const shades = 6

// matrix is the links between languages, from rows to columns.
type matrix struct {
	chart
	Width       int
	CellX       int // size of a cell across
	CellY       int // and down
	Numbered    bool
	Ground      struct{ X, Y, Width, Height int }
	Rules       []string // lines that the eye can follow, as paths
	Rows, Heads []matrixName
	Cells       []matrixCell
	Own         []matrixCell // the diagonal, where a language's links stay within it
	Key         []shade
}

type matrixName struct {
	Text string
	X, Y int
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

// newMatrix draws the cells of t, whose rows have these names.
func newMatrix(c chart, t *linkTable, names []string) *matrix {
	m := &matrix{chart: c, CellX: narrowCell, CellY: narrowCell, Numbered: len(names) <= numbered}
	if m.Numbered {
		m.CellX = wideCell
	}
	at := func(row, column int) (x, y int) {
		return matrixLeft + column*(m.CellX+gap), matrixTop + row*(m.CellY+gap)
	}
	from := steps(t.most())
	for i, name := range names {
		x, y := at(i, i)
		m.Rows = append(m.Rows, matrixName{name, matrixLeft - 8, y + m.CellY/2 + 4})
		m.Heads = append(m.Heads, matrixName{name, x + m.CellX/2 + 4, matrixTop - 8})
		m.Own = append(m.Own, matrixCell{X: x, Y: y})
		for j, cell := range t.cells[i] {
			if cell.sum() == 0 {
				continue
			}
			x, y := at(i, j)
			m.Cells = append(m.Cells, matrixCell{
				X: x, Y: y, TextX: x + m.CellX/2, TextY: y + m.CellY/2 + 4, Shade: shadeOf(cell.sum(), from), Text: short(cell.sum()),
				Hint: fmt.Sprintf("%s to %s: %s, %s", name, names[j], plural(cell.linked, "link"), plural(cell.duplicate, "duplicate")),
			})
		}
	}
	x, y := at(len(names), len(names))
	m.Width, m.Height = x+matrixMargin, y+matrixMargin
	m.Ground.X, m.Ground.Y, m.Ground.Width, m.Ground.Height = matrixLeft, matrixTop, x-matrixLeft-gap, y-matrixTop-gap
	for i := ruled; i < len(names); i += ruled {
		rx, ry := at(i, i)
		m.Rules = append(m.Rules, fmt.Sprintf("M%d.5 %dV%dM%d %d.5H%d", rx-gap, matrixTop, y, matrixLeft, ry-gap, x))
	}
	for i := range from {
		m.Key = append(m.Key, shade{shadeOf(from[i], from), between(from, i)})
	}
	return m
}

// most is the largest cell's count.
func (t *linkTable) most() (n int64) {
	for _, row := range t.cells {
		for _, c := range row {
			n = max(n, c.sum())
		}
	}
	return n
}

// steps are the counts that the shades begin with: the highest of 1, 3, 10, 30, …
// that are not above most; the first is 1 whatever it would be.
func steps(most int64) (from []int64) {
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

// shadeOf is the step of a count; the strongest shade is used whatever their number.
func shadeOf(n int64, from []int64) (s int) {
	for i, f := range from {
		if n >= f {
			s = i + 1
		}
	}
	return s + shades - len(from)
}

// between says which counts have the shade that begins with from[i].
func between(from []int64, i int) string {
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

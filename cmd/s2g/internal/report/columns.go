package report

import "strconv"

// A chart has its lengths across in percent and its lengths down in pixels, so
// that it takes any width and its text keeps its size: no script, no scaling.

// label is a text at a place. On a narrow page Short stands for it, and nothing
// where that is empty.
type label struct{ X, Text, Short string }

// chart is what all charts have.
type chart struct {
	ID          string
	Title, Desc string // read out where the picture cannot be seen
	Height      int
	Base        int     // y of the line that columns stand on
	Names       []label // below it
	Table       table   // the same numbers
}

// columns is a chart of stacked columns, each with its number above.
type columns struct {
	chart
	Columns []column
}

// column is one of them.
type column struct {
	X, Width string // of the column
	Parts    []part
	Value    label
	ValueY   int
	Hint     string // shown where the mouse rests
}

// part is a rectangle of a column.
type part struct {
	Y, Height string
	Class     string
}

const (
	columnsHeight = 230
	columnsTop    = 22 // room for the number above the highest
	namesHeight   = 24
	fewest        = 10 // columns that there is room for: two alone would be blocks
)

// stack is what a column is drawn from: parts from below, of a class each.
type stack struct {
	name, short string
	value       string // above it
	brief       string // the same on a narrow page
	hint        string
	parts       []stackPart
}

type stackPart struct {
	n     int64
	class string
}

func (s stack) sum() (n int64) {
	for _, p := range s.parts {
		n += p.n
	}
	return n
}

// newColumns draws stacks side by side, linear from 0.
func newColumns(c chart, stacks []stack) *columns {
	c.Height, c.Base = columnsHeight, columnsHeight-namesHeight
	var most int64 = 1
	for _, s := range stacks {
		most = max(most, s.sum())
	}
	chart := &columns{chart: c}
	room := float64(chart.Base - columnsTop)
	n := float64(max(len(stacks), fewest))
	for i, s := range stacks {
		middle := percent(float64(i)+.5, n)
		col := column{X: percent(float64(i)+.12, n), Width: percent(.76, n), Hint: s.hint, Value: label{middle, s.value, s.brief}}
		y := float64(chart.Base)
		for _, p := range s.parts {
			height := room * float64(p.n) / float64(most)
			y -= height
			col.Parts = append(col.Parts, part{pixels(y), pixels(height), p.class})
		}
		col.ValueY = int(y) - 6
		chart.Columns = append(chart.Columns, col)
		chart.Names = append(chart.Names, label{middle, s.name, s.short})
	}
	return chart
}

func pixels(x float64) string { return strconv.FormatFloat(x, 'f', 1, 64) }

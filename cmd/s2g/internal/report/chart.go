package report

import (
	"math"
	"slices"
	"strconv"
)

// chart is the common part of all charts. Its horizontal lengths are in percent and its
// vertical ones in pixels, so that it fits any width and its text keeps its size, without
// a script.
type chart struct {
	ID          string
	Title, Desc string // for readers who do not see the picture
	Height      int
	Base        int     // y of the line that columns begin at
	Names       []label // below Base
	NamesY      int
	Table       table // the numbers of the chart
}

// label is a text at a place, with a second line Below, which may be empty. A narrow page
// shows Short instead of Text, which may be empty, too.
type label struct{ X, Text, Short, Below string }

// columnChart is a chart of stacked columns, each below its number.
type columnChart struct {
	chart
	Columns []column
}

type column struct {
	X, Width string // of the column
	Parts    []columnPart
	Value    label
	ValueY   int
	Hint     string // shown where the mouse rests
}

// columnPart is a rectangle of a column.
type columnPart struct {
	Y, Height string
	Class     string
}

const (
	columnsHeight = 230
	columnsTop    = 22 // room for the number above the highest
	namesHeight   = 24
	belowHeight   = 16 // of a second line of names
	minColumns    = 10 // the least number of columns to leave room for: two alone would be blocks
)

// stack is the data of a column. Its parts are in order from below.
type stack struct {
	name  label
	value string // shown above the column
	brief string // the same on a narrow page
	hint  string
	parts []stackPart
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

// newColumnChart draws stacks side by side, on a linear scale from 0.
func newColumnChart(c chart, stacks []stack) *columnChart {
	c.Height, c.Base, c.NamesY = columnsHeight, columnsHeight-namesHeight, columnsHeight-8
	if slices.ContainsFunc(stacks, func(s stack) bool { return s.name.Below != "" }) {
		c.Height += belowHeight
	}
	var most int64 = 1
	for _, s := range stacks {
		most = max(most, s.sum())
	}
	chart := &columnChart{chart: c}
	room := float64(chart.Base - columnsTop)
	n := float64(max(len(stacks), minColumns))
	for i, s := range stacks {
		middle := percent(float64(i)+.5, n)
		col := column{X: percent(float64(i)+.12, n), Width: percent(.76, n), Hint: s.hint, Value: label{X: middle, Text: s.value, Short: s.brief}}
		y := float64(chart.Base)
		for _, p := range s.parts {
			height := room * float64(p.n) / float64(most)
			y -= height
			col.Parts = append(col.Parts, columnPart{pixels(y), pixels(height), p.class})
		}
		col.ValueY = int(y) - 6
		chart.Columns = append(chart.Columns, col)
		s.name.X = middle
		chart.Names = append(chart.Names, s.name)
	}
	return chart
}

// dotChart is a chart of series on a logarithmic scale. It has dots joined by lines,
// because the length of a bar has no meaning on that scale.
type dotChart struct {
	chart
	Grid  []gridline
	Lines []line
	Dots  []dot
}

// gridline is a power of ten.
type gridline struct {
	Y     string
	Label string
}

type line struct{ X1, Y1, X2, Y2, Class string }

type dot struct{ X, Y, Class, Hint string }

const dotsHeight = 280

// series is a line of counts, one for each name.
type series struct {
	class, name string
	counts      []int64
}

// newDotChart draws series over names. It leaves out counts of 0, which have no place on
// the scale.
func newDotChart(c chart, names []label, all []series) *dotChart {
	c.Height, c.Base, c.NamesY = dotsHeight, dotsHeight-namesHeight-6, dotsHeight-8
	d := &dotChart{chart: c}
	most := 10.0
	for _, s := range all {
		for _, n := range s.counts {
			most = max(most, float64(n))
		}
	}
	decades := math.Ceil(math.Log10(most))
	y := func(n float64) string {
		return pixels(float64(d.Base) - math.Log10(n)/decades*float64(d.Base-columnsTop))
	}
	for i := range int(decades) + 1 {
		n := math.Pow10(i)
		d.Grid = append(d.Grid, gridline{y(n), short(int64(n))})
	}
	count := float64(len(names))
	x := func(i int) string { return percent(7+93*(float64(i)+.5)/count, 100) }
	for i, l := range names {
		d.Names = append(d.Names, label{X: x(i), Text: l.Text, Short: l.Short})
	}
	for _, s := range all {
		last := -1
		for i, n := range s.counts {
			if n == 0 {
				continue
			}
			if last == i-1 && i > 0 {
				d.Lines = append(d.Lines, line{x(last), y(float64(s.counts[last])), x(i), y(float64(n)), s.class})
			}
			last = i
			d.Dots = append(d.Dots, dot{x(i), y(float64(n)), s.class, names[i].Text + ": " + plural(n, s.name)})
		}
	}
	return d
}

func pixels(x float64) string { return strconv.FormatFloat(x, 'f', 1, 64) }

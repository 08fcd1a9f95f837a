package report

import "math"

// dots is a chart of series on a logarithmic scale: dots, because the length of a
// bar would say nothing there, joined by lines.
type dots struct {
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

// newDots draws series over names. A count of 0 has no place on the scale and is
// not drawn.
func newDots(c chart, names []label, all []series) *dots {
	c.Height, c.Base = dotsHeight, dotsHeight-namesHeight-6
	d := &dots{chart: c}
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
		d.Names = append(d.Names, label{x(i), l.Text, l.Short})
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

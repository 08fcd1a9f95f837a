package report

import (
	"cmp"
	"slices"
)

// table is numbers in rows. The first cell of each row names it; the others are
// aligned right unless the table is of words.
type table struct {
	Caption string
	Words   bool
	Head    []string
	Rows    [][]string
}

// number is a count, which a narrow page shows in its short form.
type number struct{ Wide, Narrow string }

func newNumber(n int64) number { return number{comma(n), short(n)} }

// bar is a length in a cell of a table, of parts of a class each.
type bar []barPart

type barPart struct{ X, Width, Class string }

// newBar returns a bar of which each part is a share of whole.
func newBar(whole int64, parts ...stackPart) bar {
	var b bar
	var at int64
	for _, p := range parts {
		b = append(b, barPart{percent(float64(at), float64(whole)), percent(float64(p.n), float64(whole)), p.class})
		at += p.n
	}
	return b
}

// countTable is counts under a caption, each with its bar, on one scale.
type countTable struct {
	Caption string
	Lines   []countLine
}

// countLine is how often something occurred.
type countLine struct {
	Name, Note, Count string
	Bar               bar
	n                 int64
}

// newCountTable orders lines by their counts, the largest first, and draws their
// bars; nil where there is no line.
func newCountTable(caption string, lines []countLine) *countTable {
	if len(lines) == 0 {
		return nil
	}
	slices.SortStableFunc(lines, func(a, b countLine) int { return cmp.Compare(b.n, a.n) })
	for i := range lines {
		lines[i].Count = comma(lines[i].n)
		lines[i].Bar = newBar(lines[0].n, stackPart{lines[i].n, "bad"})
	}
	return &countTable{caption, lines}
}

// Package textgrid prints tables for people: the first column aligned left, the others right.
package textgrid

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Grid is the lines of a table, each a list of cells. Lines may have different numbers of cells.
type Grid [][]string

// Add appends a line.
func (g *Grid) Add(cells ...string) { *g = append(*g, cells) }

// String returns the lines, each column as wide as its widest cell.
func (g Grid) String() string {
	var widths []int
	for _, line := range g {
		for i, cell := range line {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for _, line := range g {
		for i, cell := range line {
			if i == 0 {
				fmt.Fprintf(&b, "%-*s", widths[i], cell)
			} else {
				fmt.Fprintf(&b, "  %*s", widths[i], cell)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

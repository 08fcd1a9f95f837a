package text

import (
	"strings"

	"golang.org/x/net/html/atom"
)

// startTable takes the start tag of a table, a row or a cell. A row is a line; what nests in a cell, tables
// too, is its text.
func (c *Cleaner) startTable(tag atom.Atom) {
	switch tag {
	case atom.Table:
		if c.table == 0 {
			c.pre = min(c.pre, 1) // a table ends code, and code in a table ends with it
			c.endPre()
			c.flush()
			c.page.need(2)
			c.cells, c.heading, c.firstRow = 0, false, true
		}
		c.table++
	case atom.Tr:
		if c.table == 1 {
			c.endRow()
		}
	case atom.Td, atom.Th:
		if c.table != 1 {
			c.para.space()
			return
		}
		c.para.close()
		if c.cells++; c.cells == 1 {
			c.para.raw("| ")
		} else {
			c.para.raw(" | ")
		}
		c.heading = c.heading || tag == atom.Th
	}
}

func (c *Cleaner) endTable(tag atom.Atom) {
	if c.table == 0 {
		return
	}
	switch {
	case tag == atom.Table && c.table == 1:
		c.endRow()
		c.table, c.pre = 0, 0
		c.page.need(2)
	case tag == atom.Table:
		c.table--
	case tag == atom.Tr && c.table == 1:
		c.endRow()
	}
}

// endRow writes the row that is being collected, and below the heading a rule as Markdown has it.
func (c *Cleaner) endRow() {
	if c.cells > 0 {
		c.para.close()
		c.para.raw(" |")
	}
	if row := c.para.take(); len(row) > 0 {
		c.page.lines(c.noise.prose(row))
		c.page.need(1)
		if c.firstRow && c.heading {
			c.page.line([]byte("|" + strings.Repeat(" --- |", c.cells)))
			c.page.need(1)
		}
		c.firstRow = false
	}
	c.cells, c.heading = 0, false
}

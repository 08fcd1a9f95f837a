package ingest

import (
	"strings"
	"unicode/utf8"

	"s2g/ingest/dump"
	"s2g/schema"
)

// A batch is the rows of a block of the dump, as TSV.
type batch struct {
	tsv    []byte
	rows   []row  // in the order of tsv
	sorted bool   // Ids go up, none is twice
	newest []byte // CreationDate, as in the table
	tally  tally
}

// A row is a line of a batch.
type row struct {
	id  int64
	end int // in the batch's tsv, behind its line feed
}

func (b *batch) reset() {
	b.tsv, b.rows, b.newest = b.tsv[:0], b.rows[:0], b.newest[:0]
	b.sorted = true
	b.tally.reset()
}

// A converter makes lines of TSV of a table's records. It is one worker's.
type converter struct {
	table   schema.Table
	file    string             // what rejects call the dump's file
	known   []func(int64) bool // by column: which values of a type were seen in dumps; nil for other columns
	created int                // column CreationDate, negative if there is none
	scratch []byte
}

func newConverter(t schema.Table, file string) *converter {
	c := &converter{table: t, file: file, known: make([]func(int64) bool, len(t.Columns)), created: -1}
	for i, col := range t.Columns {
		switch col.Name {
		case "PostTypeId":
			c.known[i] = func(n int64) bool { return n >= 1 && n <= schema.PostTypeMax }
		case "VoteTypeId":
			c.known[i] = func(n int64) bool { return n >= 1 && n <= schema.VoteTypeMax }
		case "LinkTypeId":
			c.known[i] = func(n int64) bool { return n == schema.LinkLinked || n == schema.LinkDuplicate }
		case "CreationDate":
			c.created = i
		}
	}
	return c
}

// attributes returns the names of the columns.
func (c *converter) attributes() []string {
	var names []string
	for _, col := range c.table.Columns {
		names = append(names, col.Name)
	}
	return names
}

// add converts a record into the batch, or counts it there as bad.
func (c *converter) add(b *batch, r *dump.Record) {
	b.tally.read++
	start := len(b.tsv)
	tsv, id, fault := c.line(b, r)
	if fault.class != "" && !kept(fault.class) {
		b.tsv = tsv[:start]
		c.reject(b, r, fault)
		return
	}
	b.tsv = tsv
	if n := len(b.rows); n > 0 && b.rows[n-1].id >= id {
		b.sorted = false
	}
	b.rows = append(b.rows, row{id, len(tsv)})
	if fault.class != "" {
		c.reject(b, r, fault)
	}
	if r.Illegal > 0 {
		c.reject(b, r, rowFault(dump.IllegalReference))
	}
	if r.Invalid > 0 {
		c.reject(b, r, rowFault(dump.InvalidUTF8))
	}
}

// A fault is what is bad about a row, and in which column, negative for none.
type fault struct {
	class  dump.Class
	column int
}

// rowFault is what is bad about a row as a whole.
func rowFault(c dump.Class) fault { return fault{c, -1} }

// line appends the record's line to the batch's TSV.
func (c *converter) line(b *batch, r *dump.Record) (dst []byte, id int64, found fault) {
	dst = b.tsv
	var created []byte
	if r.Class != "" {
		return dst, 0, rowFault(r.Class)
	}
	for i := range c.table.Columns {
		if i > 0 {
			dst = append(dst, '\t')
		}
		v := r.Value(i)
		if len(v) == 0 {
			col := &c.table.Columns[i]
			switch {
			case i == 0:
				return dst, 0, fault{NoID, 0}
			case col.Required:
				return dst, 0, fault{MissingAttribute, i}
			case v == nil || col.Kind != schema.Text && col.Kind != schema.TagList:
				dst = append(dst, `\N`...) // a number or date that is there but empty is absent
			}
			continue
		}
		var n int64
		var class dump.Class
		at := len(dst)
		dst, n, class = c.value(dst, i, v)
		if class != "" {
			if !kept(class) {
				return dst, 0, fault{class, i}
			}
			found = fault{class, i}
		}
		switch {
		case i == 0 && c.fabricated(n):
			return dst, n, fault{FabricatedPost, 0}
		case i == 0:
			id = n
		case i == c.created:
			created = dst[at:]
		}
	}
	if string(created) > string(b.newest) {
		b.newest = append(b.newest[:0], created...)
	}
	return append(dst, '\n'), id, found
}

// value appends the value of a column. n is that of an Int.
func (c *converter) value(dst []byte, column int, v []byte) (_ []byte, n int64, class dump.Class) {
	col := &c.table.Columns[column]
	ok := true
	switch col.Kind {
	case schema.Int:
		dst, n, class = appendInt(dst, v, col.Min, col.Max)
		if known := c.known[column]; class == "" && known != nil && !known(n) {
			class = UnknownType
		}
	case schema.Date:
		if dst, ok = appendDate(dst, v); !ok {
			class = BadDate
		}
	case schema.Bool:
		if dst, ok = appendBool(dst, v); !ok {
			class = BadBool
		}
	case schema.TagList:
		c.scratch = appendTags(c.scratch[:0], v)
		dst = appendText(dst, c.scratch)
	case schema.Text:
		if col.MaxLen > 0 && len(v) > col.MaxLen && utf8.RuneCount(v) > col.MaxLen {
			return dst, 0, OutOfRange
		}
		dst = appendText(dst, v)
	}
	return dst, n, class
}

// fabricated reports whether a row's Id is that of a post that no user wrote.
func (c *converter) fabricated(id int64) bool {
	if c.table.Name != "Posts" {
		return false
	}
	for _, f := range schema.FabricatedPosts {
		if id == f {
			return true
		}
	}
	return false
}

// excerpt is how many bytes of a bad value are shown.
const excerpt = 80

func (c *converter) reject(b *batch, r *dump.Record, f fault) {
	bad := reject{Class: f.class}
	if !b.tally.full(f.class) { // the texts are worth their allocation only then
		at := r.Offset
		bad = reject{
			Table: c.table.Name, File: c.file, Class: f.class,
			ID: shorten(r.Value(0)), Offset: &at,
		}
		if f.column >= 0 {
			bad.Column = c.table.Columns[f.column].Name
			bad.Value = shorten(r.Value(f.column))
		}
	}
	b.tally.add(bad)
}

func shorten(v []byte) string {
	return strings.ToValidUTF8(string(v[:min(len(v), excerpt)]), "")
}

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
	faults  []fault // of the record at hand
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

// add converts a record into the batch, and counts there what is bad about it.
func (c *converter) add(b *batch, r *dump.Record) {
	b.tally.Read++
	c.faults = c.faults[:0]
	start := len(b.tsv)
	tsv, id, whole := c.line(b, r)
	if whole {
		b.tsv = tsv
		if n := len(b.rows); n > 0 && b.rows[n-1].id >= id {
			b.sorted = false
		}
		b.rows = append(b.rows, row{id, len(tsv)})
		if r.Illegal > 0 {
			c.faults = append(c.faults, fault{dump.IllegalReference, -1})
		}
		if r.Invalid > 0 {
			c.faults = append(c.faults, fault{dump.InvalidUTF8, -1})
		}
	} else {
		b.tsv = tsv[:start]
		c.faults = c.faults[len(c.faults)-1:] // what it was left out for
	}
	bad := false
	for _, f := range c.faults {
		c.reject(b, r, f, whole)
		bad = bad || !excused(f.class)
	}
	if bad {
		b.tally.Bad++
	}
}

// A fault is what is bad about a row, and in which column, negative for none.
type fault struct {
	class  dump.Class
	column int
}

// line appends the record's line to the batch's TSV. whole is false where the
// row must be left out; c.faults then ends with the reason.
func (c *converter) line(b *batch, r *dump.Record) (dst []byte, id int64, whole bool) {
	dst = b.tsv
	var created []byte
	if r.Class != "" {
		return dst, 0, c.fault(r.Class, -1)
	}
	for i := range c.table.Columns {
		if i > 0 {
			dst = append(dst, '\t')
		}
		col := &c.table.Columns[i]
		v := r.Value(i)
		if len(v) == 0 {
			switch {
			case i == 0:
				return dst, 0, c.fault(NoID, 0)
			case col.Required:
				return dst, 0, c.fault(MissingAttribute, i)
			case v == nil || col.Kind != schema.Text && col.Kind != schema.TagList:
				dst = append(dst, `\N`...) // a number or date that is there but empty is absent
			}
			continue
		}
		at := len(dst)
		var n int64
		var class dump.Class
		dst, n, class = c.value(dst, i, v)
		if class != "" {
			c.fault(class, i)
			switch {
			case harmless(class):
			case col.Required:
				return dst, 0, false
			default:
				dst = append(dst[:at], `\N`...)
			}
		}
		switch {
		case i == 0 && c.fabricated(n):
			return dst, n, c.fault(FabricatedPost, 0)
		case i == 0:
			id = n
		case i == c.created && class == "":
			created = dst[at:]
		}
	}
	if string(created) > string(b.newest) {
		b.newest = append(b.newest[:0], created...)
	}
	return append(dst, '\n'), id, true
}

// fault notes what is bad about the record. It returns false: the row is not whole.
func (c *converter) fault(class dump.Class, column int) bool {
	c.faults = append(c.faults, fault{class, column})
	return false
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

func (c *converter) reject(b *batch, r *dump.Record, f fault, kept bool) {
	bad := reject{Class: f.class}
	if !b.tally.full(f.class) { // the texts are worth their allocation only then
		at := r.Offset
		bad = reject{
			Table: c.table.Name, File: c.file, Class: f.class,
			ID: shorten(r.Value(0)), Offset: &at, Kept: kept,
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

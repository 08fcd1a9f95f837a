package ingest

import (
	"strings"
	"unicode/utf8"

	"s2g/ingest/dump"
	"s2g/schema"
	"s2g/schema/tables"
)

// A rowBatch is the rows of a block of the dump as TSV.
type rowBatch struct {
	tsv       []byte
	rows      []batchRow // in the order of tsv
	ascending bool       // each Id is above the one before
	newest    []byte     // the latest CreationDate, as DATETIME(3)
	rejects   rejectSummary
}

// A batchRow is a line of a batch.
type batchRow struct {
	id  int64
	end int // of the line in the batch's tsv, after its line feed
}

func (b *rowBatch) reset() {
	b.tsv, b.rows, b.newest = b.tsv[:0], b.rows[:0], b.newest[:0]
	b.ascending = true
	b.rejects.reset()
}

// A converter converts the records of a table to lines of TSV. Each worker has its
// own.
type converter struct {
	table   schema.Table
	file    string        // name of the document in rejects
	rules   [][]valueRule // by column
	created int           // column CreationDate, len(Columns) if the table has none
	scratch []byte
	faults  []rowFault // of the current record
}

// A rowFault is a class of bad rows that a record belongs to.
type rowFault struct {
	class  dump.Class
	column int // of the bad value; noColumn for faults of the whole row
}

const noColumn = -1

func newConverter(t schema.Table, file string) *converter {
	created, ok := t.Column("CreationDate")
	if !ok {
		created = len(t.Columns)
	}
	return &converter{table: t, file: file, rules: rulesOf(t), created: created}
}

// appendRow converts a record into the batch and counts its faults there.
func (c *converter) appendRow(b *rowBatch, r *dump.Record) {
	b.rejects.Read++
	c.faults = c.faults[:0]
	start := len(b.tsv)
	tsv, id, loaded := c.appendLine(b, r)
	if loaded {
		b.tsv = tsv
		if n := len(b.rows); n > 0 && b.rows[n-1].id >= id {
			b.ascending = false
		}
		b.rows = append(b.rows, batchRow{id, len(tsv)})
		if r.Illegal > 0 {
			c.addFault(dump.IllegalReference, noColumn)
		}
		if r.Invalid > 0 {
			c.addFault(dump.InvalidUTF8, noColumn)
		}
	} else {
		b.tsv = tsv[:start]
		c.faults = c.faults[len(c.faults)-1:] // the one that the row is dropped for
	}
	bad := false
	for _, f := range c.faults {
		c.reject(b, r, f, loaded)
		bad = bad || !classOf(f.class).expected
	}
	if bad {
		b.rejects.Bad++
	}
}

// appendLine appends the record's line to the batch's TSV. loaded is false where
// the row is dropped.
func (c *converter) appendLine(b *rowBatch, r *dump.Record) (dst []byte, id int64, loaded bool) {
	dst = b.tsv
	if r.Class != "" {
		c.addFault(r.Class, noColumn)
		return dst, 0, false
	}
	var created []byte
	for i := range c.table.Columns {
		if i > 0 {
			dst = append(dst, '\t')
		}
		col := &c.table.Columns[i]
		v := r.Value(i)
		if len(v) == 0 {
			switch {
			case i == 0:
				c.addFault(noID, 0)
				return dst, 0, false
			case col.Required:
				c.addFault(missingAttribute, i)
				return dst, 0, false
			case v == nil || col.Kind != schema.Text && col.Kind != schema.TagList:
				dst = append(dst, `\N`...) // an empty number or date is an absent one
			}
			continue
		}
		at := len(dst)
		var n int64
		var class dump.Class
		dst, n, class = c.appendValue(dst, i, v)
		for _, rule := range c.rules[i] {
			if class == "" && rule.holds(v, n) {
				class = rule.class
			}
		}
		if class != "" {
			c.addFault(class, i)
			switch fate := classOf(class).fate; {
			case fate == keepValue:
			case fate == dropRow || col.Required:
				return dst, 0, false
			default:
				dst = append(dst[:at], `\N`...)
			}
		}
		if i == 0 {
			id = n
		} else if i == c.created && class == "" {
			created = dst[at:]
		}
	}
	if string(created) > string(b.newest) {
		b.newest = append(b.newest[:0], created...)
	}
	return append(dst, '\n'), id, true
}

// appendValue appends the value of a column. n is the value of an Int.
func (c *converter) appendValue(dst []byte, column int, v []byte) (_ []byte, n int64, class dump.Class) {
	col := &c.table.Columns[column]
	ok := true
	switch col.Kind {
	case schema.Int:
		dst, n, class = appendInt(dst, v, col.Min, col.Max)
	case schema.Date:
		if dst, ok = appendDate(dst, v); !ok {
			class = badDate
		}
	case schema.Bool:
		if dst, ok = appendBool(dst, v); !ok {
			class = badBool
		}
	case schema.TagList:
		if c.scratch, ok = appendTags(c.scratch[:0], v); !ok {
			class = badTag
		}
		dst = tables.AppendText(dst, c.scratch)
	case schema.Text:
		if col.MaxLen > 0 && len(v) > col.MaxLen && utf8.RuneCount(v) > col.MaxLen {
			return dst, 0, outOfRange
		}
		dst = tables.AppendText(dst, v)
	}
	return dst, n, class
}

func (c *converter) addFault(class dump.Class, column int) {
	c.faults = append(c.faults, rowFault{class, column})
}

// excerpt is how many bytes of a bad value are listed.
const excerpt = 80

// reject counts a fault of a record and lists it if it is among the first.
func (c *converter) reject(b *rowBatch, r *dump.Record, f rowFault, kept bool) {
	bad := Reject{Class: f.class}
	if !b.rejects.full(f.class) { // else its texts are not allocated
		offset := r.Offset
		bad = Reject{
			Table: c.table.Name, File: c.file, Class: f.class,
			ID: shorten(r.Value(0)), Offset: &offset, Kept: kept,
		}
		if f.column != noColumn {
			bad.Column = c.table.Columns[f.column].Name
			bad.Value = shorten(r.Value(f.column))
		}
	}
	b.rejects.count(bad)
}

func shorten(v []byte) string {
	return strings.ToValidUTF8(string(v[:min(len(v), excerpt)]), "")
}

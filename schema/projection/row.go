package projection

import (
	"bytes"
	"fmt"

	"s2g/schema"
	"s2g/schema/tables"
)

// The columns of a post in a line of TSV.
var (
	columns    = tableColumns()
	tagsColumn = columnOf("Tags")
)

func tableColumns() int {
	t, _ := schema.TableByName("Posts")
	return len(t.Columns)
}

func columnOf(name string) int {
	t, _ := schema.TableByName("Posts")
	i, _ := t.Column(name)
	return i
}

// A LineParser parses lines of Posts.
type LineParser struct {
	post Post
	tags []byte
}

// firstColumns are the columns of Posts, in their order, up to the last that Parse reads
// from the front.
var firstColumns = [...]string{"Id", "PostTypeId", "AcceptedAnswerId", "ParentId", "CreationDate", "DeletionDate", "Score"}

// Parse returns the post of a row of Posts as a line of TSV, as tables.DB.Load reads it,
// without its line feed. It is valid until the next call. Tags are near the end of a row,
// so Parse does not pass the body.
func (l *LineParser) Parse(line []byte) *Post {
	var first [len(firstColumns)][]byte
	rest := line
	for i := range first {
		first[i], rest, _ = bytes.Cut(rest, []byte{'\t'})
	}
	for range columns - 1 - tagsColumn {
		rest = rest[:bytes.LastIndexByte(rest, '\t')]
	}
	l.tags = appendUnescaped(l.tags[:0], rest[bytes.LastIndexByte(rest, '\t')+1:])
	linked := first[3]
	if tables.Int(first[1]) == schema.PostQuestion {
		linked = first[2]
	}
	l.post = newPost(first[0], first[1], orNil(linked), first[4], orNil(first[6]), l.tags)
	return &l.post
}

// Columns is the list of the columns of a query for [OfRow].
var Columns = fmt.Sprintf("Id, PostTypeId, IF(PostTypeId = %d, AcceptedAnswerId, ParentId), CreationDate, Score, Tags", schema.PostQuestion)

// OfRow returns the post of a row of Columns. It keeps nothing of the row.
func OfRow(row [][]byte) Post {
	return newPost(row[0], row[1], row[2], row[3], row[4], append([]byte(nil), row[5]...))
}

// newPost returns the post of the values of a row; nil is NULL. It keeps tags.
func newPost(id, kind, linked, created, score, tags []byte) Post {
	return Post{
		ID: tables.Int(id), Type: tables.Int(kind), Linked: tables.Int(linked), Created: milliseconds(created),
		Score: int32(tables.Int(score)), HasScore: score != nil, Tags: tags,
	}
}

// orNil returns nil for the NULL of TSV.
func orNil(value []byte) []byte {
	if string(value) == `\N` {
		return nil
	}
	return value
}

// appendUnescaped appends the text of a value of TSV, nothing for NULL.
func appendUnescaped(dst, value []byte) []byte {
	if orNil(value) == nil {
		return dst
	}
	for len(value) > 0 {
		at := bytes.IndexByte(value, '\\')
		if at < 0 || at == len(value)-1 {
			return append(dst, value...)
		}
		dst = append(dst, value[:at]...)
		c := value[at+1]
		switch c {
		case 't':
			c = '\t'
		case 'n':
			c = '\n'
		case 'r':
			c = '\r'
		case '0':
			c = 0
		}
		dst, value = append(dst, c), value[at+2:]
	}
	return dst
}

// milliseconds returns the time since 1970 of a DATETIME(3), as 2008-07-31 21:42:52.667;
// 0 for another form.
func milliseconds(date []byte) int64 {
	if len(date) != len("2008-07-31 21:42:52.667") {
		return 0
	}
	number := func(from, to int) int64 { return tables.Int(date[from:to]) }
	// Days of the Gregorian calendar, with years that begin in March.
	year, month, day := number(0, 4), number(5, 7), number(8, 10)
	if month <= 2 {
		year, month = year-1, month+12
	}
	days := 365*year + year/4 - year/100 + year/400 + (153*(month-3)+2)/5 + day - 1 - 719468
	return ((days*24+number(11, 13))*60+number(14, 16))*60_000 + number(17, 19)*1000 + number(20, 23)
}

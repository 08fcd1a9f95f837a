package verify

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/parquet-go/parquet-go"

	"s2g/cmd/s2g/internal/oracle"
)

// fieldColumns are the columns of a point that repeat values of its post's tables, by
// field; those that bind did not choose are nil.
type fieldColumns [oracle.Fields]*valueColumn

// fieldColumn adds the column of a field.
func (r *rowReader) fieldColumn(f oracle.Field) *valueColumn {
	kind := parquet.ByteArray
	switch f.Kind() {
	case oracle.FieldInt32:
		kind = parquet.Int32
	case oracle.FieldInt64, oracle.FieldDate, oracle.FieldInt64s:
		kind = parquet.Int64
	case oracle.FieldBool:
		kind = parquet.Boolean
	}
	return r.column(f.String(), kind)
}

// text returns the text that oracle.FieldCRC requires of a field, nil where the field
// has no value. The text may be in room, or in the column.
func (c *fieldColumns) text(f oracle.Field, room, site []byte) []byte {
	column, kind := c[f], f.Kind()
	switch kind {
	case oracle.FieldTexts:
		for i, v := range column.list() {
			if i > 0 {
				room = append(room, '|')
			}
			room = append(room, v.ByteArray()...)
		}
		return room
	case oracle.FieldInt64s:
		for i, v := range column.list() {
			if i > 0 {
				room = append(room, ',')
			}
			room = strconv.AppendInt(room, v.Int64(), 10)
		}
		return room
	}
	if column.null() {
		return nil
	}
	switch kind {
	case oracle.FieldBool:
		if column.boolean() {
			return append(room, '1')
		}
		return append(room, '0')
	case oracle.FieldDate:
		return time.UnixMilli(column.integer()).UTC().AppendFormat(room, "2006-01-02 15:04:05.000")
	case oracle.FieldInt32, oracle.FieldInt64:
		return strconv.AppendInt(room, column.integer(), 10)
	case oracle.FieldIRI:
		if path, ok := bytes.CutPrefix(column.bytes(), site); ok {
			return path
		}
	}
	return column.bytes()
}

// comparePayload compares the posts' fields in the shards with the tables.
func (v *verifier) comparePayload(ctx context.Context, want *oracle.Expected) (Check, error) {
	c := newCheck("payload", "checksums of what shards say of posts, by language and column, against the tables")
	for g := range v.graphs {
		t := &v.shardTallies[g]
		for f := range oracle.Fields {
			for _, kind := range postKinds {
				shards, tables := t.fields[kind][f], want.QuestionFields[g][f]
				if kind == answer {
					if t.posts[answer].Count == 0 {
						continue
					}
					tables = want.AnswerFields[g][f]
				}
				if shards != (oracle.Tally{}) || tables != (oracle.Tally{}) {
					c.Count++
				}
				if shards == tables || !c.OK {
					continue
				}
				where := ""
				if v.shards.OK {
					var err error
					where, err = findDifference(ctx, "the shards", v.shardFields(g, f, kind), "the tables", tableFields(want, g, f, kind))
					if err != nil {
						return c, err
					}
				}
				c.differ("%s, %s: %d posts in the shards, %d by the tables%s", v.graphs[g].iri, f, shards.Count, tables.Count, where)
			}
		}
	}
	return c, nil
}

// tableFields lists the posts of a kind with the tallies that the tables require of a
// field.
func tableFields(want *oracle.Expected, g int, f oracle.Field, kind postKind) lister {
	return func(ctx context.Context, yield yieldFunc) error {
		return want.FieldSubjects(ctx, g, kind == answer, f, func(post []byte, t oracle.Tally) { yield(post, t, "") })
	}
}

// shardFields lists the posts of a kind with the tallies of a field in a language's
// shards.
func (v *verifier) shardFields(g int, f oracle.Field, kind postKind) lister {
	return v.listShardPosts(v.shardsOf(g), func(r *rowReader) postCRCFunc {
		var fields fieldColumns
		fields[f] = r.fieldColumn(f)
		return func(id []byte, of string) ([]byte, uint32, bool) {
			post := fmt.Appendf(nil, "%s%s", kind.path(), id)
			return post, oracle.FieldCRC(oracle.CRC(0, post), fields.text(f, nil, v.quads.site)), of == kind.String()
		}
	})
}

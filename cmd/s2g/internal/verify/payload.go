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

// fieldKinds are the types of the fields' columns.
var fieldKinds = [oracle.Fields]parquet.Kind{
	oracle.QuestionID: parquet.Int64, oracle.Languages: parquet.ByteArray, oracle.Title: parquet.ByteArray, oracle.Tags: parquet.ByteArray,
	oracle.Score: parquet.Int32, oracle.AnswerCount: parquet.Int32, oracle.HasAcceptedAnswer: parquet.Boolean,
	oracle.AcceptedAnswerID: parquet.Int64, oracle.DuplicateOf: parquet.Int64, oracle.LinkedTo: parquet.Int64, oracle.Closed: parquet.Boolean,
	oracle.CreationDate: parquet.Int64, oracle.Author: parquet.ByteArray, oracle.AuthorName: parquet.ByteArray, oracle.License: parquet.ByteArray,
}

// fieldColumns are the columns of a point that repeat what the tables say of
// its post.
type fieldColumns [oracle.Fields]*column

func (c *fieldColumns) bind(t *table) {
	for f := range oracle.Fields {
		c[f] = t.column(f.String(), fieldKinds[f])
	}
}

// crcs are the checksums of the row's fields, by expect's rules.
func (r *pointReader) crcsOfFields(to *[oracle.Fields]uint32) {
	post := oracle.CRC(0, r.path)
	for f := range to {
		to[f] = oracle.FieldCRC(post, r.fields.text(oracle.Field(f), r.room[:0], r.build.census.site))
	}
}

// text is what a field's checksum is of, nil where it has no value. It may use
// room.
func (c *fieldColumns) text(f oracle.Field, room, site []byte) []byte {
	at := c[f]
	switch f {
	case oracle.Languages, oracle.Tags:
		for i, v := range at.list() {
			if i > 0 {
				room = append(room, '|')
			}
			room = append(room, v.ByteArray()...)
		}
		return room
	case oracle.DuplicateOf, oracle.LinkedTo:
		for i, v := range at.list() {
			if i > 0 {
				room = append(room, ',')
			}
			room = strconv.AppendInt(room, v.Int64(), 10)
		}
		return room
	}
	if at.null() {
		return nil
	}
	switch f {
	case oracle.HasAcceptedAnswer, oracle.Closed:
		if at.bool() {
			return append(room, '1')
		}
		return append(room, '0')
	case oracle.CreationDate:
		return time.UnixMilli(at.int()).UTC().AppendFormat(room, "2006-01-02 15:04:05.000")
	case oracle.Author:
		if path, ok := bytes.CutPrefix(at.bytes(), site); ok {
			return path
		}
		return at.bytes()
	case oracle.QuestionID, oracle.Score, oracle.AnswerCount, oracle.AcceptedAnswerID:
		return strconv.AppendInt(room, at.int(), 10)
	}
	return at.bytes()
}

// compareFields holds what the shards repeat of posts against the tables.
func (b *build) compareFields(ctx context.Context, view *oracle.Expected) (Check, error) {
	c := newCheck("payload", "checksums of what shards say of posts, by language and column, against the tables")
	for g := range b.graphs {
		t := &b.shards.graphs[g]
		for f := range oracle.Fields {
			if err := b.compareField(ctx, &c, view, g, f, false, t.questionFields[f], view.QuestionFields[g][f]); err != nil {
				return c, err
			}
			if t.answers.Count == 0 {
				continue
			}
			if err := b.compareField(ctx, &c, view, g, f, true, t.answerFields[f], view.AnswerFields[g][f]); err != nil {
				return c, err
			}
		}
	}
	return c, nil
}

func (b *build) compareField(ctx context.Context, c *Check, view *oracle.Expected, g int, f oracle.Field, answers bool, shards, tables oracle.Tally) error {
	if shards != (oracle.Tally{}) || tables != (oracle.Tally{}) {
		c.Count++
	}
	if shards == tables || !c.OK {
		return nil
	}
	where := ""
	if b.shards.check.OK {
		var err error
		where, err = search(ctx, "the shards", b.shardsSay(g, f, answers), "the tables", func(ctx context.Context, yield yield) error {
			return view.FieldSubjects(ctx, g, answers, f, func(post []byte, t oracle.Tally) { yield(post, t, "") })
		})
		if err != nil {
			return err
		}
	}
	c.differ("%s, %s: %d posts in the shards, %d by the tables%s", b.graphs[g].iri, f, shards.Count, tables.Count, where)
	return nil
}

// shardsSay lists a field of the questions, or the answers, of a language's
// shards.
func (b *build) shardsSay(g int, f oracle.Field, answers bool) lister {
	kind, path := "question", questionPath
	if answers {
		kind, path = "answer", answerPath
	}
	return b.eachPost(g, func(t *table) func(id, is []byte) (post []byte, crc uint32, ok bool) {
		var fields fieldColumns
		fields[f] = t.column(f.String(), fieldKinds[f])
		return func(id, is []byte) ([]byte, uint32, bool) {
			post := fmt.Appendf(nil, "%s%s", path, id)
			return post, oracle.FieldCRC(oracle.CRC(0, post), fields.text(f, nil, b.census.site)), string(is) == kind
		}
	})
}

package rdf4j

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"s2g/schema/remote"
)

// resultsJSON is the media type of https://www.w3.org/TR/sparql11-results-json/.
const resultsJSON = "application/sparql-results+json"

// Kind is the kind of a term.
type Kind uint8

// The kinds of terms. Unbound is a variable without a value.
const (
	Unbound Kind = iota
	IRI
	Literal
	Blank
)

// Term is a value in a row of a result.
type Term struct {
	Kind     Kind
	Value    string // the IRI, the literal's text, or the blank node's label
	Datatype string // of a literal; empty: xsd:string, or one with a language
	Language string // of a literal
}

// Rows reads the result of a query row by row.
type Rows struct {
	client *Client
	query  request
	answer *answer
	reader *rowReader
	limit  time.Duration
	json   *json.Decoder
	record map[string]Term
	err    error
	ended  bool
}

// maxRow limits a row of a result, in bytes.
const maxRow = 64 << 20

// rowReader reads an answer and fails where a row is longer than maxRow.
type rowReader struct {
	*answer
	left   int64 // of the row
	client *Client
}

func (r *rowReader) Read(p []byte) (int, error) {
	n, err := r.answer.Read(p)
	if r.left -= int64(n); r.left < 0 {
		return 0, r.client.target.TooLong(maxRow)
	}
	return n, err
}

// rows sends a query. Its time limit applies until the answer begins, and to each row.
func (c *Client) rows(ctx context.Context, r request) (*Rows, error) {
	a, err := c.send(ctx, r)
	if err != nil {
		return nil, err
	}
	rows := &Rows{client: c, query: r, answer: a, reader: &rowReader{answer: a, client: c}, limit: c.timeout, record: map[string]Term{}}
	rows.json = json.NewDecoder(rows.reader)
	rows.begin()
	err = rows.open()
	a.timer.Stop()
	if err != nil {
		rows.fail(err)
		a.Close()
		return nil, rows.err
	}
	return rows, nil
}

// open reads up to the first row.
func (r *Rows) open() error {
	if err := r.expect('{'); err != nil {
		return err
	}
	if err := r.descend("results", '{'); err != nil {
		return err
	}
	return r.descend("bindings", '[')
}

// descend reads the open object up to the bracket at the beginning of a key's value.
func (r *Rows) descend(key string, bracket json.Delim) error {
	for r.json.More() {
		name, err := r.json.Token()
		if err != nil {
			return err
		}
		if name == key {
			return r.expect(bracket)
		}
		var skipped json.RawMessage
		if err := r.json.Decode(&skipped); err != nil {
			return err
		}
	}
	if _, err := r.json.Token(); err != nil {
		return err
	}
	return fmt.Errorf("no %q in it", key)
}

func (r *Rows) expect(bracket json.Delim) error {
	token, err := r.json.Token()
	if err != nil {
		return err
	}
	if token != bracket {
		return fmt.Errorf("%v instead of %v", token, bracket)
	}
	return nil
}

// binding is a term in the format of the result.
type binding struct {
	Type, Value, Datatype string
	Lang                  string `json:"xml:lang"`
}

// Scan reads the next row. It returns false at the end and at the first error.
func (r *Rows) Scan() bool {
	if r.ended || r.err != nil {
		return false
	}
	r.begin()
	defer r.answer.timer.Stop() // the caller may take its time
	if !r.json.More() {
		r.ended = true
		r.finish()
		return false
	}
	row := map[string]binding{}
	if err := r.json.Decode(&row); err != nil {
		r.fail(err)
		return false
	}
	clear(r.record)
	for name, b := range row {
		t := Term{Kind: Literal, Value: b.Value, Datatype: b.Datatype, Language: b.Lang}
		switch b.Type {
		case "uri":
			t.Kind = IRI
		case "bnode":
			t.Kind = Blank
		}
		r.record[name] = t
	}
	return true
}

// finish reads up to the end of the outermost object. An incomplete answer is an error.
func (r *Rows) finish() {
	for depth := 3; depth > 0; { // the outermost object, its results, their bindings
		token, err := r.json.Token()
		if err != nil {
			r.fail(err)
			return
		}
		switch token {
		case json.Delim('['), json.Delim('{'):
			depth++
		case json.Delim(']'), json.Delim('}'):
			depth--
		}
	}
}

// begin restarts the limits for the next row. The decoder may have read a part of it.
func (r *Rows) begin() {
	r.reader.left = maxRow
	r.answer.timer.Reset(r.limit)
}

func (r *Rows) fail(err error) {
	if _, ok := errors.AsType[*remote.WrongServerError](err); ok {
		r.err = err
		return
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF // the answer is incomplete
	}
	r.err = r.client.noResponse(r.answer.cause(), r.query, fmt.Errorf("reading the result: %w", err))
}

// Record returns the last row, by the names of the variables. The next Scan overwrites
// it. A variable without a value is absent.
func (r *Rows) Record() map[string]Term { return r.record }

// Err returns the error that ended the reading, nil at the end of the result.
func (r *Rows) Err() error { return r.err }

// Close ends the reading, also after an error.
func (r *Rows) Close() error { return r.answer.Close() }

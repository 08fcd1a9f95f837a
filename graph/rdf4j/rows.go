package rdf4j

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// resultsJSON is the media type of https://www.w3.org/TR/sparql11-results-json/.
const resultsJSON = "application/sparql-results+json"

// Kind says what a term is.
type Kind uint8

// The kinds of terms. Unbound is a variable without a value.
const (
	Unbound Kind = iota
	IRI
	Literal
	Blank
)

// Term is a value of a query's row.
type Term struct {
	Kind     Kind
	Value    string // the IRI, the literal's text, or the blank node's label
	Datatype string // of a literal; empty: xsd:string, or one with a language
	Language string // of a literal
}

// Rows reads the result of a query as it comes.
type Rows struct {
	client *Client
	asked  request
	answer *answer
	json   *json.Decoder
	record map[string]Term
	err    error
	ended  bool
}

// rows sends a query. Its time limit holds until the answer begins.
func (c *Client) rows(ctx context.Context, r request) (*Rows, error) {
	a, err := c.send(ctx, r)
	if err != nil {
		return nil, err
	}
	a.timer.Stop()
	rows := &Rows{client: c, asked: r, answer: a, json: json.NewDecoder(a), record: map[string]Term{}}
	if err := rows.open(); err != nil {
		rows.fail(err)
		a.Close()
		return nil, rows.err
	}
	return rows, nil
}

// open reads up to the first row.
func (r *Rows) open() error {
	if err := r.descend("results", '{'); err != nil {
		return err
	}
	return r.descend("bindings", '[')
}

// descend reads the object that begins here up to the value of a key, which is
// to begin with the given bracket.
func (r *Rows) descend(key string, bracket json.Delim) error {
	if key == "results" { // the outermost object
		if err := r.expect('{'); err != nil {
			return err
		}
	}
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
		return fmt.Errorf("%v where %v was to begin", token, bracket)
	}
	return nil
}

// whole is the error of an answer that ends where it should not.
func whole(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// binding is a term as the format has it.
type binding struct {
	Type, Value, Datatype string
	Lang                  string `json:"xml:lang"`
}

// Scan reads the next row; false is the end, or an error.
func (r *Rows) Scan() bool {
	if r.ended || r.err != nil {
		return false
	}
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

// finish reads up to the end of the outermost object: an answer that was cut is
// no result.
func (r *Rows) finish() {
	for depth := 3; depth > 0; { // in the list of rows, in the results, in the object
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

func (r *Rows) fail(err error) {
	r.err = r.client.failed(r.answer.ctx, r.asked, fmt.Errorf("reading the result: %w", whole(err)))
}

// Record is the row that was read last, by the names of the variables; it is
// used again. A variable without a value is absent.
func (r *Rows) Record() map[string]Term { return r.record }

// Err is what ended the reading before its end.
func (r *Rows) Err() error { return r.err }

// Close ends the reading. It may follow an error.
func (r *Rows) Close() error { return r.answer.Close() }

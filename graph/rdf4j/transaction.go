package rdf4j

import (
	"context"
	"net/http"
	"net/url"
	"time"
)

// Media types of data.
const (
	TriG   = "application/trig"
	NQuads = "application/n-quads"
	Turtle = "text/turtle"
)

// Data is a document of statements to add.
type Data struct {
	Media    string // TriG, NQuads or Turtle
	Encoding string // "gzip", or empty
	Graph    string // of statements that name none; empty: the default graph
	Body     []byte
}

// Transaction is an open transaction. One goroutine at a time may use it.
type Transaction struct {
	client *Client
	id     string
	path   []string
}

// ID returns the server's id of the transaction.
func (t *Transaction) ID() string { return t.id }

// Add adds statements. After an error the transaction must be rolled back: it may hold
// a part of them.
func (t *Transaction) Add(ctx context.Context, d Data) error {
	query := url.Values{"action": {"ADD"}}
	if d.Graph != "" {
		query.Set("context", "<"+d.Graph+">")
	}
	return t.put(ctx, request{query: query, body: d.Body, media: d.Media, encoding: d.Encoding})
}

// Update carries out a SPARQL update.
func (t *Transaction) Update(ctx context.Context, sparql string) error {
	return t.put(ctx, request{query: url.Values{"action": {"UPDATE"}}, body: []byte(sparql), media: "application/sparql-update"})
}

// Commit makes the transaction's changes visible, all at once. After a
// [NoResponseError], query something that the transaction wrote to find out whether it
// is committed.
func (t *Transaction) Commit(ctx context.Context) error {
	return t.put(ctx, request{query: url.Values{"action": {"COMMIT"}}})
}

// Rollback ends the transaction without a change.
func (t *Transaction) Rollback(ctx context.Context) error {
	_, err := t.client.call(ctx, request{method: http.MethodDelete, path: t.path, limit: 2 * time.Minute})
	return err
}

func (t *Transaction) put(ctx context.Context, r request) error {
	r.method, r.path = http.MethodPut, t.path
	_, err := t.client.call(ctx, r)
	return err
}

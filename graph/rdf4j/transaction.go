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

// Data is statements to add.
type Data struct {
	Media    string // TriG, NQuads or Turtle
	Encoding string // "gzip", or empty
	Graph    string // where statements without a graph go; empty: the default graph
	Body     []byte
}

// Transaction is an open transaction. Its calls follow one another.
type Transaction struct {
	repository *Repository
	id         string
}

// ID returns the server's name for the transaction.
func (t *Transaction) ID() string { return t.id }

// Add puts statements into the transaction. After an error it must be rolled
// back: it may hold a part of them.
func (t *Transaction) Add(ctx context.Context, d Data) error {
	query := url.Values{"action": {"ADD"}}
	if d.Graph != "" {
		query.Set("context", "<"+d.Graph+">")
	}
	return t.put(ctx, request{query: query, body: d.Body, media: d.Media, encoding: d.Encoding})
}

// Update carries out a SPARQL update in the transaction.
func (t *Transaction) Update(ctx context.Context, sparql string) error {
	return t.put(ctx, request{query: url.Values{"action": {"UPDATE"}}, body: []byte(sparql), media: "application/sparql-update"})
}

// Ping tells the server that the transaction is still wanted. An error of
// status 500 or 404 says that it has ended.
func (t *Transaction) Ping(ctx context.Context) error {
	return t.put(ctx, request{query: url.Values{"action": {"PING"}}, limit: time.Minute})
}

// Commit makes the transaction's changes visible, all at once. Where the answer
// is lost, nobody can tell here whether it did: ask the repository for
// something that the transaction wrote.
func (t *Transaction) Commit(ctx context.Context) error {
	return t.put(ctx, request{query: url.Values{"action": {"COMMIT"}}})
}

// Rollback ends the transaction without any change.
func (t *Transaction) Rollback(ctx context.Context) error {
	_, err := t.repository.client.small(ctx, request{method: http.MethodDelete, path: t.path(), limit: 2 * time.Minute})
	return err
}

func (t *Transaction) path() []string { return t.repository.path("transactions", t.id) }

func (t *Transaction) put(ctx context.Context, r request) error {
	r.method, r.path = http.MethodPut, t.path()
	_, err := t.repository.client.small(ctx, r)
	return err
}

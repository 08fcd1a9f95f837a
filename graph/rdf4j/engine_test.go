package rdf4j

import (
	"bytes"
	"compress/gzip"
	"errors"
	"net/http"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"s2g/graph/rdf4j/rdf4jtest"
	"s2g/schema/schematest"
)

const two = `<http://a/g> { <http://a/s> <http://a/p> "x"@en , "1"^^<http://www.w3.org/2001/XMLSchema#integer> . }`

// The client works with GraphDB's engine, and with RDF4J's native store in it.
func TestClientOnEngine(t *testing.T) {
	schematest.Long(t)
	server := rdf4jtest.Open(t)
	c := client(t, server.URL)
	if n, err := c.Protocol(t.Context()); err != nil || n < 10 {
		t.Fatalf("protocol %d: %v", n, err)
	}
	for name, store := range map[string]Store{"GraphDB": GraphDB, "Native": Native} {
		t.Run(name, func(t *testing.T) { conform(t, c.Repository(server.Name(t)), store) })
	}
	r := c.Repository(server.Name(t))
	err := r.Create(t.Context(), string(bytes.ReplaceAll([]byte(Configuration(GraphDB, Settings{ID: r.ID()})), []byte("graphdb:Sail"), []byte("other:Sail"))))
	if !Unsupported(err) {
		t.Errorf("a store of another maker: %v", err)
	}
}

func conform(t *testing.T, r *Repository, store Store) {
	ctx := t.Context()
	if _, err := r.Size(ctx); !IsStatus(err, http.StatusNotFound) {
		t.Fatalf("before it is created: %v", err)
	}
	configuration := Configuration(store, Settings{ID: r.ID(), Title: `a "title"`})
	check(t, r.Create(ctx, configuration))
	if err := r.Create(ctx, configuration); !IsStatus(err, http.StatusConflict) {
		t.Errorf("created twice: %v", err)
	}
	holds(t, r, 0)
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, err := z.Write([]byte(two))
	check(t, errors.Join(err, z.Close()))

	tx := begin(t, r)
	check(t, tx.Add(ctx, Data{Media: TriG, Encoding: "gzip", Body: zipped.Bytes()}))
	check(t, tx.Add(ctx, Data{Media: Turtle, Graph: "http://a/mark", Body: []byte(`<http://a/s> <http://a/p> <http://a/o> .`)}))
	check(t, tx.Add(ctx, Data{Media: NQuads, Body: []byte("<http://a/s> <http://a/p> <http://a/o> <http://a/h> .\n")}))
	holds(t, r, 0)
	check(t, tx.Commit(ctx))
	holds(t, r, 4)

	tx = begin(t, r)
	check(t, tx.Update(ctx, "CLEAR GRAPH <http://a/mark>"))
	check(t, tx.Commit(ctx))
	holds(t, r, 3)
	graphs, err := r.Graphs(ctx)
	check(t, err)
	slices.Sort(graphs)
	if diff := cmp.Diff([]string{"http://a/g", "http://a/h"}, graphs); diff != "" {
		t.Error(diff)
	}
	rows, err := r.Query(ctx, "SELECT ?o ?none { GRAPH <http://a/g> { <http://a/s> ?p ?o } } ORDER BY STR(?o)")
	check(t, err)
	var got []Term
	for rows.Scan() {
		got = append(got, rows.Record()["o"])
	}
	check(t, rows.Err())
	check(t, rows.Close())
	want := []Term{{Kind: Literal, Value: "1", Datatype: "http://www.w3.org/2001/XMLSchema#integer"}, {Kind: Literal, Value: "x", Language: "en"}}
	for i := range got { // servers may name the datatype that a language implies
		if got[i].Language != "" {
			got[i].Datatype = ""
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if _, err := r.Query(ctx, "SELECT nonsense"); !IsStatus(err, http.StatusBadRequest) {
		t.Errorf("a bad query: %v", err)
	}
	spoiled(t, r, two+` <http://a/g> { <http://a/s> <http://a/p> "unterminated`)
	if store == GraphDB { // the other one takes it
		spoiled(t, r, two+` <http://a/g> { <http://a/s> <http://a/p> <http://a/with space> . }`)
	}
	check(t, r.Delete(ctx))
	if _, err := r.Size(ctx); !IsStatus(err, http.StatusNotFound) {
		t.Errorf("after it was deleted: %v", err)
	}
}

// spoiled adds malformed TriG, and checks that the transaction leaves nothing.
func spoiled(t *testing.T, r *Repository, text string) {
	t.Helper()
	tx := begin(t, r)
	err := tx.Add(t.Context(), Data{Media: TriG, Body: []byte(text)})
	if e, ok := errors.AsType[*StatusError](err); !ok || !e.Malformed() || Temporary(err) {
		t.Errorf("%s: %v", text, err)
	}
	check(t, tx.Rollback(t.Context()))
	if err := tx.Commit(t.Context()); err == nil {
		t.Error("a transaction is committed after its rollback")
	}
	holds(t, r, 3)
}

func begin(t *testing.T, r *Repository) *Transaction {
	t.Helper()
	tx, err := r.Begin(t.Context())
	check(t, err)
	return tx
}

func holds(t *testing.T, r *Repository, want int64) {
	t.Helper()
	n, err := r.Size(t.Context())
	check(t, err)
	if n != want {
		t.Errorf("%d statements, want %d", n, want)
	}
}

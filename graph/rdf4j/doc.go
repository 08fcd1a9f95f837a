// Package rdf4j is a client of the RDF4J REST protocol of RDF4J Server and GraphDB:
// repositories, transactions, SPARQL queries; and of GraphDB's import of files on the
// server. It knows no Stack Overflow and imports nothing of this project.
//
//	client, err := rdf4j.New(rdf4j.Config{URL: "http://localhost:7200"})
//	store := client.Repository("books")
//	tx, err := store.Begin(ctx)
//	err = tx.Add(ctx, rdf4j.Data{Media: rdf4j.TriG, Body: text})
//	err = tx.Commit(ctx) // or tx.Rollback(ctx), after any error
//
// A call makes one request and repeats none: the caller decides what to repeat, and
// [Temporary] reports whether that can help. After an error, a transaction must be
// rolled back: servers keep it open with what they have read until then, and would
// commit that.
//
// The protocol is described at https://rdf4j.org/documentation/reference/rest-api/.
package rdf4j

// Package rdf4j is a client of the RDF4J REST protocol, which RDF4J Server and
// GraphDB speak: repositories, transactions, SPARQL queries; and of the import
// of files that GraphDB reads itself. It knows no Stack Overflow and imports
// nothing of this project.
//
//	client, err := rdf4j.New(rdf4j.Config{URL: "http://localhost:7200"})
//	store := client.Repository("books")
//	tx, err := store.Begin(ctx)
//	err = tx.Add(ctx, rdf4j.Data{Media: rdf4j.TriG, Body: text})
//	err = tx.Commit(ctx) // or tx.Rollback(ctx), after any error
//
// A call makes one request and repeats none: what may be repeated, and from
// where, is the caller's to know ([Temporary] says whether it can help). A
// transaction that answered with an error must be rolled back; servers keep it
// open with what they had read until then, and would commit that.
//
// The protocol is described at https://rdf4j.org/documentation/reference/rest-api/.
package rdf4j

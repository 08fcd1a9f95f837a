// Package graphdb loads the graph of a build into a server that speaks the RDF4J
// protocol, GraphDB or RDF4J Server.
//
// # States
//
// A repository is in one of these states, which depend only on what the server holds:
//
//	absent   there is no such repository
//	empty    it holds nothing
//	begun    a graph S/s2g/load names the build and the loaded files
//	whole    that graph is gone, and S/s2g/void describes the build's files
//	foreign  anything else; a load refuses it
//
// [Load] makes these transactions. The server stores each whole or not at all:
//
//  1. the ontology, with a mark that names the build: begun (load.go);
//  2. batches of the graph, with a mark for each, its name and SHA-256
//     (transaction.go; serverimport.go where GraphDB reads the files itself);
//  3. void.ttl, and the removal of the marks: whole.
//
// So the marks always name exactly the loaded files, even if the client or the server
// is killed in a transaction or between its commit and the answer. A load that resumes
// skips the marked files. If the answer to a transaction is lost, the load queries its
// marks. Loading a file twice is harmless, since a graph is a set; so is a commit that
// the server completes after the marks were queried.
//
// Before the last transaction the load compares the number of statements with the
// build's. Package verify compares the statements.
package graphdb

// Package graphdb puts the graph of a build into a server that speaks the RDF4J
// protocol, GraphDB or RDF4J Server.
//
// # What is where, and when
//
// A repository goes through these states, which [Inspect] reads from the server
// and from nothing else:
//
//	absent   there is no such repository
//	empty    it holds nothing
//	begun    a graph S/s2g/load names the build and the files that are loaded
//	whole    that graph is gone, and S/s2g/void describes the build's files
//	foreign  anything else: it is refused
//
// A load makes transactions, each of which is there as a whole or not at all:
//
//  1. the ontology, with a mark that names the build: begun;
//  2. batches of the graph, with a mark for each of them, its name and SHA-256;
//  3. void.ttl, and the marks go: whole.
//
// So whatever ends when, client or server, in the middle of a transaction or
// between its commit and the answer: the marks are of exactly the files that are
// there. A load that goes on skips those, and a transaction whose answer was
// lost is looked up by its marks. Loading a file twice would do no harm either, a
// graph being a set; so neither would a commit that a server is still at work
// on while its marks are asked for.
//
// Before the last transaction the number of statements is compared with that of
// the build. What the statements are, verify compares.
package graphdb

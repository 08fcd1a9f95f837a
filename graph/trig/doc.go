// Package trig writes and reads RDF datasets as TriG and N-Quads, in bulk.
//
// The writing side turns terms into text once and puts that text into as many
// graphs as it belongs to:
//
//  1. a [Syntax] settles how the terms of a job are spelled: format, prefixes;
//  2. a [Fragment] takes the triples of one subject after the other, rendered,
//     with the graphs that each subject's triples stand in;
//  3. a [Batch] takes exactly the next N quads of a stream of fragments and
//     writes them as one file, grouped by graph, that parses by itself.
//
// The reading side, [Reader], is a streaming parser that shares no code with
// the writing side, so that reading a file back says something about it. It
// takes TriG as other programs write it (serdi, RDF4J, RDFLib) and N-Quads;
// anonymous blank nodes, collections and quoted triples are the part of the
// language it refuses.
//
// The formats are those of the W3C recommendations RDF 1.1 TriG and RDF 1.1
// N-Quads. Neither side allocates per quad once its buffers have grown.
package trig

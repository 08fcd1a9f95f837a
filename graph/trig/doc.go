// Package trig writes and reads RDF datasets as TriG and N-Quads, in bulk.
//
// The writing side turns terms into text once and puts that text into as many
// graphs as it belongs to:
//
//  1. a [Syntax] settles how the terms of a job are spelled: format, prefixes;
//  2. a [Fragment] takes the triples of one subject after the other, rendered,
//     with the graphs that each subject's triples stand in;
//  3. a [Batch] takes exactly the next N quads of a stream of fragments and
//     writes them as one file, grouped by graph, that parses by itself. It
//     copies nothing: fragments are reset when their batches are written.
//
// The reading side, [Reader], is a streaming parser that shares no code with
// the writing side, so that reading a file back says something about it. It
// takes TriG as other programs write it (serdi, RDF4J, RDFLib) and N-Quads;
// anonymous blank nodes, collections and quoted triples are the part of the
// language it refuses. What it refuses is a [*SyntaxError] with line and column.
//
// The formats are those of the W3C recommendations RDF 1.1 TriG and RDF 1.1
// N-Quads, and with them Turtle and N-Triples, whose triples have no graph. The
// writer puts every quad into a named graph. Of W3C's tests of the four formats the
// reader passes all but those with what it refuses, and the one that says that
// Turtle has no braces. Neither side allocates per quad once its buffers have grown.
//
// The examples show both sides: Example writes, ExampleReader converts.
package trig

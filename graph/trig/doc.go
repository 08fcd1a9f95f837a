// Package trig writes and reads RDF datasets as TriG and N-Quads, in bulk.
//
// The writing side spells each term once and copies the text into each graph:
//
//  1. a [Syntax] spells the terms of a job: format, prefixes;
//  2. a [Fragment] collects the triples of one subject after the other, spelled,
//     with the graphs that each subject's triples belong to;
//  3. a [Batch] takes exactly the next N quads of a sequence of fragments and
//     writes them as one file, grouped by graph, that parses by itself. It copies
//     nothing: fragments are reset after their batches are written.
//
// The reading side, [Reader], is a streaming parser. It shares no code with the
// writing side, so that it can check that side's output. It reads N-Quads, and TriG
// as other programs write it (serdi, RDF4J, RDFLib). It refuses anonymous blank
// nodes, collections and quoted triples with a [*SyntaxError].
//
// The formats are those of the W3C recommendations RDF 1.1 TriG and RDF 1.1
// N-Quads, and with them Turtle and N-Triples, whose triples have no graph. The
// writer puts every quad into a named graph. The reader passes W3C's tests of the four
// formats, except those of the constructs that it refuses and one that forbids braces
// in Turtle. Neither side allocates per quad once its buffers have grown.
//
// The examples show both sides: Example writes, ExampleReader converts.
package trig

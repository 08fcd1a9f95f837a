// Package graph turns the tables of a dump into the knowledge graph: TriG files
// of exactly 50,000 quads, one named graph per language, with the ontology and
// a description of the dataset beside them. docs/design.md says which quads.
//
// It reads the tables in the order of post ids and writes questions and answers
// in that order, each with its comments, then tags, then the tags' wikis:
//
//  1. cut.go cuts the work into units by the tables alone: blocks of post ids,
//     of tags, of wikis;
//  2. posts.go, tags.go and wikis.go render units, on several workers, each
//     merging ordered scans of the tables that it joins;
//  3. pipeline.go brings the units back into order, assemble.go deals their
//     quads out to batches;
//  4. files.go compresses and commits the batches, several at a time.
//
// So the bytes are the same for any number of workers. Every committed file
// records the place after its last quad (checkpoint.go); a run that was
// interrupted goes on from there and ends with the same bytes.
//
// Memory does not grow with the text or the workers: the text is in fragments of
// half a megabyte from where it is rendered until it is written, shelf.go bounds
// them all together, and only [threads.Index] grows with the dump.
package graph

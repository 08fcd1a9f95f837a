// Package graph turns the tables of a dump into the knowledge graph: TriG files of
// exactly 50,000 quads, a named graph per language, with the ontology and a
// description of the dataset beside them. docs/graph.md lists the quads.
//
// A row of the tables becomes quads in these steps, a file each:
//
//  1. graph.go runs the stage by options.go, opens the tables and the index of
//     threads, and commits the small files;
//  2. pipeline.go runs the phases posts, tags and wikis over workers, in order;
//  3. unit.go cuts a phase into units: blocks of post ids, of tags, of wikis;
//  4. scans.go merges ordered scans of the tables that a unit of posts joins;
//  5. posts.go and tags.go render units into fragments, with the terms of terms.go
//     and the values that worker.go formats; tags.go lists the tags of the rendered
//     questions and their wikis first;
//  6. fragmentpool.go limits the memory of all fragments together;
//  7. assembler.go distributes the quads of the units, in order, to batches;
//  8. writer.go compresses and commits batches, several at a time, in order;
//  9. checkpoint.go records the position after a file's last quad, and resumes there;
//  10. void.go describes the files by the numbers of counts.go.
//
// The bytes are the same for any number of workers, and for a run that was
// interrupted and resumed. Memory does not grow with the text or the workers: text is
// in fragments of half a megabyte from its rendering until it is written. Only
// [threads.Index] grows with the dump.
package graph

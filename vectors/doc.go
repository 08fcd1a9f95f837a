// Package vectors turns posts into points of a vector database.
//
// It reads the tables in MariaDB and writes, below OUT:
//
//	vectors/model.bin                 the builtin dense embedder, fitted on a sample of the texts
//	vectors/SLUG/part-00000.parquet   the points of a language, ordered by point id; see [shard.Point]
//	parents/part-00000.parquet        the cleaned text of each post, whole; see [shard.Parent]
//
// The posts are those that are in the knowledge graph, and the fields of a point
// say what the graph says, so that an id found in one is good in the other.
//
// Work is cut into units, ranges of post ids that hold a bounded number of posts.
// A unit is a part in each language that has posts in it, and is made by one
// worker: read, clean, cut into windows, embed, write. A text of several languages
// is embedded once. Units share nothing but the embedders and the index of
// threads, so the bytes do not depend on how many workers there are, nor on which
// units an interrupted run had finished.
package vectors

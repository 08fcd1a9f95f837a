// Package shard is what a Parquet shard of points holds, row by row, and reads it.
//
// It is apart from package vectors, which makes and searches shards, so that those
// who load them elsewhere need neither its embedders nor the tables. It knows one
// file at a time: which files a build has is in its manifest.
package shard

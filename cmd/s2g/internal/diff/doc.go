// Package diff says what is different between two builds, by language: posts that
// were added, removed or changed, and texts that have to be embedded anew. It is
// what the user of a monthly dump wants to know.
//
// It reads the files of the two folders alone: a copy that was published has no
// tables. Posts are read from the graph, which has questions and answers with all
// their properties; texts from the shards of the vectors, which have a hash of each.
//
// Both are streams in the order of post ids, so the two builds are merged as they
// are read. A file of the graph holds 50,000 triples and a part of the shards some
// thousand posts, whatever the size of the build; memory is that of one of each a
// build.
//
// Two posts of an id are the same post. It is changed where the graph says something
// else of it: of its text (title, body, tags), or of anything else (score, dates,
// whether it is accepted …). What the graph says of its comments, and a question's
// edges to its answers, are not its own.
package diff

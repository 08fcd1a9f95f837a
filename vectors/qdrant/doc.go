// Package qdrant puts the points of a build into Qdrant, over its gRPC API and
// through its official client, and searches them there.
//
// A language has a collection of its own, PREFIX_SLUG_DATE_HASH, and an alias
// PREFIX_SLUG, by which users name it. A load
//
//  1. makes the collections that are missing, their payload indexes first, and
//     without links between the points (m = 0): a graph that grows with each batch
//     costs more than one that is built at the end;
//  2. asks the server which points it has, and sends those that are missing;
//  3. has the server build its index, and waits for it;
//  4. compares counts, and a sample of points with the shards;
//  5. moves all aliases of the build in one request;
//  6. drops collections of earlier builds.
//
// Nothing that an earlier run, or an earlier answer, has said is relied on: a load
// that was stopped, or whose server was, begins with what the server has now. The
// name of a collection holds a hash of the shards, so that two builds never meet in
// one, and no alias leads to a collection before it is complete.
package qdrant

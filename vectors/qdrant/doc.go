// Package qdrant loads the points of a build into Qdrant, over its gRPC API with
// its official client, and searches them there.
//
// Each language has a collection PREFIX_SLUG_DATE_HASH and an alias PREFIX_SLUG,
// the name for users. A load
//
//  1. creates the missing collections and their payload indexes. They have no HNSW
//     links yet (m = 0), because a graph that grows with each batch costs more than
//     one that is built at the end;
//  2. lists the ids of the server's points and sends the points that are missing;
//  3. starts the build of the HNSW graphs and waits for them;
//  4. compares counts, and a sample of points, with the shards;
//  5. moves all aliases of the build in one request;
//  6. deletes collections of earlier builds.
//
// A load keeps no state of its own. After an interruption of the load or the
// server, it resumes from what the server has. The name of a collection contains a
// hash of the shards, so two builds never share one, and no alias leads to an
// incomplete collection.
package qdrant

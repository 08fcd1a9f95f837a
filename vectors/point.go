package vectors

import "s2g/vectors/shard"

// Point is a row of a language's shard.
type Point = shard.Point

// Parent is a row of parents/.
type Parent = shard.Parent

// PointID returns the id of a post's chunk.
func PointID(post int64, chunk int) uint64 { return shard.PointID(post, chunk) }

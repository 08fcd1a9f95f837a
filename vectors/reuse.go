package vectors

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"

	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/vectors/embed"
	"s2g/vectors/shard"
)

// reuseKey is what a build depends on that copies the vectors of another: those.
func reuseKey(out string) (string, error) {
	m, err := manifest.Read(out)
	if err != nil {
		return "", fmt.Errorf("the build to reuse: %w", err)
	}
	if m.Stages[manifest.Vectors] == nil {
		return "", schema.Faultf(schema.FaultUsage, "name a build with vectors, or give no --reuse", "the build to reuse, %s, holds no vectors", out)
	}
	return m.Stages[manifest.Vectors].Key, nil
}

// earlier is a build whose vectors are copied where they are of the same text.
//
// A post is looked for under its id alone: a dump's posts keep theirs from month to
// month. So what is read for a unit are the parts that overlap it, whatever the size
// of either build.
type earlier struct {
	catalog *shard.Catalog
	of      manifest.Embedders
}

// vectors are those of a text.
type vectors struct {
	dense  []float32
	sparse embed.SparseVector
}

// hash is a content hash.
type hash [32]byte

func openEarlier(out string) (*earlier, error) {
	m, err := manifest.Read(out)
	if err != nil {
		return nil, fmt.Errorf("the build to reuse: %w", err)
	}
	e := &earlier{}
	if e.catalog, err = shard.OpenCatalog(out, m); err != nil {
		return nil, fmt.Errorf("the build to reuse: %w", err)
	}
	if of := m.Stages[manifest.Vectors].Embedders; of != nil {
		e.of = *of
	}
	return e, nil
}

// between returns the vectors of the texts of posts from first to last.
func (e *earlier) between(ctx context.Context, first, last int64) (map[hash]vectors, error) {
	files, err := e.catalog.ShardsOfPosts(first, last)
	if err != nil {
		return nil, fmt.Errorf("the build to reuse: %w", err)
	}
	found := map[hash]vectors{}
	for _, file := range files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := addEarlier(found, file, first, last); err != nil {
			return nil, fmt.Errorf("the build to reuse: %w", err)
		}
	}
	return found, nil
}

func addEarlier(found map[hash]vectors, file string, first, last int64) (err error) {
	r, err := shard.Open(file, "post_id", "content_hash", "dense", "sparse_indices", "sparse_values")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Err(), r.Close()) }()
	for r.Scan() {
		p := r.Point()
		if p.PostID < first || p.PostID > last {
			continue
		}
		var h hash
		if n, err := hex.Decode(h[:], []byte(p.ContentHash)); err != nil || n != len(h) {
			return fmt.Errorf("post %d: %q is no hash", p.PostID, p.ContentHash)
		}
		found[h] = vectors{p.Dense, embed.SparseVector{Indices: p.SparseIndices, Values: p.SparseValues}}
	}
	return nil
}

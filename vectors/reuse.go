package vectors

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"os"

	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/vocab"
	"s2g/vectors/embed"
	"s2g/vectors/shard"
)

// reusedBuild is an earlier build whose vectors are copied to points of the same text.
//
// Posts keep their ids from dump to dump. So a unit compares its texts only with those of
// its range of ids in the earlier build, and reads the parts that overlap this range. The
// units of the two builds may have different sizes.
type reusedBuild struct {
	catalog   *shard.Catalog
	embedders manifest.Embedders
}

// textVectors are the vectors of a text.
type textVectors struct {
	dense  []float32
	sparse embed.SparseVector
}

func (v textVectors) assign(p *shard.Point) {
	p.Dense, p.SparseIndices, p.SparseValues = v.dense, v.sparse.Indices, v.sparse.Values
}

// contentHash is the SHA-256 of a text.
type contentHash [32]byte

// reusedKey returns a hash of the key of the vectors of the build in out. A folder that holds
// none, and a build of another site, are usage faults.
func reusedKey(out string, site vocab.Site) (string, error) {
	const remedy = "name the folder of a build of this site with vectors, or leave option reuse out"
	if info, err := os.Stat(out); err == nil && !info.IsDir() {
		return "", schema.Faultf(schema.FaultUsage, remedy, "option reuse: %s is no folder", out)
	}
	m, err := manifest.Read(out)
	if err != nil {
		fault, hint := schema.FaultOf(err)
		if fault == schema.FaultUsage {
			hint = remedy
		}
		return "", schema.Faultf(fault, hint, "option reuse: %w", err)
	}
	if m.Stages[manifest.Vectors] == nil {
		return "", schema.Faultf(schema.FaultUsage, remedy, "option reuse: %s holds no vectors", out)
	}
	if of, err := m.BuildSite(); err == nil && of.Host() != site.Host() {
		return "", schema.Faultf(schema.FaultUsage, remedy, "option reuse: %s is a build of %s, this build is of %s", out, of.Host(), site.Host())
	}
	return manifest.Key(m.Stages[manifest.Vectors].Key)
}

func openReusedBuild(out string) (*reusedBuild, error) {
	m, err := manifest.Read(out)
	if err != nil {
		return nil, fmt.Errorf("the build to reuse: %w", err)
	}
	b := &reusedBuild{}
	if b.catalog, err = shard.OpenCatalog(out, m); err != nil {
		return nil, fmt.Errorf("the build to reuse: %w", err)
	}
	if made := m.Stages[manifest.Vectors].Embedders; made != nil {
		b.embedders = *made
	}
	return b, nil
}

// readVectors returns the vectors of the texts of posts from first to last.
func (b *reusedBuild) readVectors(ctx context.Context, first, last int64) (map[contentHash]textVectors, error) {
	files, err := b.catalog.ShardsOfPosts(first, last)
	if err != nil {
		return nil, fmt.Errorf("the build to reuse: %w", err)
	}
	found := map[contentHash]textVectors{}
	for _, file := range files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := addVectors(found, file, first, last); err != nil {
			return nil, fmt.Errorf("the build to reuse: %w", err)
		}
	}
	return found, nil
}

func addVectors(found map[contentHash]textVectors, file string, first, last int64) (err error) {
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
		var hash contentHash
		if n, err := hex.Decode(hash[:], []byte(p.ContentHash)); err != nil || n != len(hash) {
			return fmt.Errorf("post %d: %q is no hash", p.PostID, p.ContentHash)
		}
		found[hash] = textVectors{p.Dense, embed.SparseVector{Indices: p.SparseIndices, Values: p.SparseValues}}
	}
	return nil
}

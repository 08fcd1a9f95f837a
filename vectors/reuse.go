package vectors

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"

	"github.com/parquet-go/parquet-go"

	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/vectors/embed"
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
	shelf *shelf
	of    manifest.Embedders
	parts []earlierPart
}

type earlierPart struct {
	name        string // part-00000.parquet
	first, last int64  // post ids
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
	if e.shelf, err = openShelf(out, m); err != nil {
		return nil, fmt.Errorf("the build to reuse: %w", err)
	}
	if of := m.Stages[manifest.Vectors].Embedders; of != nil {
		e.of = *of
	}
	for _, name := range e.shelf.parents {
		p := earlierPart{name: path.Base(name)}
		if p.first, p.last, err = postBounds(e.shelf.path(name)); err != nil {
			return nil, fmt.Errorf("the build to reuse: %w", err)
		}
		e.parts = append(e.parts, p)
	}
	return e, nil
}

// earlierRows is how many rows of an earlier build are read together.
const earlierRows = 64

// earlierRow are the columns of a shard that are copied, and what finds them.
type earlierRow struct {
	PostID        int64     `parquet:"post_id"`
	ContentHash   string    `parquet:"content_hash"`
	Dense         []float32 `parquet:"dense,list"`
	SparseIndices []uint32  `parquet:"sparse_indices,list"`
	SparseValues  []float32 `parquet:"sparse_values,list"`
}

// between returns the vectors of the texts of posts from first to last.
func (e *earlier) between(ctx context.Context, first, last int64) (map[hash]vectors, error) {
	found := map[hash]vectors{}
	for _, part := range e.parts {
		if part.last < first || part.first > last {
			continue
		}
		for _, slug := range slices.Sorted(maps.Keys(e.shelf.shards)) {
			name := "vectors/" + slug + "/" + part.name
			if _, there := slices.BinarySearchFunc(e.shelf.shards[slug], name, byPart); !there {
				continue
			}
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if err := addEarlier(found, e.shelf.path(name), first, last); err != nil {
				return nil, fmt.Errorf("reusing %s: %w", e.shelf.path(name), err)
			}
		}
	}
	return found, nil
}

func addEarlier(found map[hash]vectors, file string, first, last int64) error {
	f, shard, err := openShard(file)
	if err != nil {
		return err
	}
	defer f.Close()
	r := parquet.NewGenericReader[earlierRow](shard)
	defer r.Close()
	for {
		rows := make([]earlierRow, earlierRows) // its slices are kept
		n, err := r.Read(rows)
		for _, row := range rows[:n] {
			if row.PostID < first || row.PostID > last {
				continue
			}
			var h hash
			if n, err := hex.Decode(h[:], []byte(row.ContentHash)); err != nil || n != len(h) {
				return fmt.Errorf("post %d: %q is no hash", row.PostID, row.ContentHash)
			}
			found[h] = vectors{row.Dense, embed.SparseVector{Indices: row.SparseIndices, Values: row.SparseValues}}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

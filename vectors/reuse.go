package vectors

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/vocab"
	"s2g/vectors/embed"
	"s2g/vectors/shard"
)

// Source is a folder that looks like OUT, with vectors that an endpoint has made. Its manifest lists the files of complete
// units, of a run that has finished or not.
type Source struct {
	Root     string
	Manifest *manifest.Manifest
}

// reusedBuild is a build whose vectors are copied to points of the same text.
//
// Posts keep their ids from dump to dump. So a unit compares its texts only with those of
// its range of ids in that build, and reads the parts that overlap this range. The units of
// the two builds may have different sizes.
//
// Only dense vectors are copied, and sparse ones of an endpoint: those of BM25 cost little
// to make.
type reusedBuild struct {
	root      string
	catalog   *shard.Catalog
	files     map[string]manifest.File // by path
	embedders manifest.Embedders
	given     bool // by option reuse: its errors end the run, and a builtin model is reused with its vectors

	dense, sparse bool // which vectors are of the models of this run

	mu      sync.Mutex
	checked map[string]error // files, by path, that have been compared with their SHA-256
}

// textVectors are the vectors of a text. Those that are unknown are to be made.
type textVectors struct {
	dense               []float32
	sparse              embed.SparseVector
	hasDense, hasSparse bool
}

func (v textVectors) assign(p *shard.Point) {
	if v.hasDense {
		p.Dense = v.dense
	}
	if v.hasSparse {
		p.SparseIndices, p.SparseValues = v.sparse.Indices, v.sparse.Values
	}
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

// openReused opens the builds whose vectors may be copied: that of option reuse and the sources.
func (r *run) openReused() error {
	if r.Reuse != "" {
		m, err := manifest.Read(r.Reuse)
		if err != nil {
			return fmt.Errorf("the build to reuse: %w", err)
		}
		if r.reused, err = openReusedBuild(r.Reuse, m); err != nil {
			return err
		}
		r.reused.given = true
		r.reusable = append(r.reusable, r.reused)
	}
	for _, source := range r.Sources {
		b, err := openReusedBuild(source.Root, source.Manifest)
		if err != nil {
			return err
		}
		r.reusable = append(r.reusable, b)
	}
	return nil
}

func openReusedBuild(root string, m *manifest.Manifest) (*reusedBuild, error) {
	b := &reusedBuild{root: root, files: map[string]manifest.File{}, checked: map[string]error{}}
	var err error
	if b.catalog, err = shard.OpenCatalog(root, m); err != nil {
		return nil, fmt.Errorf("the build to reuse: %w", err)
	}
	stage := m.Stages[manifest.Vectors]
	for _, f := range stage.Files {
		b.files[filepath.Join(root, filepath.FromSlash(f.Name))] = f
	}
	if stage.Embedders != nil {
		b.embedders = *stage.Embedders
	}
	return b, nil
}

// matchModels keeps the builds that have vectors of the run's models.
func (r *run) matchModels() {
	r.reusable = slices.DeleteFunc(r.reusable, func(b *reusedBuild) bool {
		b.dense = b.embedders.Dense == r.dense.Model() && (b.given || r.Dense != embed.KindBuiltin)
		b.sparse = b.embedders.Sparse == r.sparse.Model() && r.Sparse != embed.KindBM25
		if b.given && !b.dense && !b.sparse {
			r.Log.Warn("no vectors are reused: they are of other models", "dense", b.embedders.Dense, "sparse", b.embedders.Sparse)
		}
		return !b.dense && !b.sparse
	})
}

// readReusable returns the vectors of the texts of posts from first to last that earlier builds have.
func (r *run) readReusable(ctx context.Context, first, last int64) (map[contentHash]textVectors, error) {
	found := map[contentHash]textVectors{}
	for _, b := range r.reusable {
		err := b.readVectors(ctx, found, first, last)
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case b.given:
			return nil, fmt.Errorf("the build to reuse: %w", err)
		default: // its texts are embedded again, because the same command must be able to end
			r.Log.Warn("vectors of an earlier run are not reused", "posts", fmt.Sprintf("%d to %d", first, last), "error", err)
		}
	}
	return found, nil
}

// readVectors adds the vectors of the texts of posts from first to last. It returns the first error of a file after it has
// read the others, but with option reuse at once.
func (b *reusedBuild) readVectors(ctx context.Context, found map[contentHash]textVectors, first, last int64) error {
	files, err := b.catalog.ShardsOfPosts(first, last)
	if err != nil {
		return err
	}
	var failed error
	for _, file := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := b.check(file)
		if err == nil {
			err = b.addVectors(found, file, first, last)
		}
		if failed = cmp.Or(failed, err); failed != nil && b.given {
			return failed
		}
	}
	return failed
}

// check compares a file with its SHA-256, once: a damaged vector would otherwise enter a new build with a hash of its own.
func (b *reusedBuild) check(file string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	err, done := b.checked[file]
	if !done {
		err = compareHash(file, b.files[file].SHA256)
		b.checked[file] = err
	}
	return err
}

func compareHash(file, want string) error {
	f, err := schema.OpenRegular(file)
	if err != nil {
		return err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return fmt.Errorf("reading %s: %w", file, err)
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != want {
		return schema.Faultf(schema.FaultVerification, "restore the file from a copy of that build, or leave option reuse out", "%s has the SHA-256 %s, its manifest names %s", file, got, want)
	}
	return nil
}

func (b *reusedBuild) addVectors(found map[contentHash]textVectors, file string, first, last int64) (err error) {
	columns := []string{"post_id", "content_hash"}
	if b.dense {
		columns = append(columns, "dense")
	}
	if b.sparse {
		columns = append(columns, "sparse_indices", "sparse_values")
	}
	r, err := shard.Open(file, columns...)
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
		v := found[hash]
		if b.dense {
			v.dense, v.hasDense = p.Dense, true
		}
		if b.sparse {
			v.sparse, v.hasSparse = embed.SparseVector{Indices: p.SparseIndices, Values: p.SparseValues}, true
		}
		found[hash] = v
	}
	return nil
}

package verify

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"s2g/schema/manifest"
)

// fileKind is how a file is read.
type fileKind uint8

const (
	anOther fileKind = iota // not read, only hashed
	aBatch
	aShard
	aParent
)

// file is a file of a build, by its name relative to OUT with slashes.
type file struct {
	name string
	size int64
	kind fileKind
}

// folders hold what stages write.
var folders = []string{"graph", "vectors", "parents"}

// list finds the files of a build, in the order of their names.
func list(out string) ([]file, error) {
	var files []file
	for _, folder := range folders {
		root := filepath.Join(out, folder)
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) && path == root {
				return fs.SkipDir
			}
			if err != nil || d.IsDir() {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			name, err := filepath.Rel(out, path)
			if err != nil {
				return err
			}
			name = filepath.ToSlash(name)
			files = append(files, file{name, info.Size(), kindOf(name)})
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("listing the files of the build: %w", err)
		}
	}
	return files, nil
}

func kindOf(name string) fileKind {
	parquet := strings.HasSuffix(name, ".parquet")
	switch {
	case strings.HasPrefix(name, "graph/batch-"):
		return aBatch
	case strings.HasPrefix(name, "vectors/") && parquet:
		return aShard
	case strings.HasPrefix(name, "parents/") && parquet:
		return aParent
	}
	return anOther
}

func (b *build) path(f file) string { return filepath.Join(b.out, filepath.FromSlash(f.name)) }

// digest returns a file's SHA-256. It is taken just before the file is read, so
// that the disk is read once.
func (b *build) digest(f file) (string, error) {
	r, err := os.Open(b.path(f))
	if err != nil {
		return "", fmt.Errorf("reading %s: %w", f.name, err)
	}
	defer r.Close()
	h := sha256.New()
	if _, err := io.Copy(h, r); err != nil {
		return "", fmt.Errorf("reading %s: %w", f.name, err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// takeInventory holds what is there against what the manifest lists.
func (b *build) takeInventory(found []finding) {
	b.inventory = b.inventoryOf("files: names, sizes, SHA-256 and rows against the manifest", func(c *Check, want manifest.File, i int) {
		b.compareFile(c, want, b.files[i], found[i])
	})
}

// inventoryOf compares each file of the manifest with the one at a position.
func (b *build) inventoryOf(what string, compare func(c *Check, want manifest.File, i int)) Check {
	c := newCheck("files", what)
	at := map[string]int{}
	for i, f := range b.files {
		at[f.name] = i
	}
	for _, stage := range []string{manifest.Graph, manifest.Vectors} {
		if !b.has(stage) {
			continue
		}
		for _, want := range b.manifest.Stages[stage].Files {
			c.Count++
			i, ok := at[want.Name]
			delete(at, want.Name)
			if !ok {
				c.differ("%s is missing", want.Name)
				continue
			}
			compare(&c, want, i)
		}
	}
	for _, f := range b.files {
		if _, extra := at[f.name]; extra {
			c.differ("%s is in no stage of the manifest", f.name)
		}
	}
	return c
}

func (b *build) compareFile(c *Check, want manifest.File, f file, got finding) {
	if want.Size != f.size {
		c.differ("%s has %d bytes, the manifest says %d", f.name, f.size, want.Size)
	}
	if want.SHA256 != got.sum {
		c.differ("%s has the SHA-256 %s, the manifest says %s", f.name, got.sum, want.SHA256)
	}
	if rows := got.count(); f.kind != anOther && rows != want.Rows && got.bad == "" {
		c.differ("%s has %d rows, the manifest says %d", f.name, rows, want.Rows)
	}
}

// count is the number of quads, points or parents in the file.
func (f finding) count() int64 {
	n := f.quads + f.rows.posts.Count
	if f.shard != nil {
		n += f.shard.points
	}
	return n
}

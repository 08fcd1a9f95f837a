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

// file is a file of a build.
type file struct {
	name string // relative to the folder of the build, with slashes
	size int64
	kind fileKind
}

// fileKind decides how a file is read.
type fileKind uint8

const (
	otherFile fileKind = iota // hashed alone
	batchFile
	shardFile
	parentFile
)

// stageFolders are the folders that stages write.
var stageFolders = []string{"graph", "vectors", "parents"}

// listFiles returns the files in stageFolders in the order of their names.
func listFiles(out string) ([]file, error) {
	var files []file
	for _, folder := range stageFolders {
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
		return batchFile
	case strings.HasPrefix(name, "vectors/") && parquet:
		return shardFile
	case strings.HasPrefix(name, "parents/") && parquet:
		return parentFile
	}
	return otherFile
}

// filesOf returns the files of a kind.
func (v *verifier) filesOf(kind fileKind) (list []file) {
	for _, f := range v.files {
		if f.kind == kind {
			list = append(list, f)
		}
	}
	return list
}

func (v *verifier) path(f file) string { return filepath.Join(v.out, filepath.FromSlash(f.name)) }

// hashFile returns a file's SHA-256 in hexadecimal. Its caller reads the file
// next, from the system's cache.
func (v *verifier) hashFile(f file) (string, error) {
	r, err := os.Open(v.path(f))
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

// checkInventory compares the files with the manifest.
func (v *verifier) checkInventory(results []fileResult) {
	v.inventory = v.compareWithManifest("files: names, sizes, SHA-256 and rows against the manifest", func(c *Check, want manifest.File, i int) {
		compareFile(c, want, v.files[i], results[i])
	})
}

// compareWithManifest calls compare with each file that the manifest lists and its
// position in v.files. Files that are missing, or not listed, are differences.
func (v *verifier) compareWithManifest(what string, compare func(c *Check, want manifest.File, i int)) Check {
	c := newCheck("files", what)
	at := map[string]int{}
	for i, f := range v.files {
		at[f.name] = i
	}
	for _, stage := range []string{manifest.Graph, manifest.Vectors} {
		if !v.has(stage) {
			continue
		}
		for _, want := range v.manifest.Stages[stage].Files {
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
	for _, f := range v.files {
		if _, extra := at[f.name]; extra {
			c.differ("%s is in no stage of the manifest", f.name)
		}
	}
	return c
}

// compareFile compares a file with its entry in the manifest.
func compareFile(c *Check, want manifest.File, f file, got fileResult) {
	if want.Size != f.size {
		c.differ("%s has %d bytes, the manifest lists %d", f.name, f.size, want.Size)
	}
	if want.SHA256 != got.sha256 {
		c.differ("%s has the SHA-256 %s, the manifest lists %s", f.name, got.sha256, want.SHA256)
	}
	if rows := got.rows(); f.kind != otherFile && rows != want.Rows && got.difference == "" {
		c.differ("%s has %d rows, the manifest lists %d", f.name, rows, want.Rows)
	}
}

package verify

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"s2g/graph/trig"
	"s2g/schema"
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
	otherFile fileKind = iota // no build writes it
	modelFile
	batchFile
	shardFile
	parentFile
	turtleFile
	irregularFile // not read
)

// stageFolders are the folders that stages write, and the file beside them.
var stageFolders = []string{"graph", "model.bin", "parents", "vectors"}

// stageOf returns the stage that writes one of stageFolders.
func stageOf(folder string) string {
	if folder == "graph" {
		return manifest.Graph
	}
	return manifest.Vectors
}

// listFiles returns the files in stageFolders in the order of their names, and the empty
// folders there, without those of some stages. Each of stageFolders may be a symbolic link.
func listFiles(out string, without []string) (files []file, emptyFolders []string, err error) {
	for _, folder := range stageFolders {
		if slices.Contains(without, stageOf(folder)) {
			continue
		}
		root, err := filepath.EvalSymlinks(filepath.Join(out, folder))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, nil, fmt.Errorf("listing the files of the build: %w", err)
		}
		err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			within, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			name := filepath.ToSlash(filepath.Join(folder, within))
			if d.IsDir() {
				entries, err := os.ReadDir(path)
				if len(entries) == 0 {
					emptyFolders = append(emptyFolders, name)
				}
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			kind := kindOf(name)
			if !info.Mode().IsRegular() {
				kind = irregularFile
			}
			files = append(files, file{name, info.Size(), kind})
			return nil
		})
		if err != nil {
			return nil, nil, fmt.Errorf("listing the files of the build: %w", err)
		}
	}
	return files, emptyFolders, nil
}

// fileNames are the names of the files that builds write, by kind. A shard's folder is checked when it is read.
var fileNames = map[fileKind]*regexp.Regexp{
	modelFile:  regexp.MustCompile(`^(vectors/)?model\.bin$`),
	turtleFile: regexp.MustCompile(`^graph/(ontology|void)\.ttl$`),
	batchFile:  regexp.MustCompile(`^graph/batch-\d{6,}\.(trig|nq)(\.gz|\.zst)?$`),
	shardFile:  regexp.MustCompile(`^vectors/[^/]+/part-\d{5,}\.parquet$`),
	parentFile: regexp.MustCompile(`^parents/part-\d{5,}\.parquet$`),
}

func kindOf(name string) fileKind {
	for kind, names := range fileNames {
		if names.MatchString(name) {
			return kind
		}
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

// hashFile returns a file's SHA-256 in hexadecimal. Where the caller reads the file
// next, its bytes come from the system's cache.
func (v *verifier) hashFile(f file) (string, error) {
	r, err := schema.OpenRegular(v.path(f))
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

// readFiles reads every file once and checks each for itself.
func (v *verifier) readFiles(ctx context.Context) error {
	results := make([]fileResult, len(v.files))
	idle := make(chan *worker, v.workers)
	for range v.workers {
		idle <- &worker{quads: newQuadCounter(v), texts: textSums{}}
	}
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(v.workers)
	groups := v.fileGroups()
	var parts sync.WaitGroup
	for _, group := range groups {
		if v.isPart(group) {
			parts.Add(1)
		}
	}
	go func() {
		parts.Wait()
		close(v.partsRead)
	}()
	for _, group := range groups {
		work.Go(func() error {
			if v.isPart(group) {
				defer parts.Done()
			}
			w := <-idle
			defer func() { idle <- w }()
			return v.readGroup(ctx, group, results, w)
		})
	}
	if err := work.Wait(); err != nil {
		return err
	}
	for range v.workers {
		w := <-idle
		v.quads.merge(w.quads)
		v.parentTexts.merge(w.texts)
	}
	v.results = results
	v.checkInventory(results)
	v.checkBatches(results)
	v.checkShards(results)
	v.checkParents(results)
	return v.checkForeign(&v.inventory)
}

// fileResult is what readFiles finds in a file.
type fileResult struct {
	sha256     string
	difference string // the first in the file; empty: none
	quads      int64
	shard      *shardContents // nil: the file is no shard
	parents    parentTally
}

// rows returns the number of quads, points or parents in the file.
func (r fileResult) rows() int64 {
	n := r.quads + r.parents.posts.Count
	if r.shard != nil {
		n += r.shard.points
	}
	return n
}

// worker holds what a goroutine reuses from file to file.
type worker struct {
	quads   *quadCounter
	parents parentTexts
	texts   textSums // of parents
}

// fileGroup lists the positions of the files that one worker reads in turn: a single
// file, or all files of a part. The parents of a part come before its shards, which
// are compared with them.
type fileGroup []int

// fileGroups groups all files. Parts are first: they take longest, and checkModel waits for them.
func (v *verifier) fileGroups() []fileGroup {
	var groups []fileGroup
	parts := map[string]int{} // positions in groups, by file name: the files of a part share theirs
	for _, kind := range []fileKind{parentFile, shardFile, otherFile, modelFile, turtleFile, irregularFile, batchFile} {
		for i, f := range v.files {
			if f.kind != kind {
				continue
			}
			part := path.Base(f.name)
			at, known := parts[part]
			if !known || kind != parentFile && kind != shardFile {
				at, parts[part] = len(groups), len(groups)
				groups = append(groups, nil)
			}
			groups[at] = append(groups[at], i)
		}
	}
	return groups
}

// isPart reports whether a group is a part of the vectors.
func (v *verifier) isPart(group fileGroup) bool {
	kind := v.files[group[0]].kind
	return kind == parentFile || kind == shardFile
}

// readGroup reads the files of a group.
func (v *verifier) readGroup(ctx context.Context, group fileGroup, results []fileResult, w *worker) (err error) {
	w.parents.reset()
	for _, i := range group {
		if err := ctx.Err(); err != nil {
			return err
		}
		f, r := v.files[i], &results[i]
		if f.kind == irregularFile {
			r.difference = f.name + " is no regular file"
			continue
		}
		if r.sha256, err = v.hashFile(f); err != nil {
			return err
		}
		switch f.kind {
		case batchFile:
			r.difference, err = v.readQuads(ctx, f, func(q *trig.Quad) string {
				r.quads++
				return w.quads.count(q)
			})
		case turtleFile:
			r.difference, err = v.readQuads(ctx, f, func(*trig.Quad) string { r.quads++; return "" })
		case shardFile:
			w.parents.rewind()
			r.shard, r.difference, err = v.readShard(ctx, f, &w.parents, nil)
		case parentFile:
			r.parents, r.difference, err = v.readParents(ctx, f, &w.parents, nil, w.texts)
		}
		if err != nil {
			return err
		}
		v.progress.add(f.size)
	}
	return nil
}

// byteProgress sums the bytes that workers have read, and reports them one call at a
// time.
type byteProgress struct {
	report      func(what string, done, total int64) // nil: none
	mu          sync.Mutex
	done, total int64
	rest        string // the work that goes on after the last file; empty: none
}

func newByteProgress(report func(string, int64, int64), files []file) *byteProgress {
	p := &byteProgress{report: report}
	for _, f := range files {
		p.total += f.size
	}
	return p
}

func (p *byteProgress) add(n int64) {
	if p.report == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += n
	p.show()
}

// begin names work that may go on after the last file.
func (p *byteProgress) begin(rest string) {
	if p.report == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rest = rest
	p.show()
}

func (p *byteProgress) show() {
	what := "files"
	if p.done == p.total && p.rest != "" {
		what = p.rest
	}
	p.report(what, p.done, p.total)
}

// checkInventory compares the files with the manifest.
func (v *verifier) checkInventory(results []fileResult) {
	v.inventory = v.compareWithManifest("files: names, sizes, SHA-256 and rows against the manifest", func(c *Check, want manifest.File, i int) {
		f, r := v.files[i], results[i]
		if f.kind == otherFile {
			c.differForeign("%s is no file that a build writes", f.name)
		}
		if r.difference != "" && (f.kind == turtleFile || f.kind == irregularFile) {
			c.differ("%s", r.difference)
		}
		compareFile(c, want, f, r.sha256)
		if rows := r.rows(); rows != want.Rows && r.difference == "" {
			c.differ("%s has %d rows, the manifest lists %d", f.name, rows, want.Rows)
		}
		if (f.kind == shardFile || f.kind == parentFile) && r.rows() == 0 && r.difference == "" {
			c.differForeign("%s has no rows; no build writes such a file", f.name)
		}
	})
}

// compareWithManifest calls compare with the manifest's entry of each file and the
// file's position in v.files. A file that is missing, or not listed, is a difference.
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
			c.differForeign("%s is in no stage of the manifest", f.name)
		}
	}
	for _, name := range v.emptyFolders {
		c.differForeign("%s is an empty folder, which no build leaves", name)
	}
	return c
}

// compareFile compares a file with its entry in the manifest. sum is the file's SHA-256,
// "" if that is not to be compared.
func compareFile(c *Check, want manifest.File, f file, sum string) {
	if want.Size != f.size {
		c.differ("%s has %d bytes, the manifest lists %d", f.name, f.size, want.Size)
	}
	if sum != "" && want.SHA256 != sum {
		c.differ("%s has the SHA-256 %s, the manifest lists %s", f.name, sum, want.SHA256)
	}
}

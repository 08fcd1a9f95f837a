package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"s2g/cmd/s2g/internal/publish"
	"s2g/graph/trig"
	"s2g/schema/manifest"
	"s2g/schema/schematest"
	"s2g/schema/tables"
	"s2g/vectors/shard"
)

const (
	oneBatch = "graph/batch-000001.trig.gz"
	oneShard = "vectors/python/part-00000.parquet"
)

// victim is a build that is broken and mended again.
type victim struct {
	*testing.T
	out  string
	db   *tables.DB
	good map[string][]byte // all files
}

func newVictim(t *testing.T) *victim {
	schematest.Tool(t, "mariadbd")
	work := t.TempDir()
	v := &victim{T: t, out: filepath.Join(work, "build"), good: map[string][]byte{}}
	s2g(t, "sample", "--posts", "2000", "--seed", "3", "--out", filepath.Join(work, "dump"))
	s2g(t, "build", "--dump", filepath.Join(work, "dump"), "--out", v.out, "--quiet")
	var err error
	if v.db, err = tables.Open(t.Context(), tables.Options{Dir: filepath.Join(v.out, ".s2g")}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { v.check(v.db.Close()) })
	for _, name := range v.files() {
		v.good[name] = v.read(name)
	}
	return v
}

func (v *victim) check(err error) {
	v.Helper()
	if err != nil {
		v.Fatal(err)
	}
}

// files are all files of the build, those that are private left out.
func (v *victim) files() (names []string) {
	v.check(filepath.WalkDir(v.out, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == ".s2g" {
			return fs.SkipDir
		}
		if err == nil && !d.IsDir() {
			name, _ := filepath.Rel(v.out, path)
			names = append(names, filepath.ToSlash(name))
		}
		return err
	}))
	return names
}

func (v *victim) path(name string) string { return filepath.Join(v.out, filepath.FromSlash(name)) }

func (v *victim) read(name string) []byte {
	v.Helper()
	content, err := os.ReadFile(v.path(name))
	v.check(err)
	return content
}

func (v *victim) write(name string, content []byte) {
	v.Helper()
	v.check(os.WriteFile(v.path(name), content, 0o644))
}

func (v *victim) sql(statement string) {
	v.Helper()
	_, err := v.db.SQL().Exec(statement)
	v.check(err)
}

// mend puts back what was there.
func (v *victim) mend() {
	for _, name := range v.files() {
		if _, ok := v.good[name]; !ok {
			v.check(os.Remove(v.path(name)))
		}
	}
	for name, content := range v.good {
		v.write(name, content)
	}
}

// text changes what all batches hold, or those whose names are given.
func (v *victim) text(change func(text string) string, names ...string) {
	v.Helper()
	changed := false
	for _, name := range v.files() {
		if !strings.HasPrefix(name, "graph/batch-") || len(names) > 0 && !slices.Contains(names, name) {
			continue
		}
		r, err := gzip.NewReader(bytes.NewReader(v.read(name)))
		v.check(err)
		text, err := io.ReadAll(r)
		v.check(err)
		with := change(string(text))
		changed = changed || with != string(text)
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, err = io.WriteString(w, with)
		v.check(err)
		v.check(w.Close())
		v.write(name, b.Bytes())
	}
	if !changed {
		v.Fatal("nothing was changed")
	}
}

// points changes the rows of a shard.
func (v *victim) points(name string, change func([]shard.Point) []shard.Point) {
	v.Helper()
	stored := v.read(name)
	rows, err := parquet.Read[shard.Point](bytes.NewReader(stored), int64(len(stored)))
	v.check(err)
	var b bytes.Buffer
	w := parquet.NewGenericWriter[shard.Point](&b)
	for _, row := range change(rows) {
		_, err := w.Write([]shard.Point{row}) // several at once lose NULLs: vectors/parquet.go
		v.check(err)
	}
	v.check(w.Close())
	v.write(name, b.Bytes())
}

// conceal makes manifest and documents say what is there, as one who wants the
// damage not to be seen would.
func (v *victim) conceal() {
	v.Helper()
	dir, err := manifest.Open(v.out)
	v.check(err)
	defer dir.Close()
	v.check(dir.Update(func(m *manifest.Manifest) {
		said := map[string]int64{}
		for _, stage := range []string{manifest.Graph, manifest.Vectors} {
			for _, f := range m.Stages[stage].Files {
				said[f.Name] = f.Rows
			}
			m.Stages[stage].Files = nil
		}
		for _, name := range v.files() {
			folder, _, _ := strings.Cut(name, "/")
			stage := map[string]string{"graph": manifest.Graph, "vectors": manifest.Vectors, "parents": manifest.Vectors}[folder]
			if stage == "" {
				continue
			}
			content := v.read(name)
			sum := sha256.Sum256(content)
			m.Stages[stage].Files = append(m.Stages[stage].Files, manifest.File{
				Name: name, Size: int64(len(content)), SHA256: hex.EncodeToString(sum[:]), Rows: countRows(name, content, said[name]),
			})
		}
	}))
	documents, err := publish.Documents(dir.Manifest())
	v.check(err)
	_, err = dir.Publish(documents)
	v.check(err)
}

// countRows counts what a file holds, where it can be read.
func countRows(name string, content []byte, said int64) (n int64) {
	switch {
	case strings.HasSuffix(name, ".parquet"):
		if f, err := parquet.OpenFile(bytes.NewReader(content), int64(len(content))); err == nil {
			return f.NumRows()
		}
	case strings.HasPrefix(name, "graph/batch-"):
		r, err := gzip.NewReader(bytes.NewReader(content))
		if err != nil {
			return said
		}
		quads := trig.NewReader(r, trig.TriG)
		for quads.Scan() {
			n++
		}
		if quads.Err() == nil {
			return n
		}
	}
	return said
}

// verify runs the command and returns what it says on stderr.
func (v *victim) verify(want int, more ...string) string {
	v.Helper()
	var stdout, stderr bytes.Buffer
	if code := run(context.Background(), append([]string{"verify", "--out", v.out}, more...), &stdout, &stderr); code != want {
		v.Errorf("exit code %d, want %d\n%s%s", code, want, stdout.String(), stderr.String())
	}
	return stderr.String()
}

func (v *victim) names(said string, want []string) {
	v.Helper()
	for _, part := range want {
		if !strings.Contains(said, part) {
			v.Errorf("it does not say %q: %s", part, said)
		}
	}
}

package dump

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"s2g/schema"
	"s2g/schema/schematest"
)

// documents are the tables of a dump, with enough noise in them that archives of
// it have bytes to damage.
func documents() map[string][]byte {
	r := rand.New(rand.NewPCG(3, 4))
	docs := make(map[string][]byte)
	for _, t := range schema.Tables() {
		root := strings.ToLower(t.Name)
		noise := make([]byte, 20_000)
		for i := range noise {
			noise[i] = 'a' + byte(r.IntN(26))
		}
		docs[t.Name] = []byte("<" + root + "><row Id=\"1\" Body=\"" + string(noise) + "\" /></" + root + ">")
	}
	return docs
}

func writeFolder(t *testing.T, docs map[string][]byte) string {
	t.Helper()
	folder := t.TempDir()
	for table, doc := range docs {
		if err := os.WriteFile(filepath.Join(folder, table+".xml"), doc, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// readAll reads every stream of a dump to its end.
func readAll(ctx context.Context, d *Dump) (map[string][]byte, error) {
	docs := make(map[string][]byte)
	for _, s := range d.Streams {
		r, err := s.Open(ctx)
		if err != nil {
			return docs, err
		}
		defer r.Close()
		for {
			m, err := r.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return docs, err
			}
			doc, err := io.ReadAll(r)
			if err != nil {
				return docs, err
			}
			docs[m.Table] = doc
		}
		if s.Done() != s.Size {
			return docs, errors.New("progress does not end at the stream's size")
		}
	}
	return docs, nil
}

func TestReadFolder(t *testing.T) {
	docs := documents()
	folder := writeFolder(t, docs)
	for table, encode := range map[string]func([]byte) []byte{
		"Posts": func(doc []byte) []byte {
			var b bytes.Buffer
			w := gzip.NewWriter(&b)
			w.Write(doc)
			w.Close()
			return b.Bytes()
		},
		"Votes": func(doc []byte) []byte {
			w, err := zstd.NewWriter(nil)
			if err != nil {
				t.Fatal(err)
			}
			return w.EncodeAll(doc, nil)
		},
	} {
		suffix := map[string]string{"Posts": ".gz", "Votes": ".zst"}[table]
		name := filepath.Join(folder, table+".xml")
		if err := os.WriteFile(name+suffix, encode(docs[table]), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
	if bzip2, err := exec.LookPath("bzip2"); err == nil {
		if out, err := exec.Command(bzip2, filepath.Join(folder, "Tags.xml")).CombinedOutput(); err != nil {
			t.Fatalf("bzip2: %v\n%s", err, out)
		}
	}
	d, err := Find(folder, Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := readAll(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(docs, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	cutEach(t, folder, func(name string) bool { return filepath.Ext(name) != ".xml" })
}

// cutEach cuts the end off each of a folder's compressed files, one at a time.
func cutEach(t *testing.T, folder string, compressed func(string) bool) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		path := filepath.Join(folder, e.Name())
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !compressed(path) {
			continue
		}
		for _, n := range []int{1, len(whole) / 2, len(whole) - 1} {
			if err := os.WriteFile(path, whole[:n], 0o600); err != nil {
				t.Fatal(err)
			}
			d, err := Find(folder, Options{})
			if err == nil {
				_, err = readAll(t.Context(), d)
			}
			if f, _ := schema.FaultOf(err); f != schema.FaultInput || !strings.Contains(err.Error(), e.Name()) {
				t.Errorf("%s cut to %d of %d bytes: error %v, want a fault of the input that names it", e.Name(), n, len(whole), err)
			}
		}
		if err := os.WriteFile(path, whole, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// archive packs a folder with 7z.
func archiveOf(t *testing.T, folder string, args ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "site.7z")
	args = append(append([]string{"a", "-bd"}, args...), path, filepath.Join(folder, "*"))
	if out, err := exec.Command(schematest.Tool(t, "7z"), args...).CombinedOutput(); err != nil {
		t.Fatalf("7z: %v\n%s", err, out)
	}
	return path
}

func TestReadSevenZip(t *testing.T) {
	docs := documents()
	folder := writeFolder(t, docs)
	put := func(name string) {
		if err := os.WriteFile(filepath.Join(folder, name), docs["Posts"], 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("Badges.xml") // is not read
	put("Users.xml")
	for _, pack := range []struct {
		name    string
		args    []string
		streams int
	}{
		{"solid", []string{"-ms=on"}, 1},
		{"not solid", []string{"-ms=off"}, 5},
		{"LZMA", []string{"-m0=lzma"}, 1},
		{"bzip2", []string{"-m0=bzip2"}, 1},
		{"PPMd", []string{"-m0=ppmd"}, 1},
	} {
		path := archiveOf(t, folder, pack.args...)
		for _, builtIn := range []bool{false, true} {
			name := pack.name + ", program"
			if builtIn {
				name = pack.name + ", built in"
			}
			t.Run(name, func(t *testing.T) {
				d, err := Find(path, Options{BuiltIn: builtIn})
				if err != nil {
					t.Fatal(err)
				}
				if len(d.Streams) != pack.streams {
					t.Errorf("%d streams, want %d", len(d.Streams), pack.streams)
				}
				got, err := readAll(t.Context(), d)
				if err != nil {
					t.Fatal(err)
				}
				if !maps.EqualFunc(docs, got, bytes.Equal) {
					t.Errorf("read tables %v that differ from those that were packed", slices.Sorted(maps.Keys(got)))
				}
				damage(t, path, builtIn)
			})
		}
	}
}

// damage reads an archive that was cut, or has a byte flipped.
func damage(t *testing.T, path string, builtIn bool) {
	t.Helper()
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	flipped := bytes.Clone(whole)
	flipped[len(whole)/2] ^= 0x10
	for name, text := range map[string][]byte{"flipped": flipped, "cut": whole[:len(whole)/2], "empty": nil} {
		path := filepath.Join(t.TempDir(), "damaged.7z")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		d, err := Find(path, Options{BuiltIn: builtIn})
		if err == nil {
			_, err = readAll(t.Context(), d)
		}
		if f, _ := schema.FaultOf(err); f != schema.FaultInput || !strings.Contains(err.Error(), "damaged.7z") {
			t.Errorf("%s: error %v, want a fault of the input that names the file", name, err)
		}
	}
}

func TestReadStopped(t *testing.T) {
	path := archiveOf(t, writeFolder(t, documents()))
	for _, builtIn := range []bool{false, true} {
		d, err := Find(path, Options{BuiltIn: builtIn})
		if err != nil {
			t.Fatal(err)
		}
		r, err := d.Streams[0].Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Next(); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Next(); err == nil {
			t.Error("the next member came before the end of the first")
		}
		if _, err := io.ReadFull(r, make([]byte, 100)); err != nil {
			t.Error(err)
		}
		r.Close()
		if _, err := r.Read(make([]byte, 1)); err == nil || errors.Is(err, io.EOF) {
			t.Errorf("reading on after Close: %v", err)
		}
	}
}

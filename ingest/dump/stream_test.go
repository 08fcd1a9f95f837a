package dump

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"s2g/ingest/sample"
	"s2g/schema"
	"s2g/schema/schematest"
)

// documents returns the tables of a dump, with noise that makes its archives large
// enough to damage.
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
		put(t, folder, table+".xml", string(doc))
	}
	return folder
}

// readAll returns the decoded documents of a dump.
func readAll(ctx context.Context, d *Dump) (map[string][]byte, error) {
	docs := make(map[string][]byte)
	err := eachTable(ctx, d, func(m Member, r io.Reader) (err error) {
		docs[m.Table], err = io.ReadAll(r)
		return err
	})
	return docs, err
}

// The error of a compressed file that is empty, truncated, or has a flipped bit is a
// fault of the input that names the file, with each decoder.
func TestDamagedFiles(t *testing.T) {
	schematest.Tool(t, "7z")
	from := writeFolder(t, documents())
	for _, dressing := range sample.Dressings() {
		switch dressing.Name {
		case "each table in another format", "gz of several members", "bz2":
		default:
			continue
		}
		folder := dress(t, dressing, from)
		entries, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if filepath.Ext(e.Name()) != ".xml" {
				t.Run(dressing.Name+"/"+e.Name(), func(t *testing.T) { damageFile(t, folder, e.Name()) })
			}
		}
	}
}

func damageFile(t *testing.T, folder, name string) {
	t.Helper()
	path := filepath.Join(folder, name)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	flipped := bytes.Clone(whole)
	flipped[len(whole)/2] ^= 0x10
	for damage, data := range map[string][]byte{
		"empty": nil, "cut to a byte": whole[:1], "cut in half": whole[:len(whole)/2], "its last byte cut": whole[:len(whole)-1], "a bit flipped": flipped,
		"an error page": []byte("<!DOCTYPE html>\n<html></html>"),
	} {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, builtIn := range []bool{false, true} {
			d, err := Find(folder, Options{builtIn: builtIn})
			if err == nil {
				_, err = rowsOf(t.Context(), d)
			}
			if f, _ := schema.FaultOf(err); f != schema.FaultInput || !strings.Contains(err.Error(), name) {
				t.Errorf("%s, built in %v: error %v, want a fault of the input that names the file", damage, builtIn, err)
			}
		}
	}
	if err := os.WriteFile(path, whole, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestReadSevenZip(t *testing.T) {
	docs := documents()
	folder := writeFolder(t, docs)
	for _, name := range []string{"Badges.xml", "Users.xml"} { // not read
		put(t, folder, name, string(docs["Posts"]))
	}
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
		{"LZMA2, not solid, several threads", []string{"-m0=lzma2", "-ms=off", "-mmt=4"}, 5},
		{"Deflate", []string{"-m0=deflate"}, 1},
		{"BCJ2 before LZMA", []string{"-mf=BCJ2"}, 1},
		{"stored", []string{"-mx=0", "-ms=off"}, 5},
	} {
		path := packFolder(t, filepath.Join(t.TempDir(), "site.7z"), folder, pack.args...)
		for _, builtIn := range []bool{false, true} {
			name := pack.name + ", program"
			if builtIn {
				name = pack.name + ", built in"
			}
			t.Run(name, func(t *testing.T) {
				d, err := Find(path, Options{builtIn: builtIn})
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

// damage reads truncated and corrupt copies of an archive.
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
		d, err := Find(path, Options{builtIn: builtIn})
		if err == nil {
			_, err = readAll(t.Context(), d)
		}
		if f, _ := schema.FaultOf(err); f != schema.FaultInput || !strings.Contains(err.Error(), "damaged.7z") {
			t.Errorf("%s: error %v, want a fault of the input that names the file", name, err)
		}
	}
}

func TestStreamStoppedEarly(t *testing.T) {
	path := packFolder(t, filepath.Join(t.TempDir(), "site.7z"), writeFolder(t, documents()))
	for _, builtIn := range []bool{false, true} {
		d, err := Find(path, Options{builtIn: builtIn})
		if err != nil {
			t.Fatal(err)
		}
		r, err := d.Streams[0].start(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.next(); err != nil {
			t.Fatal(err)
		}
		if _, err := r.next(); err == nil {
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

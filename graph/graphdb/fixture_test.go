package graphdb

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"s2g/graph/rdf4j"
	"s2g/graph/trig"
	"s2g/schema/manifest"
	"s2g/schema/vocab"
)

const perFile = 300 // statements

// out writes a build of n batches and a manifest of it.
func out(t testing.TB, n int, compress string) (dir string, m *manifest.Manifest) {
	t.Helper()
	dir = t.TempDir()
	m = &manifest.Manifest{Dump: manifest.Dump{Newest: "2024-03-31T12:00:00.000Z"}, Stages: map[string]*manifest.Stage{manifest.Graph: {}}}
	s := vocab.StackOverflow
	var void strings.Builder
	for i := range n {
		name := fmt.Sprintf("graph/batch-%06d.trig%s", i+1, map[string]string{"gzip": ".gz", "zstd": ".zst"}[compress])
		f := put(t, dir, name, compressed(t, batch(i), compress), perFile)
		m.Stages[manifest.Graph].Files = append(m.Stages[manifest.Graph].Files, f)
		fmt.Fprintf(&void, "<%s#%d> <%s> %q ; <%s> <%[1]s#sum%[2]d> .\n<%[1]s#sum%[2]d> <%[6]s> %[7]q .\n",
			s.VoidGraph(), i, identifier, name, checksum, checksumValue, f.SHA256)
	}
	m.Stages[manifest.Graph].Files = append(m.Stages[manifest.Graph].Files,
		put(t, dir, "graph/ontology.ttl", []byte("<http://a/Question> a <http://www.w3.org/2002/07/owl#Class> .\n"), 1),
		put(t, dir, "graph/void.ttl", []byte(void.String()), int64(3*n)))
	return dir, m
}

// batch is the text of a batch: posts of two languages.
func batch(i int) []byte {
	var text bytes.Buffer
	for g, language := range []string{"python", "c%23"} {
		fmt.Fprintf(&text, "<http://stackoverflow.com/%s> {\n", language)
		for j := range perFile / 2 {
			fmt.Fprintf(&text, "<http://stackoverflow.com/questions/%d> <%shasTitle> \"title %d of «%d»\\n\" .\n", i*perFile+j, vocab.NS, j, g)
		}
		text.WriteString("}\n")
	}
	return text.Bytes()
}

func put(t testing.TB, dir, name string, text []byte, rows int64) manifest.File {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	check(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, text, 0o644)))
	sum := sha256.Sum256(text)
	return manifest.File{Name: name, Size: int64(len(text)), SHA256: hex.EncodeToString(sum[:]), Rows: rows}
}

func compressed(t testing.TB, text []byte, compress string) []byte {
	t.Helper()
	var b bytes.Buffer
	switch compress {
	case "gzip":
		w := gzip.NewWriter(&b)
		_, err := w.Write(text)
		check(t, errors.Join(err, w.Close()))
	case "zstd":
		w, err := zstd.NewWriter(&b)
		check(t, err)
		_, err = w.Write(text)
		check(t, errors.Join(err, w.Close()))
	default:
		return text
	}
	return b.Bytes()
}

func build(t testing.TB, n int, compress string) *Build {
	t.Helper()
	dir, m := out(t, n, compress)
	b, err := NewBuild(dir, m, vocab.StackOverflow)
	check(t, err)
	return b
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func repository(t testing.TB, url, name string) *rdf4j.Repository {
	t.Helper()
	c, err := rdf4j.New(rdf4j.Config{URL: url, Timeout: 2 * time.Minute}) // an engine that hangs ends the test
	check(t, err)
	t.Cleanup(c.Close)
	return c.Repository(name)
}

func logger(t testing.TB) *slog.Logger {
	return slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// holds compares all that a repository holds with the files of a build.
func holds(t testing.TB, r *rdf4j.Repository, b *Build) {
	t.Helper()
	var want []string
	for _, f := range append(slices.Clone(b.Batches), b.Ontology, b.Void) {
		d, err := b.data(f)
		check(t, err)
		text := d.Body
		if d.Encoding == "gzip" {
			z, err := gzip.NewReader(bytes.NewReader(text))
			check(t, err)
			var plain bytes.Buffer
			_, err = plain.ReadFrom(z)
			check(t, err)
			text = plain.Bytes()
		}
		format := trig.TriG
		if d.Media == rdf4j.NQuads {
			format = trig.NQuads
		}
		q := trig.NewReader(bytes.NewReader(text), format)
		for q.Scan() {
			graph := string(q.Record().Graph.Value)
			if graph == "" {
				graph = d.Graph
			}
			want = append(want, fmt.Sprintf("%s %s %s %q", graph, q.Record().Subject.Value, q.Record().Predicate.Value, q.Record().Object.Value))
		}
		check(t, q.Err())
	}
	got := statements(t, r)
	slices.Sort(want)
	if int64(len(want)) != b.Statements() {
		t.Fatalf("the fixture has %d statements, not %d", len(want), b.Statements())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files -, repository +\n%.3000s", diff)
	}
}

func statements(t testing.TB, r *rdf4j.Repository) (all []string) {
	t.Helper()
	rows, err := r.Query(context.WithoutCancel(t.Context()), "SELECT ?g ?s ?p ?o { { GRAPH ?g { ?s ?p ?o } } }")
	check(t, err)
	defer rows.Close()
	for rows.Scan() {
		r := rows.Record()
		all = append(all, fmt.Sprintf("%s %s %s %q", r["g"].Value, r["s"].Value, r["p"].Value, r["o"].Value))
	}
	check(t, rows.Err())
	slices.Sort(all)
	return all
}

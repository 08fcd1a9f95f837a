package main

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"s2g/schema/manifest"
	"s2g/schema/schematest"
)

// lockedBuffer is a buffer that a test reads while a command writes.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) contains(part string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Contains(l.b.String(), part)
}

// A build that is whole waits for a reader of the one in service. Interrupted there and then damaged, it fails to verify
// once; the run after makes the damaged stage again and swaps.
func TestBuildWaitsForReaders(t *testing.T) {
	schematest.Long(t)
	t.Parallel()
	schematest.Tool(t, "mariadbd")
	work := t.TempDir()
	dump, out := filepath.Join(work, "dump"), filepath.Join(work, "o")
	s2g(t, "sample", "--posts", "600", "--seed", "5", "--out", dump, "--quiet")
	build := []string{"build", "--dump", dump, "--out", out, "--site", "stackoverflow.com"}
	s2g(t, append(build, "--compress", "none")...)
	want := contents(t, out)
	s2g(t, append(build, "--compress", "gzip")...)
	before := contents(t, out)

	reader, err := manifest.HoldGeneration(t.Context(), out)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(t.Context()))
	var log lockedBuffer
	code := make(chan int, 1)
	go func() { code <- run(ctx, append(build, "--compress", "none"), &log, &log) }()
	waitFor(t, "wait for the reader", func() bool { return log.contains("when the commands that read the one before have ended") })
	if diff := cmp.Diff(before, contents(t, out)); diff != "" {
		t.Error(diff)
	}
	s2g(t, "verify", "--out", out, "--files-only")
	cancel(errInterrupted)
	if got := <-code; got != 130 {
		t.Errorf("exit code %d", got)
	}
	if err := reader.Release(); err != nil {
		t.Fatal(err)
	}

	next := manifest.NextFolder(out)
	batch := filepath.Join(next, "graph", "batch-000001.trig")
	info, err := os.Stat(batch)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(batch)
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.Replace(text, []byte("question"), []byte("questiom"), 1)
	if err := errors.Join(os.WriteFile(batch, text, 0o644), os.Chtimes(batch, info.ModTime(), info.ModTime()), os.Remove(filepath.Join(next, ".s2g", "verified"))); err != nil {
		t.Fatal(err)
	}
	s2gExits(t, 5, append(build, "--compress", "none")...)
	if diff := cmp.Diff(before, contents(t, out)); diff != "" {
		t.Error(diff)
	}
	s2g(t, append(build, "--compress", "none")...)
	if diff := cmp.Diff(want, contents(t, out)); diff != "" {
		t.Error(diff)
	}
}

// While a run overwrites the build in place, commands that read it end with exit code 4, at once. The tables stay open.
func TestReadersBesideABuildInPlace(t *testing.T) {
	schematest.Long(t)
	schematest.Tool(t, "mariadbd")
	work := t.TempDir()
	dump, out := filepath.Join(work, "dump"), filepath.Join(work, "o")
	s2g(t, "sample", "--posts", "300", "--seed", "5", "--out", dump, "--quiet")
	s2g(t, "build", "--dump", dump, "--out", out, "--languages", "python,java")
	endpoint := newCountingEndpoint(t)
	begun, goOn := make(chan bool, 1), make(chan bool)
	blocking := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if exists(filepath.Join(out, ".s2g", "vectors.journal")) { // else it is a check before the run
			select {
			case begun <- true:
			default:
			}
			<-goOn
		}
		endpoint.Config.Handler.ServeHTTP(w, r)
	}))
	t.Cleanup(blocking.Close)
	code := make(chan int, 1)
	var log lockedBuffer
	go func() {
		code <- run(context.WithoutCancel(t.Context()), []string{"vectors", "--out", out, "--in-place", "--dense", "openai+" + blocking.URL + "/v1?model=m"}, &log, &log)
	}()
	select {
	case <-begun:
	case got := <-code:
		t.Fatalf("exit code %d\n%s", got, &log.b)
	}
	for _, reader := range [][]string{
		{"search", "--out", out, "list"}, {"stats", "--out", out}, {"diff", out, out}, {"verify", "--out", out}, {"verify", "--out", out, "--files-only"},
		{"load", "graphdb", "--out", out, "--url", "http://localhost:1"}, {"load", "qdrant", "--out", out, "--url", "http://localhost:1"},
		{"publish", "--out", out}, {"report", "--out", out}, {"eval", "--out", out}, {"clean", "--out", out, "1"},
	} {
		_, stderr := s2gExits(t, 4, reader...)
		mustContain(t, stderr, "another s2g")
	}
	s2g(t, "db", "--out", out, "SELECT COUNT(*) FROM Posts")
	close(goOn)
	if got := <-code; got != 0 {
		t.Errorf("exit code %d\n%s", got, &log.b)
	}
	s2g(t, "stats", "--out", out)
}

package graph

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"s2g/schema/manifest"
	"s2g/schema/schematest"
	"s2g/schema/tables"
	"s2g/schema/vocab"
)

// The environment variables that make the test binary a builder, which a test kills.
const (
	childOut = "GRAPH_TEST_OUT"
	childDSN = "GRAPH_TEST_DSN"
)

func childOptions() Options {
	return Options{Site: vocab.StackOverflow, Languages: languages, Other: true, Materialize: true, Workers: 2, batch: 7}
}

// child writes a graph and returns the exit code.
func child(out string) int {
	err := func() error {
		db, err := tables.Open(context.Background(), tables.ServerOptions{DSN: os.Getenv(childDSN)})
		if err != nil {
			return err
		}
		dir, err := manifest.Open(out)
		if err != nil {
			return errors.Join(err, db.Close())
		}
		o := childOptions()
		o.Progress = func(string, int64, int64) { time.Sleep(10 * time.Millisecond) } // so that the kill comes amid the work
		return errors.Join(Run(context.Background(), dir, db, o), dir.Close(), db.Close())
	}()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// A run resumes after processes that were killed at random moments: it ends with the
// files of an undisturbed run, and keeps those that were committed.
func TestResumesAfterKills(t *testing.T) {
	schematest.Long(t)
	const kills = 5
	db := mini(t)
	want := sums(t, buildGraph(t, db, childOptions()))
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	dir := out(t)
	if err := dir.Close(); err != nil { // the children take its lock
		t.Fatal(err)
	}
	killed, part := 0, len(want)/(kills+1)
	for killed < kills {
		run := exec.CommandContext(t.Context(), program)
		run.Env = append(os.Environ(), childOut+"="+dir.Out(), childDSN+"="+db.DSN())
		run.Stderr = os.Stderr
		if err := run.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan struct{})
		go func() {
			_ = run.Wait() // a kill, most of the time
			close(ended)
		}()
		if !waitFor(dir.Out(), 1+killed*part+r.IntN(part), ended) {
			break
		}
		time.Sleep(time.Duration(r.IntN(3000)) * time.Microsecond)
		_ = run.Process.Kill() // it may have ended just now
		<-ended
		killed++
	}
	if killed < kills {
		t.Errorf("only %d processes were killed", killed)
	}
	first := filepath.Join(dir.Out(), batchName(1, "trig.gz"))
	kept, err := os.Stat(first)
	if err != nil {
		t.Fatal(err)
	}
	again, err := manifest.Open(dir.Out())
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if err := Run(t.Context(), again, db, childOptions()); err != nil {
		t.Fatalf("seed %d, killed %d times: %v", seed, killed, err)
	}
	if diff := cmp.Diff(want, sums(t, again)); diff != "" {
		t.Errorf("seed %d, killed %d times: %s", seed, killed, diff)
	}
	if now, err := os.Stat(first); err != nil || !os.SameFile(kept, now) {
		t.Errorf("seed %d, killed %d times: the first file was written again (%v)", seed, killed, err)
	}
	t.Logf("killed %d times, %d files", killed, len(want))
}

// sums returns the SHA-256 of the files of a build.
func sums(t *testing.T, dir *manifest.Dir) map[string]string {
	t.Helper()
	files := map[string]string{}
	for name, text := range contents(t, dir) {
		files[name] = fmt.Sprintf("%x", sha256.Sum256([]byte(text)))
	}
	names, err := filepath.Glob(filepath.Join(dir.Out(), "graph", "*"))
	if err != nil || len(names) != len(files) {
		t.Errorf("%d files in the folder, %d in the manifest: %v", len(names), len(files), err)
	}
	return files
}

// waitFor waits until a build has n files. It returns false if the process ends before.
func waitFor(out string, n int, ended chan struct{}) bool {
	for {
		names, _ := filepath.Glob(filepath.Join(out, "graph", "*"))
		if len(names) >= n {
			return true
		}
		select {
		case <-ended:
			return false
		case <-time.After(200 * time.Microsecond):
		}
	}
}

package vectors

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"s2g/schema/manifest"
	"s2g/schema/schematest"
	"s2g/schema/tables"
)

// The environment of a test process that makes shards, to be killed.
const (
	childOut  = "VECTORS_TEST_OUT"
	childDSN  = "VECTORS_TEST_DSN"
	childSpan = "VECTORS_TEST_RANKS" // rank/world: only those units
)

func childOptions() Options {
	o := smallOptions()
	o.Units, o.Workers = UnitsQuestion, 2
	return o
}

// childRun returns the run of a child process, and of the build that its shards are compared with.
func childRun(db *tables.DB) *run {
	s := smallRun(db, childOptions())
	s.unitPosts = 20
	return s
}

// child makes the shards in out, and returns the exit code.
func child(out string) int {
	err := func() error {
		db, err := tables.Open(context.Background(), tables.ServerOptions{DSN: os.Getenv(childDSN)})
		if err != nil {
			return err
		}
		s := childRun(db)
		s.Progress = func(string, int64, int64) { time.Sleep(10 * time.Millisecond) } // so that the kill comes amid the work
		if _, err := fmt.Sscanf(os.Getenv(childSpan), "%d/%d", &s.ranks.Rank, &s.ranks.World); err == nil {
			return errors.Join(childShare(s, out), db.Close())
		}
		dir, err := manifest.Open(out)
		if err != nil {
			return errors.Join(err, db.Close())
		}
		return errors.Join(s.intoBuild(context.Background(), dir), dir.Close(), db.Close())
	}()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// A run resumes after a SIGKILL at any moment, and its shards are those of a run without
// interruption.
func TestKilled(t *testing.T) {
	schematest.Long(t)
	t.Parallel()
	rows, _ := benchPosts(240)
	db := load(t, map[string][]row{"Posts": rows})
	whole := openDir(t, t.TempDir())
	s, began := childRun(db), time.Now()
	if err := s.intoBuild(t.Context(), whole); err != nil {
		t.Fatal(err)
	}
	took := time.Since(began) // of a run that is left alone

	want := files(t, whole.Out())
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(4, 4))
	out, killed := t.TempDir(), 0
	for killed < 20 {
		run := exec.CommandContext(t.Context(), program)
		run.Env = append(os.Environ(), childOut+"="+out, childDSN+"="+db.DSN())
		run.Stderr = os.Stderr
		if err := run.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- run.Wait() }()
		if killed < 5 { // before there are files, too: while threads are read and the model is fitted
			time.Sleep(time.Duration(r.Int64N(int64(took / 4))))
		} else if !waitFor(out, 1+killed*len(want)/21+r.IntN(len(want)/21), ended) {
			break
		}
		time.Sleep(time.Duration(r.IntN(3000)) * time.Microsecond)
		if err := run.Process.Kill(); errors.Is(err, os.ErrProcessDone) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		<-ended
		killed++
	}
	if killed < 15 { // one that is quicker than the last of them has nothing left to be killed at
		t.Errorf("%d processes were killed", killed)
	}
	s = childRun(db)
	if err := s.intoBuild(t.Context(), openDir(t, out)); err != nil {
		t.Fatal(err)
	}
	sameFiles(t, "killed", want, files(t, out))
}

// waitFor waits until a build has n shards, and reports whether the process still runs.
func waitFor(out string, n int, ended chan error) bool {
	for {
		some, _ := filepath.Glob(filepath.Join(out, "*", "*", "*.parquet"))
		parents, _ := filepath.Glob(filepath.Join(out, "parents", "*.parquet"))
		if len(some)+len(parents) >= n {
			return true
		}
		select {
		case err := <-ended:
			ended <- err
			return false
		case <-time.After(500 * time.Microsecond):
		}
	}
}

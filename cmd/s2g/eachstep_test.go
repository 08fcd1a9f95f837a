package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"s2g/schema/manifest"
	"s2g/schema/schematest"
	"s2g/schema/tables/tablestest"
)

// endWhen runs a command that cannot change the files of the build any more once the condition holds. It reports whether
// the command ended for that.
func endWhen(t *testing.T, condition func() bool, args ...string) (ended bool) {
	t.Helper()
	var stopped atomic.Bool
	manifest.BeforeChange = func() error {
		if stopped.Load() || condition() {
			stopped.Store(true)
			return errors.New("the run has ended")
		}
		return nil
	}
	defer func() { manifest.BeforeChange = nil }()
	var log bytes.Buffer
	code := run(context.WithoutCancel(t.Context()), args, io.Discard, &log)
	if (code != 0) != stopped.Load() {
		t.Fatalf("s2g %s: exit code %d, ended %v\n%s", strings.Join(args, " "), code, stopped.Load(), &log)
	}
	return stopped.Load()
}

// TestRunsThatEndAtEachStep ends runs before each change of the folder that they make, as a kill does. The build in service
// is the old one or the new one, whole, with its documents; the same command completes it, and embeds no text whose vector
// an endpoint has made before.
func TestRunsThatEndAtEachStep(t *testing.T) {
	schematest.Long(t)
	db := tablestest.Open(t)
	t.Setenv("S2G_DSN", db.DSN())
	endpoint := newCountingEndpoint(t)
	dump := sampleDump(t, "--posts", "80", "--seed", "2")
	work, err := os.MkdirTemp("/dev/shm", "s2g-test") // where a sync takes no time
	if err != nil {
		work = t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(work) })
	built, out := filepath.Join(work, "built"), filepath.Join(work, "out")
	replaceFolder := func(with string) {
		t.Helper()
		if err := os.RemoveAll(out); err != nil {
			t.Fatal(err)
		}
		if output, err := exec.Command("cp", "-a", with, out).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, output)
		}
	}
	build := func(out, stages string, flags ...string) []string {
		return append([]string{"build", "--dump", dump, "--out", out, "--stages", stages, "--workers", "1", "--quiet"}, flags...)
	}
	s2g(t, "ingest", "--dump", dump, "--out", built, "--quiet")
	first := []string{"--languages", "python,java", "--units", "question,answer", "--dense", "openai+" + endpoint.URL + "/v1?model=m"}
	read := filepath.Join(work, "read")
	if err := os.CopyFS(read, os.DirFS(built)); err != nil {
		t.Fatal(err)
	}
	s2g(t, build(built, "graph,vectors", first...)...)
	inService := endpoint.counts()
	const shard = "vectors/java/part-00000.parquet"
	shardCut := func(t *testing.T) {
		if err := os.Truncate(filepath.Join(out, shard), 100); err != nil {
			t.Fatal(err)
		}
	}
	var inShard, inAll int64
	m, err := manifest.Read(built)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range m.Stages[manifest.Vectors].Files {
		if f.Name == shard {
			inShard = f.Rows
		}
		if strings.HasPrefix(f.Name, "vectors/") {
			inAll += f.Rows
		}
	}
	if inShard == 0 || inShard > inAll/2 {
		t.Fatalf("of %d points %d are in %s", inAll, inShard, shard)
	}
	for _, c := range []struct {
		name    string
		from    string
		stages  string
		prepare func(t *testing.T)
		flags   []string
		inPlace bool
		lost    int64 // texts that are embedded again, at most
	}{
		{name: "a first build", from: read, stages: "graph,vectors", flags: first, inPlace: true},
		{name: "another graph", from: built, stages: "graph", flags: []string{"--compress", "none"}},
		{name: "a language more", from: built, stages: "graph,vectors", flags: []string{"--languages", "python,java,javascript"}},
		{name: "a language more in place", from: built, stages: "vectors", flags: []string{"--languages", "python,java,javascript", "--in-place"}, inPlace: true},
		{name: "an unfinished build of other options", from: built, stages: "vectors", prepare: func(t *testing.T) {
			endWhen(t, func() bool {
				m, err := manifest.Read(manifest.NextFolder(out))
				return err == nil && m.Options.Other && m.Stages[manifest.Vectors] != nil && exists(filepath.Join(manifest.NextFolder(out), "vectors", "_other"))
			}, build(out, "vectors", "--other")...)
		}, flags: []string{"--languages", "python,java,javascript", "--replace"}},
		{name: "a cut shard", from: built, stages: "vectors", prepare: shardCut, inPlace: true, lost: inShard},
		{name: "a cut shard in place", from: built, stages: "vectors", prepare: shardCut, flags: []string{"--in-place"}, inPlace: true, lost: inShard},
	} {
		t.Run(c.name, func(t *testing.T) {
			known := map[string]int{} // texts with vectors
			if c.from == built {
				maps.Copy(known, inService)
			}
			replaceFolder(c.from)
			if c.prepare != nil {
				were := endpoint.counts()
				c.prepare(t)
				for text, n := range endpoint.counts() {
					known[text] += n - were[text]
				}
			}
			start := filepath.Join(work, "start")
			if output, err := exec.Command("cp", "-a", out, start).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, output)
			}
			defer os.RemoveAll(start)
			before, command := contents(t, out), build(out, c.stages, c.flags...)
			s2g(t, command...)
			after := contents(t, out)
			step, swapped := int64(0), 0
			for ended := true; ended; step++ {
				replaceFolder(start)
				were := endpoint.counts()
				var changes atomic.Int64
				ended = endWhen(t, func() bool { return changes.Add(1) > step }, command...)
				if !c.inPlace {
					g, err := manifest.HoldGeneration(t.Context(), out)
					if err != nil {
						t.Fatalf("step %d: %v", step, err)
					}
					if now := contents(t, out); maps.Equal(now, after) {
						swapped++
					} else if diff := cmp.Diff(before, now); diff != "" {
						t.Fatalf("step %d: the build in service: %s", step, diff)
					}
					if err := g.Release(); err != nil {
						t.Fatal(err)
					}
				}
				s2g(t, command...)
				if diff := cmp.Diff(after, contents(t, out)); diff != "" {
					t.Fatalf("step %d: the completed build: %s", step, diff)
				}
				again := int64(0)
				for text, n := range endpoint.counts() {
					if n -= were[text]; n > 0 && known[text] > 0 {
						again++
					}
					if n > 2 {
						t.Fatalf("step %d: %q was embedded %d times", step, text, n)
					}
				}
				if again > c.lost {
					t.Fatalf("step %d: %d texts were embedded again", step, again)
				}
				for _, name := range []string{"next", "aside", "old", "swap.journal", "vectors.journal"} {
					if exists(filepath.Join(out, ".s2g", name)) {
						t.Fatalf("step %d: %s is left", step, name)
					}
				}
			}
			t.Logf("%d steps, %d after the swap", step, swapped)
			if !c.inPlace && swapped < 2 {
				t.Errorf("of %d steps %d came after the swap", step, swapped)
			}
		})
	}
}

package main

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"s2g/schema/schematest"
	"s2g/schema/tables"
)

// onePass is a dump of some units of vectors and of graph, and what the stages make of it one after the other.
type onePass struct {
	dump, out string // out has tables alone
	args      []string
	want      map[string]string // contents of graph and vectors
	lines     int               // of the journals, at least
}

// outputs returns the contents of graph and vectors.
func (p *onePass) outputs(t *testing.T, out string) map[string]string {
	files := contents(t, out)
	for name := range files {
		if folder, _, _ := strings.Cut(name, "/"); folder != "graph" && folder != "vectors" && folder != "parents" && folder != "model.bin" {
			delete(files, name)
		}
	}
	return files
}

// build returns the command line that makes graph and vectors.
func (p *onePass) build(out string) []string {
	return append([]string{"build", "--dump", p.dump, "--out", out, "--stages", "ingest,graph,vectors", "--quiet"}, p.args...)
}

func newOnePass(t *testing.T) *onePass {
	t.Helper()
	schematest.Tool(t, "mariadbd")
	work := t.TempDir()
	p := &onePass{dump: filepath.Join(work, "dump"), out: filepath.Join(work, "out"),
		args: []string{"--site", "stackoverflow.com", "--other", "--units", "question,answer"}}
	s2g(t, "sample", "--posts", "17000", "--seed", "9", "--out", p.dump, "--quiet")
	alone := filepath.Join(work, "alone")
	s2g(t, append([]string{"build", "--dump", p.dump, "--out", alone, "--stages", "ingest,graph", "--quiet"}, p.args...)...)
	s2g(t, "vectors", "--out", alone, "--units", "question,answer", "--quiet")
	p.want = p.outputs(t, alone)
	if p.lines = len(p.want) - 20; p.lines < 60 { // those of the graph go with its end
		t.Fatalf("%d files", len(p.want))
	}
	s2g(t, append([]string{"build", "--dump", p.dump, "--out", p.out, "--stages", "ingest", "--quiet"}, p.args...)...)
	db, err := tables.Open(t.Context(), tables.ServerOptions{Dir: filepath.Join(p.out, ".s2g"), Access: tables.Read}) // starts take long
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return p
}

// journaled returns the number of lines in the journals of both stages.
func (p *onePass) journaled() (n int) {
	for _, stage := range []string{"graph", "vectors"} {
		text, _ := os.ReadFile(filepath.Join(p.out, ".s2g", stage+".journal"))
		n += bytes.Count(text, []byte("\n"))
	}
	return n
}

// TestKillsOfOnePass kills builds of graph and vectors side by side at random moments. The last one ends with the bytes that
// the stages make one after the other.
func TestKillsOfOnePass(t *testing.T) {
	schematest.Long(t)
	p := newOnePass(t)
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	const kills = 20
	killed, both := 0, 0
	for ; killed < kills; killed++ {
		next := p.lines*killed/kills + r.IntN(p.lines/kills)
		cmd := exec.CommandContext(t.Context(), "s2g", append(p.build(p.out), "--workers", string('1'+rune(killed%3)))...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan struct{})
		go func() {
			_ = cmd.Wait()
			close(ended)
		}()
		for running := true; running && p.journaled() < next; {
			select {
			case <-ended:
				running = false
			case <-time.After(200 * time.Microsecond):
			}
		}
		time.Sleep(time.Duration(r.IntN(3000)) * time.Microsecond)
		_ = cmd.Process.Signal(syscall.SIGKILL)
		<-ended
		if cmd.ProcessState.Success() {
			break
		}
		if exists(filepath.Join(p.out, ".s2g", "graph.journal")) && exists(filepath.Join(p.out, ".s2g", "vectors.journal")) {
			both++
		}
	}
	stopped := p.journaled()
	s2g(t, p.build(p.out)...)
	if diff := cmp.Diff(p.want, p.outputs(t, p.out)); diff != "" {
		t.Errorf("seed %d, %d kills: %s", seed, killed, diff)
	}
	t.Logf("seed %d: %d kills, %d of them with both journals, %d of %d lines at the last", seed, killed, both, stopped, p.lines)
	if both == 0 { // a slow test may find the build complete after some
		t.Errorf("seed %d: none of %d kills with both journals", seed, killed)
	}
	s2g(t, "verify", "--out", p.out, "--quiet")
}

// TestOnePassAfterAFailure stops one of the two stages by a folder in the place of a file. The other is completed and
// entered, the build fails, and the next one resumes the first.
func TestOnePassAfterAFailure(t *testing.T) {
	schematest.Long(t)
	p := newOnePass(t)
	for _, c := range []struct{ fails, completes, place string }{
		{"graph", "vectors", "graph/batch-000003.trig.gz"},
		{"vectors", "graph", "vectors/java/part-00001.parquet"},
	} {
		out := filepath.Join(t.TempDir(), "out")
		s2g(t, append([]string{"build", "--dump", p.dump, "--out", out, "--stages", "ingest", "--quiet"}, p.args...)...)
		place := filepath.Join(out, filepath.FromSlash(c.place))
		if err := os.MkdirAll(filepath.Join(place, "in the way"), 0o755); err != nil {
			t.Fatal(err)
		}
		_, stderr := s2gExits(t, 1, p.build(out)...)
		mustContain(t, stderr, filepath.Base(c.place))
		first := filepath.Join(out, "graph", "batch-000001.trig.gz")
		kept, err := os.Stat(first)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(place); err != nil {
			t.Fatal(err)
		}
		stdout, _ := s2gExits(t, 0, append(p.build(out), "--json")...)
		if fresh := freshStages(t, stdout); !strings.Contains(strings.Join(fresh, " "), c.completes) || strings.Contains(strings.Join(fresh, " "), c.fails) {
			t.Errorf("after a failure of %s, %q are up to date", c.fails, fresh)
		}
		if diff := cmp.Diff(p.want, p.outputs(t, out)); diff != "" {
			t.Errorf("after a failure of %s: %s", c.fails, diff)
		}
		if now, err := os.Stat(first); err != nil || !os.SameFile(kept, now) {
			t.Errorf("after a failure of %s, the first file of the graph is written again (%v)", c.fails, err)
		}
	}
}

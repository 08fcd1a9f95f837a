package main

import (
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"s2g/schema/schematest"
	"s2g/schema/tables"
)

// TestKillsOfARebuild kills rebuilds of the graph at random moments, half of them during the swap. The build in service is
// always the old one or the new one, whole. Package manifest kills after each step of a swap.
func TestKillsOfARebuild(t *testing.T) {
	schematest.Long(t)
	t.Parallel()
	schematest.Tool(t, "mariadbd")
	work := t.TempDir()
	dump, out := filepath.Join(work, "dump"), filepath.Join(work, "o")
	s2g(t, "sample", "--posts", "1500", "--seed", "5", "--out", dump, "--quiet")
	s2g(t, "build", "--dump", dump, "--out", out, "--site", "stackoverflow.com", "--compress", "none")
	db, err := tables.Open(t.Context(), tables.ServerOptions{Dir: filepath.Join(out, ".s2g"), Access: tables.Read}) // starts take long
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	builds := map[string]map[string]string{"none": contents(t, out)}
	began := time.Now()
	s2g(t, "graph", "--out", out, "--compress", "gzip")
	took := time.Since(began)
	builds["gzip"] = contents(t, out)

	journal := filepath.Join(out, ".s2g", "swap.journal")
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	inService, killed, during, swapped := "gzip", 0, 0, 0
	for range 200 { // how many kills come during a swap depends on the machine
		if killed >= 20 && during > 0 && swapped > 0 && swapped < killed {
			break
		}
		other := map[string]string{"gzip": "none", "none": "gzip"}[inService]
		cmd := exec.CommandContext(t.Context(), "s2g", "graph", "--out", out, "--compress", other, "--quiet")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan struct{})
		go func() {
			_ = cmd.Wait()
			close(ended)
		}()
		wait := time.Duration(r.Int64N(int64(took)))
		if killed%2 == 0 {
			for running := true; running && !exists(journal); {
				select {
				case <-ended:
					running = false
				case <-time.After(50 * time.Microsecond):
				}
			}
			wait = time.Duration(r.IntN(3000)) * time.Microsecond
		}
		select {
		case <-ended:
		case <-time.After(wait):
		}
		_ = cmd.Process.Signal(syscall.SIGKILL)
		<-ended
		if cmd.ProcessState.Success() {
			inService = other
			continue
		}
		killed++
		if exists(journal) {
			during++
		}
		s2g(t, "verify", "--out", out, "--files-only") // a reader, which completes the swap
		got := contents(t, out)
		if diff := cmp.Diff(builds[inService], got); diff != "" {
			if diff = cmp.Diff(builds[other], got); diff != "" {
				t.Fatalf("seed %d, kill %d: neither build is whole: %s", seed, killed, diff)
			}
			inService = other
			swapped++
		}
	}
	t.Logf("%d kills, %d of them during a swap; %d swaps", killed, during, swapped)
	if killed < 20 || during == 0 || swapped == 0 || swapped == killed {
		t.Errorf("seed %d: %d kills, %d of them during a swap, %d swaps", seed, killed, during, swapped)
	}
	stdout := s2g(t, "build", "--dump", dump, "--out", out)
	mustContain(t, stdout, "verify:")
}

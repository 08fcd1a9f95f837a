package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/schematest"
)

// exitCode waits for a process and returns its exit code.
func exitCode(t *testing.T, cmd *exec.Cmd) int {
	t.Helper()
	err := cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode()
}

// waitFor waits until done returns true.
func waitFor(t *testing.T, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if done() {
			return
		}
	}
	t.Fatalf("no %s", what)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// Every signal that asks a process to end interrupts a run, unless the process was started to ignore it.
func TestSignalsInterrupt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		signal syscall.Signal
		ignore string // by the shell that starts s2g
		posts  int
		code   int
	}{
		{syscall.SIGHUP, "", 5_000_000, 130},
		{syscall.SIGTERM, "", 5_000_000, 130},
		{syscall.SIGINT, "", 5_000_000, 130},
		{syscall.SIGHUP, "HUP", 20_000, 0}, // nohup
		{syscall.SIGINT, "INT", 20_000, 0}, // a shell's job in the background
	} {
		t.Run(fmt.Sprintf("%s, ignored %q", c.signal, c.ignore), func(t *testing.T) {
			t.Parallel()
			out := filepath.Join(t.TempDir(), "dump")
			line := fmt.Sprintf("exec s2g sample --posts %d --out %s", c.posts, out)
			if c.ignore != "" {
				line = "trap '' " + c.ignore + "; " + line
			}
			cmd := exec.Command("sh", "-c", line)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			waitFor(t, "dump", func() bool { return exists(out) })
			if err := cmd.Process.Signal(c.signal); err != nil {
				t.Fatal(err)
			}
			if code := exitCode(t, cmd); code != c.code {
				t.Errorf("exit code %d, want %d\n%s", code, c.code, &stderr)
			}
		})
	}
}

// nobodys returns a function that runs s2g as a user without rights on the folders of this one.
func nobodys(t *testing.T) (run func(args ...string) (code int, stderr string)) {
	t.Helper()
	path, err := exec.LookPath("s2g")
	if err != nil {
		t.Fatal(err)
	}
	var user *syscall.SysProcAttr
	if os.Geteuid() == 0 {
		program, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		path = filepath.Join(t.TempDir(), "s2g") // the folder of the first is closed
		if err := os.WriteFile(path, program, 0o755); err != nil {
			t.Fatal(err)
		}
		user = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	return func(args ...string) (int, string) {
		cmd := exec.Command(path, args...)
		cmd.SysProcAttr = user
		var out bytes.Buffer
		cmd.Stderr = &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return exitCode(t, cmd), out.String()
	}
}

// Folders and files without permission, and paths that cannot be, are usage: exit code 2.
func TestFoldersWithoutPermissionAreUsage(t *testing.T) {
	t.Parallel()
	work := t.TempDir()
	if err := os.Chmod(filepath.Dir(work), 0o755); err != nil {
		t.Fatal(err)
	}
	closed, file, dump := filepath.Join(work, "closed"), filepath.Join(work, "file"), filepath.Join(work, "dump")
	s2g(t, "sample", "--posts", "20", "--out", dump)
	closedDump, closedTable := filepath.Join(work, "closeddump"), filepath.Join(work, "closedtable")
	for _, folder := range []string{closed, closedDump, closedTable} {
		if err := os.CopyFS(folder, os.DirFS(dump)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.WriteFile(file, nil, 0o644), os.Chmod(closed, 0), os.Chmod(closedDump, 0o300),
		os.Chmod(filepath.Join(closedTable, "Posts.xml"), 0),
		os.Chmod(work, 0o755)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = errors.Join(os.Chmod(closed, 0o700), os.Chmod(closedDump, 0o700)) })
	asNobody := nobodys(t)
	long := filepath.Join(work, strings.Repeat("n", 300))
	for _, args := range [][]string{
		{"sample", "--posts", "10", "--out", filepath.Join(closed, "x")},
		{"build", "--dump", dump, "--out", filepath.Join(closed, "out")},
		{"build", "--dump", dump, "--out", filepath.Join(file, "out")},
		{"build", "--dump", dump, "--out", file},
		{"build", "--dump", dump, "--out", long},
		{"build", "--dump", closedDump, "--out", filepath.Join(t.TempDir(), "out")},
		{"build", "--dump", filepath.Join(closed, "Posts.xml"), "--out", filepath.Join(t.TempDir(), "out")},
		{"ingest", "--dump", closedTable, "--out", filepath.Join(openFolder(t), "out")},
		{"stats", "--out", closed},
		{"verify", "--out", closed},
		{"search", "--out", filepath.Join(file, "out"), "words"},
		{"doctor", "--dump", closedDump},
		{"build", "--config", filepath.Join(closed, "config.yaml"), "--dump", dump, "--out", filepath.Join(openFolder(t), "out")},
	} {
		if code, stderr := asNobody(args...); code != 2 || !strings.Contains(stderr, "s2g: ") {
			t.Errorf("%q: exit code %d\n%s", args, code, stderr)
		}
	}
}

// openFolder returns a folder that every user can write.
func openFolder(t *testing.T) string {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	return dir
}

// The private mariadbd may be killed at any moment of any command: exit code 4, and the same command then ends well.
func TestDatabaseThatDiesIsAServiceFault(t *testing.T) {
	schematest.Long(t)
	t.Parallel()
	schematest.Tool(t, "mariadbd")
	work := t.TempDir()
	dump, out := filepath.Join(work, "dump"), filepath.Join(work, "build")
	s2g(t, "sample", "--posts", "20000", "--out", dump)
	deaths := 0
	for _, args := range [][]string{
		{"ingest", "--dump", dump}, {"graph"}, {"vectors"}, {"verify"}, {"report"},
		{"db", "SELECT a.Id, SLEEP(0.001) FROM Posts a"},
	} {
		for _, delay := range []time.Duration{50 * time.Millisecond, 400 * time.Millisecond} {
			cmd := exec.Command("s2g", append(args, "--out", out, "--quiet")...)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan int, 1)
			go func() {
				_ = cmd.Wait() // the exit code tells
				ended <- cmd.ProcessState.ExitCode()
			}()
			waitFor(t, "server of "+args[0], func() bool {
				return exists(filepath.Join(out, ".s2g", "db.sock")) && len(schematest.ServerPIDs(out)) > 0 || len(ended) > 0
			})
			time.Sleep(delay)
			for _, server := range schematest.ServerPIDs(out) {
				_ = syscall.Kill(server, syscall.SIGKILL) // it may have ended
			}
			switch code := <-ended; code {
			case schema.FaultService.ExitCode():
				deaths++
			case 0: // it was faster
			default:
				t.Errorf("%s, after %s: exit code %d\n%s", args[0], delay, code, &stderr)
			}
		}
		if args[0] != "db" { // its query takes half a minute
			s2g(t, append(args, "--out", out, "--quiet")...)
		}
	}
	if deaths < 5 {
		t.Errorf("only %d runs had no database", deaths)
	}
}

// A verify beside a first build, or one that overwrites, ends with exit code 4: it never reads half of two builds as one.
func TestVerifyBesideABuild(t *testing.T) {
	schematest.Long(t)
	t.Parallel()
	schematest.Tool(t, "mariadbd")
	work := t.TempDir()
	dump, out := filepath.Join(work, "dump"), filepath.Join(work, "build")
	s2g(t, "sample", "--posts", "5000", "--out", dump)
	for _, args := range [][]string{nil, {"--in-place", "--window", "256", "--compress", "none"}} {
		build := exec.Command("s2g", append([]string{"build", "--dump", dump, "--out", out, "--quiet"}, args...)...)
		var stderr bytes.Buffer
		build.Stderr = &stderr
		if err := build.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- build.Wait() }()
		waitFor(t, "change", func() bool { return manifest.CheckAtRest(out) != nil })
		codes := map[int]int{}
		for running := true; running; {
			var log bytes.Buffer
			code := run(t.Context(), []string{"verify", "--out", out, "--quiet"}, io.Discard, &log)
			if codes[code]++; code != 4 && code != 0 {
				t.Errorf("%q: exit code %d\n%s", args, code, &log)
			}
			select {
			case err := <-ended:
				if err != nil {
					t.Fatalf("%v\n%s", err, &stderr)
				}
				running = false
			default:
			}
		}
		if codes[4] == 0 {
			t.Errorf("%q: exit codes %v", args, codes)
		}
		s2g(t, "verify", "--out", out, "--quiet")
	}
}

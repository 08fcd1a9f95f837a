package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"s2g/schema/schematest"
)

// smallBuild builds a synthetic dump and returns the folder of the build and of the dump.
func smallBuild(t *testing.T) (out, dump string) {
	t.Helper()
	schematest.Tool(t, "mariadbd")
	work := t.TempDir()
	out, dump = filepath.Join(work, "build"), filepath.Join(work, "dump")
	s2g(t, "sample", "--posts", "300", "--out", dump)
	s2g(t, "ingest", "--dump", dump, "--out", out, "--quiet")
	return out, dump
}

// A table that is missing or was changed is read again; one that was changed back is not.
func TestBuildReadsAlteredTablesAgain(t *testing.T) {
	schematest.Long(t)
	t.Parallel()
	out, dump := smallBuild(t)
	ingest := func(says string) {
		t.Helper()
		_, log := s2gExits(t, 0, "ingest", "--dump", dump, "--out", out)
		mustContain(t, log, says)
	}
	rows := func() string { return s2g(t, "db", "--out", out, "SELECT COUNT(*), SUM(Score), MAX(Body) FROM Posts") }
	before := rows()
	ingest("ingest is up to date")
	for _, change := range []string{"UPDATE Posts SET Score = Score + 1 WHERE Id = 1", "DROP TABLE Votes", "ALTER TABLE Tags ADD COLUMN Mine INT"} {
		s2gExits(t, 0, "db", "--write", "--out", out, change)
		ingest("the tables are not those of the dump; reading it again")
		if after := rows(); after != before {
			t.Errorf("after %s the tables hold %s, before %s", change, after, before)
		}
		ingest("ingest is up to date")
	}
	s2g(t, "db", "--write", "--out", out, "UPDATE Posts SET Score = Score + 1")
	s2g(t, "db", "--write", "--out", out, "UPDATE Posts SET Score = Score - 1")
	ingest("ingest is up to date")
	if err := os.Remove(filepath.Join(out, ".s2g", "db", "s2g", "Comments.ibd")); err != nil {
		t.Fatal(err)
	}
	ingest("the tables are not those of the dump; reading it again")
	if after := rows(); after != before {
		t.Errorf("after the loss of a file the tables hold %s, before %s", after, before)
	}
}

// Statements are read-only without --write, and the build says so.
func TestDBChangesNothingWithoutWrite(t *testing.T) {
	t.Parallel()
	out, _ := smallBuild(t)
	count := func() string { return s2g(t, "db", "--out", out, "SELECT COUNT(*) FROM Posts") }
	before := count()
	for _, statement := range []string{"DELETE FROM Posts", "DROP TABLE Posts", "CREATE TABLE Mine (Id INT)", "DROP DATABASE s2g"} {
		_, log := s2gExits(t, 2, "db", "--out", out, statement)
		mustContain(t, log, "--write")
	}
	if after := count(); after != before {
		t.Errorf("posts: %q, before %q", after, before)
	}
}

// An ingest beside an open s2g db ends with exit code 4 and names it; so does s2g db --write. An s2g db that is open for
// changes keeps builds away.
func TestIngestBesideAnOpenDatabase(t *testing.T) {
	schematest.Long(t)
	t.Parallel()
	out, dump := smallBuild(t)
	other := dump + "2"
	s2g(t, "sample", "--posts", "400", "--out", other)
	for _, args := range [][]string{{"db"}, {"db", "--write"}} {
		cmd := exec.Command("s2g", append(args, "--out", out)...)
		stdout, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if line, err := bufio.NewReader(stdout).ReadString('\n'); !strings.Contains(line, "db.sock") {
			t.Fatalf("%q: %q, %v", args, line, err)
		}
		for _, beside := range [][]string{{"ingest", "--dump", other}, {"db", "--write", "SELECT 1"}} {
			_, log := s2gExits(t, 4, append(beside, "--out", out)...)
			mustContain(t, log, fmt.Sprint("process ", cmd.Process.Pid))
			if len(args) == 1 {
				mustContain(t, log, "s2g db (process ")
			}
		}
		if got := s2g(t, "db", "--out", out, "SELECT COUNT(*) FROM Tags"); got == "" {
			t.Error("no reader beside it")
		}
		if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, stdout)
		if code := exitCode(t, cmd); code != 0 {
			t.Errorf("%q: exit code %d", args, code)
		}
	}
	s2g(t, "ingest", "--dump", other, "--out", out, "--quiet")
}

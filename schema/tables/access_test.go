package tables

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"s2g/schema"
	"s2g/schema/schematest"
)

// loaded creates a private database with a few votes in a new folder.
func loaded(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	db := openFor(t, dir, Load)
	serve(t, db, "key", map[string]string{"Posts": post1, "Votes": vote1})
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestReadersChangeNoTable(t *testing.T) {
	t.Parallel()
	dir := loaded(t)
	db := openFor(t, dir, Read)
	if readOnly, err := db.ReadOnlyServer(); !readOnly || err != nil {
		t.Errorf("the server of a reader is read-only: %v, %v", readOnly, err)
	}
	other, err := Open(t.Context(), ServerOptions{DSN: db.DSN(), Access: Load}) // another program, whose sessions allow all
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	for _, statement := range []string{
		"UPDATE Votes SET UserId = 1", "DELETE FROM Votes", "INSERT INTO Votes SELECT * FROM Votes", "TRUNCATE Votes", "DROP TABLE Votes",
		"ALTER TABLE Votes ADD COLUMN X INT", "RENAME TABLE Votes TO V", "CREATE TABLE V (I INT)", "ALTER TABLE Votes ENGINE=Aria",
	} {
		for name, db := range map[string]*DB{"a reader": db, "another program": other} {
			_, err := db.SQL().Exec(statement)
			if err = classify(err); err == nil {
				t.Errorf("%s: %s is no error", name, statement)
			} else if fault, remedy := schema.FaultOf(err); name == "a reader" && (fault != schema.FaultUsage || !strings.Contains(remedy, "option write")) {
				t.Errorf("%s: %s: fault %v, remedy %q: %v", name, statement, fault, remedy, err)
			}
		}
	}
	if _, err := db.SQL().Exec("DROP DATABASE s2g"); err == nil {
		t.Error("a reader drops the database")
	}
	if difference, err := db.Look(t.Context(), []string{"Posts", "Votes"}); difference != "" || err != nil {
		t.Errorf("afterwards: %s, %v", difference, err)
	}
	if got := all(t, db, "SELECT COUNT(*), SUM(UserId) FROM Votes GROUP BY CONCAT(PostId, '') ORDER BY 1"); got[0][0] != "1" || got[0][1] != `\N` {
		t.Error(got)
	}
	// People sort and collect in temporary tables.
	conn, err := other.SQL().Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.ExecContext(t.Context(), "CREATE TEMPORARY TABLE Mine AS SELECT Id, Score FROM Posts"); err != nil {
		t.Error(err)
	}
}

// The sessions of readers are read-only on a server that loads, too.
func TestReadersOfALoadingServer(t *testing.T) {
	t.Parallel()
	db := open(t)
	serve(t, db, "key", map[string]string{"Votes": vote1})
	reader, err := Open(t.Context(), ServerOptions{DSN: db.DSN()})
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	for _, statement := range []string{"DELETE FROM Votes", "DROP TABLE Votes", "CREATE VIEW V AS SELECT 1"} {
		if _, err := reader.SQL().Exec(statement); err == nil {
			t.Errorf("%s is no error", statement)
		}
	}
}

func TestLoadBesideAReaderNamesIt(t *testing.T) {
	t.Parallel()
	dir := loaded(t)
	cmd, leave := user(t, dir)
	for _, access := range []Access{Load, Edit} {
		_, err := Open(t.Context(), ServerOptions{Dir: dir, Access: access, Memory: minPool})
		if fault, remedy := schema.FaultOf(err); fault != schema.FaultService || remedy == "" || !strings.Contains(err.Error(), fmt.Sprintf("(process %d)", cmd.Process.Pid)) {
			t.Errorf("%s beside a reader: fault %v, %v", access, fault, err)
		}
	}
	reader := openFor(t, dir, Read) // still possible
	leave()
	if err := reader.Close(); err != nil {
		t.Fatal(err)
	}
	serve(t, openFor(t, dir, Load), "next", map[string]string{"Votes": vote2})
	if reader = openFor(t, dir, Read); reader == nil {
		t.Fatal("no reader beside a load")
	}
	if readOnly, err := reader.ReadOnlyServer(); readOnly || err != nil {
		t.Errorf("the server of a load is read-only: %v, %v", readOnly, err)
	}
	if _, err := Open(t.Context(), ServerOptions{Dir: dir, Access: Edit, Memory: minPool}); err == nil || !strings.Contains(err.Error(), "open for loading a dump, not for editing") {
		t.Errorf("edit beside a load: %v", err)
	}
}

// A server that only this process uses ends, and one of the right access starts.
func TestAccessOfALeftServerChanges(t *testing.T) {
	schematest.Long(t)
	t.Parallel()
	dir := loaded(t)
	cmd, _ := user(t, dir)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // its lock is free once it has ended, not when the signal is sent
	serve(t, openFor(t, dir, Load), "next", map[string]string{"Votes": vote2})
	if names := otherUsers(dir, openFor(t, dir, Read).server.entry); len(names) != 1 {
		t.Errorf("users: %q", names) // the load; the killed reader is gone
	}
}

func TestReadersWaitForARecovery(t *testing.T) {
	schematest.Long(t)
	t.Parallel()
	dir := t.TempDir()
	db := openFor(t, dir, Load)
	serve(t, db, "key", map[string]string{"Votes": vote1})
	if err := syscall.Kill(serverPID(dir), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	checkServerIsGone(t, db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	reader := openFor(t, dir, Read)
	if readOnly, err := reader.ReadOnlyServer(); !readOnly || err != nil {
		t.Errorf("read-only: %v, %v", readOnly, err)
	}
	if key, err := reader.DumpKey(t.Context()); key != "key" || err != nil {
		t.Errorf("key %q, %v", key, err)
	}
	if state, err := LookAtFiles(dir, []string{"Votes"}); state != FilesUnknown || err != nil {
		t.Errorf("state of the files %v, %v", state, err)
	}
	if _, err := os.Stat(filepath.Join(dir, recoverySocket)); err == nil {
		t.Error("the socket of the recovery is left")
	}
}

func TestFilesShowWhetherATableMayHaveChanged(t *testing.T) {
	schematest.Long(t)
	t.Parallel()
	tables := []string{"Posts", "Votes"}
	dir := loaded(t)
	check := func(when string, want FilesState) {
		t.Helper()
		if got, err := LookAtFiles(dir, tables); got != want || err != nil {
			t.Errorf("%s: state %v, %v, want %v", when, got, err, want)
		}
	}
	check("after a load", FilesSame)
	db := openFor(t, dir, Read)
	check("while read", FilesSame)
	db.Close()
	check("after reading", FilesSame)

	db = openFor(t, dir, Edit)
	check("while edited", FilesUnknown)
	if _, err := db.SQL().Exec("UPDATE Votes SET UserId = 1"); err != nil {
		t.Fatal(err)
	}
	if _, err := db.SQL().Exec("UPDATE Votes SET UserId = NULL"); err != nil {
		t.Fatal(err)
	}
	db.Close()
	check("after an edit", FilesUnknown)
	db = openFor(t, dir, Read)
	if _, difference, err := db.Compare(t.Context(), map[string]string{
		"Posts": fingerprintOfLines(post1).String(), "Votes": fingerprintOfLines(vote1).String(),
	}, 0, nil); difference != "" || err != nil {
		t.Errorf("%s, %v", difference, err)
	}
	if err := RecordFiles(dir); err != nil {
		t.Fatal(err)
	}
	db.Close()
	check("after a comparison", FilesSame)

	file := filepath.Join(dir, dataDir, privateDatabase, "Votes.ibd")
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, content, 0o600); err != nil { // another time
		t.Fatal(err)
	}
	check("after a copy", FilesUnknown)
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	check("without a file", FilesMissing)
	dir = t.TempDir()
	check("without a database", FilesMissing)
}

func TestSocketFolderAndEnvironmentArePrivate(t *testing.T) {
	schematest.Tool(t, "mariadbd")
	t.Setenv("S2G_DSN", "secret1")
	t.Setenv("HF_TOKEN", "secret2")
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	db := openFor(t, dir, Load)
	for path, want := range map[string]os.FileMode{dir: 0o700, filepath.Join(dir, tempDir): 0o700, filepath.Join(dir, dataDir): 0o700} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("mode of %s: %o, %v", path, info.Mode().Perm(), err)
		}
	}
	err := db.server.poll(t.Context(), "waiting for the mode of the socket", func() (bool, error) {
		info, err := os.Stat(db.server.socket)
		return err == nil && info.Mode().Perm() == 0o600, err
	})
	if err != nil {
		t.Error(err)
	}
	pid := serverPID(dir)
	for name, pid := range map[string]int{"mariadbd": pid, "its supervisor": parent(t, pid)} {
		environment, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		if err != nil {
			t.Skip("no /proc")
		}
		if strings.Contains(string(environment), "secret") {
			t.Errorf("%s has a secret in %q", name, environment)
		}
	}
}

func TestOpenRefusesAFolderThatIsALink(t *testing.T) {
	link := filepath.Join(t.TempDir(), ".s2g")
	if err := os.Symlink(t.TempDir(), link); err != nil {
		t.Fatal(err)
	}
	_, err := Open(t.Context(), ServerOptions{Dir: link})
	if fault, _ := schema.FaultOf(err); fault != schema.FaultUsage || !strings.Contains(err.Error(), "is a link") {
		t.Errorf("fault %v: %v", fault, err)
	}
}

// The path of OUT may have any characters.
func TestAwkwardPaths(t *testing.T) {
	schematest.Long(t)
	for _, name := range []string{`a space, quotes'" # ; $HOME` + "`id`" + ` back\slash %s *?[a]`, "new\nline, tab\tand \x01", "-dash größe 大きさ"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), name)
			db := openFor(t, dir, Load)
			serve(t, db, "key", map[string]string{"Votes": vote1})
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			if key, err := openFor(t, dir, Read).DumpKey(t.Context()); key != "key" || err != nil {
				t.Errorf("%q, %v", key, err)
			}
		})
	}
}

// A long path, and one whose server was killed: the socket's folder is another.
func TestRecoveryWithALongPath(t *testing.T) {
	schematest.Long(t)
	t.Parallel()
	dir := filepath.Join(t.TempDir(), strings.Repeat("long", 30))
	db := openFor(t, dir, Load)
	serve(t, db, "key", map[string]string{"Votes": vote1})
	if err := syscall.Kill(serverPID(dir), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	checkServerIsGone(t, db)
	db.Close()
	if key, err := openFor(t, dir, Read).DumpKey(context.WithoutCancel(t.Context())); key != "key" || err != nil {
		t.Errorf("%q, %v", key, err)
	}
}

func TestLogSize(t *testing.T) {
	for xml, want := range map[int64]int64{0: maxLog, -1: maxLog, 1: minLog, minLog: minLog, 50 << 20: 50 << 20, 1 << 40: maxLog} {
		if got := LogSize(xml); got != want {
			t.Errorf("log of a dump of %d bytes: %d, want %d", xml, got, want)
		}
	}
}

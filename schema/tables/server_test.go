package tables

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"s2g/schema/schematest"
)

// userEnv makes the test binary a second user of a server: it opens the folder
// that the variable names, says so, and closes when its standard input ends.
const userEnv = "S2G_TEST_USER"

func actAsUser() {
	dir, ok := os.LookupEnv(userEnv)
	if !ok {
		return
	}
	db, err := Open(background, Options{Dir: dir, Memory: minPool})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("open")
	bufio.NewReader(os.Stdin).ReadString('\n')
	if err := db.Close(); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(0)
}

// user starts a second process that uses dir's server. leave ends it in good order.
func user(t *testing.T, dir string) (cmd *exec.Cmd, leave func()) {
	t.Helper()
	cmd = exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), userEnv+"="+dir)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(out).ReadString('\n')
	if line != "open\n" {
		t.Fatalf("second user: %q", line)
	}
	return cmd, func() {
		t.Helper()
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
}

// serverPID returns the process id of dir's mariadbd, 0 if none lives.
func serverPID(dir string) int {
	pid := int(readInt(filepath.Join(dir, dataDir, pidFile)))
	if pid == 0 || syscall.Kill(pid, 0) != nil {
		return 0
	}
	return pid
}

func TestServerStopsWithItsLastUser(t *testing.T) {
	dir := t.TempDir()
	db := openIn(t, dir)
	pid := serverPID(dir)
	if pid == 0 {
		t.Fatal("no mariadbd")
	}
	if rss := db.PeakRSS(); rss < 10<<20 {
		t.Errorf("peak memory of the server: %d bytes", rss)
	}
	info, err := os.Stat(filepath.Join(dir, dataDir))
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("datadir: %v, %v", info.Mode(), err)
	}
	_, leave := user(t, dir)
	if got := serverPID(dir); got != pid {
		t.Errorf("a second user is served by %d, not %d", got, pid)
	}
	leave()
	if got := serverPID(dir); got != pid {
		t.Fatal("the server stopped with its first user")
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if serverPID(dir) != 0 {
		t.Error("the server runs after its last user has left")
	}
	if _, err := os.Stat(filepath.Join(dir, socketName)); err == nil {
		t.Error("the socket is still there")
	}
}

func TestKilledUserLeavesNoServer(t *testing.T) {
	schematest.Tool(t, "mariadbd")
	dir := t.TempDir()
	cmd, _ := user(t, dir)
	pid := serverPID(dir)
	if pid == 0 {
		t.Fatal("no mariadbd")
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	db := openIn(t, dir) // waits for the old one, then starts its own
	if got := all(t, db, "SELECT 1"); got[0][0] != "1" {
		t.Error(got)
	}
	cmd.Wait()
}

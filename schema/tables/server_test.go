package tables

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"s2g/schema"
	"s2g/schema/schematest"
)

// userEnv is the environment variable that makes the test binary a second user of
// a server: it opens the folder of that name, prints "open", and closes it when its
// standard input ends.
const userEnv = "S2G_TEST_USER"

func actAsUser() {
	dir, ok := os.LookupEnv(userEnv)
	if !ok {
		return
	}
	db, err := Open(background, ServerOptions{Dir: dir, Memory: minPool})
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

// user starts a second process that uses dir's server. leave ends it regularly.
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

// serverPID returns the process id of dir's mariadbd, 0 where none runs.
func serverPID(dir string) int {
	pid := readPID(dir)
	if pid == 0 || syscall.Kill(pid, 0) != nil {
		return 0
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err == nil && strings.Contains(string(stat), ") Z ") { // a zombie
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
	schematest.Long(t)
	t.Parallel()
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
	_ = cmd.Wait()       // its lock is free once it has ended, not when the signal is sent
	db := openIn(t, dir) // waits for the old server, then starts another
	if got := all(t, db, "SELECT 1"); got[0][0] != "1" {
		t.Error(got)
	}
}

// A mariadbd that is terminated while it starts may wait for ever, and with it the
// next user. The moment depends on the machine, so the test tries several.
func TestUserKilledWhileTheServerStarts(t *testing.T) {
	schematest.Long(t)
	schematest.Tool(t, "mariadbd")
	dir := t.TempDir()
	openIn(t, dir).Close() // creates the datadir
	for delay := 20 * time.Millisecond; delay < 400*time.Millisecond; delay += 60 * time.Millisecond {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), userEnv+"="+dir)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(delay)
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		cmd.Wait()
	}
	ctx, cancel := context.WithTimeout(t.Context(), stopTimeout/2)
	defer cancel()
	db, err := Open(ctx, ServerOptions{Dir: dir, Memory: minPool})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}

func TestKilledSupervisorTakesItsServerWithIt(t *testing.T) {
	schematest.Long(t)
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux kills a child with its parent")
	}
	dir := t.TempDir()
	db := openIn(t, dir)
	pid := serverPID(dir)
	if err := syscall.Kill(parent(t, pid), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	checkServerIsGone(t, db)
	if serverPID(dir) == pid {
		t.Error("mariadbd outlives its supervisor")
	}
}

func TestCrashOfTheServer(t *testing.T) {
	schematest.Long(t)
	t.Parallel()
	dir := t.TempDir()
	db := openIn(t, dir)
	serve(t, db, "before", map[string]string{"Votes": vote1})
	if err := syscall.Kill(serverPID(dir), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	checkServerIsGone(t, db)
	again := openIn(t, dir) // while the first user still has the crashed one
	if key, err := again.DumpKey(t.Context()); err != nil || key != "before" {
		t.Errorf("after the crash: key %q, %v", key, err)
	}
}

// checkServerIsGone checks that the error of a statement reports the end of the server, with its log.
func checkServerIsGone(t *testing.T, db *DB) {
	t.Helper()
	var err error
	for end := time.Now().Add(time.Minute); err == nil && time.Now().Before(end); time.Sleep(pollEvery) { // the signal takes a moment to arrive
		_, err = db.DumpKey(t.Context())
	}
	if fault, _ := schema.FaultOf(err); fault != schema.FaultService {
		t.Errorf("fault %v: %v", fault, err)
	}
	if err == nil || !strings.Contains(err.Error(), "mariadbd has ended") || !strings.Contains(err.Error(), "ready for connections") {
		t.Errorf("error without the server's log: %v", err)
	}
}

// parent returns the parent process of pid.
func parent(t *testing.T, pid int) int {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	var state string
	var ppid int
	_, rest, _ := strings.Cut(string(b), ") ") // after the name, which may contain anything
	if _, err := fmt.Sscan(rest, &state, &ppid); err != nil {
		t.Fatal(err)
	}
	return ppid
}

func TestInitialisationThatWasCutShort(t *testing.T) {
	schematest.Long(t)
	t.Parallel()
	dir := t.TempDir()
	half := filepath.Join(dir, dataDir+".new", "mysql")
	if err := os.MkdirAll(half, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, socketName), nil, 0o600); err != nil { // a socket without a server
		t.Fatal(err)
	}
	db := openIn(t, dir)
	if got := all(t, db, "SELECT 1"); len(got) != 1 {
		t.Error(got)
	}
}

func TestDamagedDatadir(t *testing.T) {
	schematest.Tool(t, "mariadbd")
	dir := t.TempDir()
	data := filepath.Join(dir, dataDir)
	if err := os.Mkdir(data, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"ibdata1", "aria_log_control"} {
		if err := os.WriteFile(filepath.Join(data, name), []byte("not a database"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, err := Open(t.Context(), ServerOptions{Dir: dir, Memory: minPool})
	if fault, remedy := schema.FaultOf(err); fault != schema.FaultService || !strings.Contains(remedy, data) {
		t.Errorf("fault %v, remedy %q: %v", fault, remedy, err)
	}
	if err == nil || !strings.Contains(err.Error(), "ERROR") {
		t.Errorf("error without the server's log: %v", err)
	}
	if serverPID(dir) != 0 {
		t.Error("a server runs")
	}
}

func TestLongPath(t *testing.T) {
	schematest.Long(t)
	t.Parallel()
	dir := filepath.Join(t.TempDir(), strings.Repeat("long", 30))
	db := openIn(t, dir)
	_, leave := user(t, dir)
	leave()
	if got := all(t, db, "SELECT 1"); len(got) != 1 {
		t.Error(got)
	}
	folder := filepath.Dir(db.server.socket)
	if folder == dir {
		t.Errorf("socket in %s", folder)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(folder); err == nil {
		t.Errorf("%s is still there", folder)
	}
	if _, err := os.Lstat(filepath.Join(dir, socketName)); err == nil {
		t.Error("the link to the socket is still there")
	}
}

func TestForeignSocketFolder(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	dir := filepath.Join(temp, strings.Repeat("long", 30))
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	socket, err := socketPath(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Dir(socket), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := socketPath(dir); err == nil {
		t.Error("a folder that others can enter is used")
	}
}

func TestTwoFolders(t *testing.T) {
	schematest.Long(t)
	t.Parallel()
	one, two := openIn(t, t.TempDir()), openIn(t, t.TempDir())
	serve(t, one, "one", map[string]string{"Votes": vote1})
	serve(t, two, "two", map[string]string{"Votes": vote2})
	for want, db := range map[string]*DB{"one": one, "two": two} {
		if got, err := db.DumpKey(t.Context()); err != nil || got != want {
			t.Errorf("key %q, %v, want %q", got, err, want)
		}
	}
}

func TestJoinAtOnce(t *testing.T) {
	schematest.Long(t)
	t.Parallel()
	schematest.Tool(t, "mariadbd")
	dir := t.TempDir()
	var g errgroup.Group
	for range 4 {
		g.Go(func() error {
			db, err := Open(t.Context(), ServerOptions{Dir: dir, Memory: minPool})
			if err != nil {
				return err
			}
			return db.Close()
		})
	}
	if err := g.Wait(); err != nil {
		t.Error(err)
	}
	if serverPID(dir) != 0 {
		t.Error("a server is left")
	}
}

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"s2g/schema"
	"s2g/schema/schematest"
	"s2g/schema/tables"
)

// TestMain runs this test binary as s2g itself when a script calls s2g, and as
// the supervisor of a private server when s2g starts one.
func TestMain(m *testing.M) {
	tables.Supervise()
	testscript.Main(m, map[string]func(){"s2g": main})
}

// TestScripts runs the command line as its users do: testdata/script.
func TestScripts(t *testing.T) {
	schematest.Tool(t, "mariadbd")
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits":    exits,
			"commands": commands,
			"serve":    serve,
		},
		Setup: func(e *testscript.Env) error {
			// Go's own variables and PATH apart, a script starts with no environment
			monthly, err := filepath.Abs(filepath.Join("..", "..", "scripts", "monthly"))
			e.Vars = append(e.Vars, "HOME="+e.WorkDir, "TMPDIR="+os.TempDir(), "MONTHLY="+monthly, "S2G_DB_MEMORY="+testMemory)
			servers := map[string]*tables.DB{}
			e.Values[serversKey{}] = servers
			e.Defer(func() {
				for _, db := range servers {
					_ = db.Close() // the script has ended
				}
			})
			return err
		},
	})
}

// testMemory is the buffer pool of a test's private server. A large one takes longer to start.
const testMemory = "64MiB"

// serve OUT keeps the private server of a build running until the script ends, so that the commands that follow join it.
// ! serve OUT ends it.
func serve(ts *testscript.TestScript, stop bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: [!] serve OUT")
	}
	dir := filepath.Join(ts.MkAbs(args[0]), ".s2g")
	servers := ts.Value(serversKey{}).(map[string]*tables.DB)
	if stop {
		ts.Check(servers[dir].Close())
		delete(servers, dir)
		return
	}
	db, err := tables.Open(context.Background(), tables.Options{Dir: dir})
	ts.Check(err)
	servers[dir] = db
}

// serversKey is the key of a script's servers, by their folders.
type serversKey struct{}

// exits CODE COMMAND ARG... runs a command and holds its exit code.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND ARG...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// Only a signal makes an error an interruption: whatever else cancels the context, the error is reported as it is.
func TestInterruptionIsASignal(t *testing.T) {
	for _, c := range []struct {
		cause error
		err   error
		code  int
		says  string
	}{
		{errInterrupted, context.Canceled, 130, "interrupted"},
		{errInterrupted, errors.New("the server is gone"), 130, "it ended with: the server is gone"},
		{context.DeadlineExceeded, schema.Faultf(schema.FaultInput, "", "the dump is cut short"), 3, "the dump is cut short"},
		{errors.New("another"), fmt.Errorf("reading: %w", context.Canceled), 1, "reading: context canceled"},
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(c.cause)
		var stderr bytes.Buffer
		if code := newApp(io.Discard, &stderr).fail(ctx, c.err); code != c.code || !strings.Contains(stderr.String(), c.says) {
			t.Errorf("%v, canceled by %v: exit code %d, want %d\n%s", c.err, c.cause, code, c.code, stderr.String())
		}
	}
}

// A result that cannot be written is an error of every command, also of those that print without looking.
func TestFullStandardOutputIsTooLittleDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	schematest.Need(t, err == nil, "no /dev/full")
	defer full.Close()
	for _, args := range [][]string{{"languages"}, {"languages", "--json"}, {"--help"}, {"--version"}, {"completion", "bash"}, {"doctor"}} {
		var stderr bytes.Buffer
		if code := run(t.Context(), args, full, &stderr); code != 2 || !strings.Contains(stderr.String(), "disk full") {
			t.Errorf("%q: exit code %d\n%s", args, code, stderr.String())
		}
	}
}

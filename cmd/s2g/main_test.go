package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

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
		},
		Setup: func(e *testscript.Env) error {
			// Go's own variables and PATH apart, a script starts with no environment
			monthly, err := filepath.Abs(filepath.Join("..", "..", "scripts", "monthly"))
			e.Vars = append(e.Vars, "HOME="+e.WorkDir, "TMPDIR="+os.TempDir(), "MONTHLY="+monthly)
			return err
		},
	})
}

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

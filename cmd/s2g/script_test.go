package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/net/html"

	"s2g/graph/rdf4j"
	"s2g/graph/rdf4j/rdf4jtest"
	"s2g/schema/schematest"
	"s2g/schema/tables"
)

// TestScripts runs the command line as its users do: testdata/script.
func TestScripts(t *testing.T) {
	schematest.Tool(t, "mariadbd")
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits":    exits,
			"commands": commands,
			"serve":    serve,
			"hostile":  hostile,
		},
		Setup: func(e *testscript.Env) error {
			// Go's own variables and PATH apart, a script starts with no environment
			monthly, err := filepath.Abs(filepath.Join("..", "..", "scripts", "monthly"))
			e.Vars = append(e.Vars, "HOME="+e.WorkDir, "TMPDIR="+os.TempDir(), "MONTHLY="+monthly, "ALL_MEMORY="+allMemory())
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
	db, err := tables.Open(context.Background(), tables.ServerOptions{Dir: dir, Access: tables.Load})
	ts.Check(err)
	servers[dir] = db
}

// serversKey is the key of a script's servers, by their folders.
type serversKey struct{}

// exits CODE COMMAND ARG... runs a command and fails unless that is its exit code.
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

// hostile FILE fails unless a file, or stdout, has a character that a terminal interprets. ! hostile FILE fails if it has.
func hostile(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: [!] hostile FILE")
	}
	text := ts.ReadFile(args[0])
	if text == "" {
		ts.Fatalf("%s is empty", args[0])
	}
	bad := regexp.MustCompile(`[\x00-\x08\x0b-\x1f\x7f-\x{9f}\x{61c}\x{200e}\x{200f}\x{2028}-\x{202e}\x{2066}-\x{2069}]`).FindString(text)
	if (bad == "") != neg {
		ts.Fatalf("%s has %q", args[0], bad)
	}
}

// shellWord is a word of a command, or what is in quotes.
var shellWord = regexp.MustCompile(`'[^']*'|"[^"]*"|[^\s'"]+`)

// commands FILE OUT parses the commands that a page shows: the elements code that begin with s2g, with OUT for the folder.
func commands(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: commands FILE OUT")
	}
	root, err := html.Parse(strings.NewReader(ts.ReadFile(args[0])))
	ts.Check(err)
	found := 0
	for n := range root.Descendants() {
		if n.Data != "code" || n.FirstChild == nil || !strings.HasPrefix(n.FirstChild.Data, "s2g ") {
			continue
		}
		words := shellWord.FindAllString(strings.ReplaceAll(n.FirstChild.Data, "OUT", args[1]), -1)
		top := newApp(io.Discard, io.Discard).root
		cmd, rest, err := top.Find(words[1:])
		ts.Check(err)
		if cmd == top || !cmd.Runnable() {
			ts.Fatalf("no such command: %s", n.FirstChild.Data)
		}
		ts.Check(cmd.ParseFlags(rest))
		ts.Check(cmd.ValidateArgs(cmd.Flags().Args()))
		found++
	}
	if found < 4 {
		ts.Fatalf("%s shows %d commands", args[0], found)
	}
}

// TestGraphDB runs the command line with GraphDB's engine: testdata/graphdb. A
// script finds its address as GRAPHDB, and in REPOSITORY a name that no other has.
func TestGraphDB(t *testing.T) {
	schematest.Long(t)
	schematest.Tool(t, "mariadbd")
	server := rdf4jtest.Open(t)
	testscript.Run(t, testscript.Params{
		Dir:  "testdata/graphdb",
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){"exits": exits, "update": update},
		Setup: func(e *testscript.Env) error {
			e.Vars = append(e.Vars, "HOME="+e.WorkDir, "TMPDIR="+os.TempDir(), "GRAPHDB="+server.URL, "REPOSITORY="+server.Name(t))
			return nil
		},
	})
}

// update SPARQL changes the repository.
func update(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: update SPARQL")
	}
	client, err := rdf4j.New(rdf4j.Config{URL: ts.Getenv("GRAPHDB")})
	ts.Check(err)
	defer client.Close()
	ctx := context.Background()
	tx, err := client.Repository(ts.Getenv("REPOSITORY")).Begin(ctx)
	ts.Check(err)
	ts.Check(tx.Update(ctx, args[0]))
	ts.Check(tx.Commit(ctx))
}

package main

import (
	"context"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"s2g/graph/rdf4j"
	"s2g/graph/rdf4j/rdf4jtest"
	"s2g/schema/schematest"
)

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

// update SPARQL changes what the repository holds.
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

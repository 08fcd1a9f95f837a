package tables

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"s2g/schema"
	"s2g/schema/schematest"
)

func TestMain(m *testing.M) {
	Supervise()
	actAsUser()
	code := m.Run()
	if err := stopShared(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// shared is the server of the tests that need no server of their own: starting one
// for each would take most of their time.
var shared struct {
	sync.Mutex
	dir       string
	server    *DB
	databases int
}

// open returns an empty database on the shared server.
func open(t testing.TB) *DB {
	t.Helper()
	schematest.Tool(t, "mariadbd")
	shared.Lock()
	defer shared.Unlock()
	if shared.server == nil {
		dir, err := os.MkdirTemp("", "s2g-tables-test")
		if err != nil {
			t.Fatal(err)
		}
		shared.dir = dir
		if shared.server, err = Open(background, ServerOptions{Dir: dir, Memory: minPool, Access: Load, Data: 1}); err != nil {
			t.Fatal(err)
		}
	}
	shared.databases++
	name := fmt.Sprintf("test%d", shared.databases)
	if _, err := shared.server.SQL().Exec("CREATE DATABASE " + name + " CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin"); err != nil {
		t.Fatal(err)
	}
	db, err := Open(t.Context(), ServerOptions{DSN: socketConfig(shared.server.server.socket, name).FormatDSN(), Access: Load})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func stopShared() error {
	if shared.server == nil {
		return nil
	}
	return errors.Join(shared.server.Close(), os.RemoveAll(shared.dir))
}

// openIn starts a private server in dir for loads, or joins the one that runs there.
func openIn(t testing.TB, dir string) *DB {
	t.Helper()
	return openFor(t, dir, Load)
}

// openFor is openIn for any access.
func openFor(t testing.TB, dir string, access Access) *DB {
	t.Helper()
	schematest.Tool(t, "mariadbd")
	db, err := Open(t.Context(), ServerOptions{Dir: dir, Access: access, Memory: minPool, Data: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// table returns a table of the schema.
func table(t testing.TB, name string) schema.Table {
	t.Helper()
	found, ok := schema.TableByName(name)
	if !ok {
		t.Fatalf("no table %s", name)
	}
	return found
}

// serve puts rows, in TSV, in service.
func serve(t testing.TB, db *DB, key string, rows map[string]string) {
	t.Helper()
	var ts []schema.Table
	for name, tsv := range rows {
		tb := table(t, name)
		ts = append(ts, tb)
		if err := db.Stage(t.Context(), tb); err != nil {
			t.Fatal(err)
		}
		if _, err := db.Load(t.Context(), tb, strings.NewReader(tsv)); err != nil {
			t.Fatal(err)
		}
		if err := db.Index(t.Context(), tb); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Swap(t.Context(), key, ts); err != nil {
		t.Fatal(err)
	}
}

// all returns a query's rows, NULL as \N.
func all(t testing.TB, db *DB, query string, args ...any) [][]string {
	t.Helper()
	rows, err := db.Query(t.Context(), query, args...)
	if err != nil {
		t.Fatal(err)
	}
	var got [][]string
	for rows.Scan() {
		var r []string
		for _, b := range rows.Record() {
			if b == nil {
				r = append(r, `\N`)
			} else {
				r = append(r, string(b))
			}
		}
		got = append(got, r)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		t.Fatal(err)
	}
	return got
}

var background = context.Background()

package tables

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"s2g/schema"
	"s2g/schema/schematest"
)

func TestMain(m *testing.M) {
	Supervise()
	actAsUser()
	os.Exit(m.Run())
}

// open starts a private server in a folder of the test's own.
func open(t testing.TB) *DB {
	t.Helper()
	return openIn(t, t.TempDir())
}

func openIn(t testing.TB, dir string) *DB {
	t.Helper()
	schematest.Tool(t, "mariadbd")
	db, err := Open(t.Context(), Options{Dir: dir, Memory: minPool})
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

// serve puts rows, given as TSV, in service.
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

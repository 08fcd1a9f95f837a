// Package tablestest starts MariaDB servers for tests. The start and stop of a
// server take longer than most tests, so the tests of a package share one.
package tablestest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/go-sql-driver/mysql"

	"s2g/schema/schematest"
	"s2g/schema/tables"
)

// defaultMemory is the buffer pool of a server in bytes. A large one takes longer to
// start.
const defaultMemory = 64 << 20

// Server is the server of a package's tests. It starts at its first use and ends with
// Main, which must be the package's TestMain.
type Server struct {
	Memory int64 // buffer pool in bytes; 0: 64 MiB

	once sync.Once
	dir  string
	db   *tables.DB
	err  error

	mu        sync.Mutex
	databases int
}

// Main runs the tests of a package, stops the server and ends the process.
func (s *Server) Main(m *testing.M) {
	tables.Supervise()
	code := m.Run()
	if s.db != nil {
		if err := errors.Join(s.db.Close(), os.RemoveAll(s.dir)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// Open returns the server's own database, which still has the tables of the
// previous test. It is for tests that run one after the other.
func (s *Server) Open(t testing.TB) *tables.DB {
	t.Helper()
	schematest.Tool(t, "mariadbd")
	s.once.Do(func() {
		if s.dir, s.err = os.MkdirTemp("", "s2g-test"); s.err == nil {
			s.db, s.err = tables.Open(context.Background(), tables.ServerOptions{Dir: s.dir, Memory: cmp.Or(s.Memory, defaultMemory), Access: tables.Load, Data: 1})
		}
	})
	if s.err != nil {
		t.Fatal(s.err)
	}
	return s.db
}

// Dir returns the folder of the server's data, after the first Open.
func (s *Server) Dir() string { return s.dir }

// Database returns an empty database of the test's own on the server, until the test
// ends.
func (s *Server) Database(t testing.TB) *tables.DB {
	t.Helper()
	server := s.Open(t)
	s.mu.Lock()
	s.databases++
	name := fmt.Sprintf("test%d", s.databases)
	s.mu.Unlock()
	if _, err := server.SQL().Exec("CREATE DATABASE " + name + " CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin"); err != nil {
		t.Fatal(err)
	}
	cfg, err := mysql.ParseDSN(server.DSN())
	if err != nil {
		t.Fatal(err)
	}
	cfg.DBName = name
	return open(t, tables.ServerOptions{DSN: cfg.FormatDSN(), Access: tables.Load})
}

// Open starts a server that ends with the test. The package's TestMain must call
// [tables.Supervise].
func Open(t testing.TB) *tables.DB {
	t.Helper()
	schematest.Tool(t, "mariadbd")
	return open(t, tables.ServerOptions{Dir: t.TempDir(), Memory: defaultMemory, Access: tables.Load, Data: 1})
}

func open(t testing.TB, o tables.ServerOptions) *tables.DB {
	t.Helper()
	db, err := tables.Open(t.Context(), o)
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

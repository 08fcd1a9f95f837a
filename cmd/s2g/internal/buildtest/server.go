package buildtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"

	"s2g/schema/schematest"
	"s2g/schema/tables"
)

const serverMemory = 64 << 20

// Open starts a private server that ends with the test. The test's TestMain
// must call [tables.Supervise].
func Open(t testing.TB) *tables.DB {
	t.Helper()
	schematest.Tool(t, "mariadbd")
	db, err := tables.Open(t.Context(), tables.Options{Dir: t.TempDir(), Memory: serverMemory})
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

// SharedServer is a server for all tests of a package that run one after the other: to
// start and stop one takes longer than most of them. TestMain is its Main.
type SharedServer struct {
	once sync.Once
	dir  string
	db   *tables.DB
	err  error
}

// Open starts the server at its first use. The tables are those that the test
// before has left.
func (s *SharedServer) Open(t testing.TB) *tables.DB {
	t.Helper()
	schematest.Tool(t, "mariadbd")
	s.once.Do(func() {
		if s.dir, s.err = os.MkdirTemp("", "s2g-test"); s.err == nil {
			s.db, s.err = tables.Open(context.Background(), tables.Options{Dir: s.dir, Memory: serverMemory})
		}
	})
	if s.err != nil {
		t.Fatal(s.err)
	}
	return s.db
}

// Main runs the tests of a package, and ends the process.
func (s *SharedServer) Main(m *testing.M) {
	tables.Supervise()
	code := m.Run()
	if err := s.close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// close stops the server, if one was started, and removes its data.
func (s *SharedServer) close() error {
	if s.db == nil {
		return nil
	}
	return errors.Join(s.db.Close(), os.RemoveAll(s.dir))
}

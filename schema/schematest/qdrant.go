package schematest

import (
	"os"
	"testing"
)

// Qdrant returns the address of a Qdrant server for a test: the one that
// S2G_TEST_QDRANT names, which other tests may use at the same time, or one that ends
// with the test. Without either it skips the test (see [Need]).
func Qdrant(t testing.TB) string {
	t.Helper()
	if address := os.Getenv("S2G_TEST_QDRANT"); address != "" {
		return address
	}
	return StartQdrant(t).Address
}

// StartQdrant starts Qdrant's engine behind its gRPC API, on data that outlives it, or
// skips the test (see [Need]).
func StartQdrant(t testing.TB) *Server {
	t.Helper()
	return startServer(t, "qdrant", "--dir", t.TempDir())
}

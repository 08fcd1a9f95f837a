package oracle_test

import (
	"testing"
	"time"

	"s2g/cmd/s2g/internal/buildtest"
	"s2g/cmd/s2g/internal/oracle"
	"s2g/schema"
)

// A server that is lost is a service that failed (exit 4), whenever it is lost.
func TestLostServer(t *testing.T) {
	db := buildtest.Open(t)
	buildtest.Load(t, db, "testdata/mini")
	v := compute(t, db, oracle.Options{})
	conn, err := db.SQL().Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	// the scan of comments waits for the lock, and is under way when the server goes
	if _, err := conn.ExecContext(t.Context(), "LOCK TABLES Comments WRITE"); err != nil {
		t.Fatal(err)
	}
	during := make(chan error, 1)
	go func() {
		_, err := oracle.Compute(t.Context(), db, oracle.Options{Lanes: 2})
		during <- err
	}()
	const waiting = "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE STATE LIKE 'Waiting for table%' AND INFO LIKE '%FROM Comments%'"
	for n, end := 0, time.Now().Add(20*time.Second); n == 0; {
		if err := conn.QueryRowContext(t.Context(), waiting).Scan(&n); err != nil || time.Now().After(end) {
			t.Fatalf("no scan waits: %v", err)
		}
	}
	_, _ = conn.ExecContext(t.Context(), "SHUTDOWN") // the answer may be lost with the server
	_, before := oracle.Compute(t.Context(), db, oracle.Options{})
	score, _ := oracle.Named("score")
	listing := v.Texts(t.Context(), 0, score, func([]byte, oracle.Tally) {})
	for when, err := range map[string]error{"during a scan": <-during, "before": before, "of a listing": listing} {
		if fault, remedy := schema.FaultOf(err); err == nil || fault != schema.FaultService || remedy == "" {
			t.Errorf("%s: fault %v, remedy %q: %v", when, fault, remedy, err)
		}
	}
}

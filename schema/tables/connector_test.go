package tables

import (
	"strings"
	"testing"

	"s2g/schema"
)

func TestParseDSN(t *testing.T) {
	cfg, err := parseDSN("me:secret@tcp(db.example:3307)/dump?tls=skip-verify&sql_mode=''&loc=Local")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := publicDSN(cfg), "me@tcp(db.example:3307)/dump?tls=skip-verify"; got != want {
		t.Errorf("shown as %q, want %q", got, want)
	}
	for _, bad := range []string{"me:secret@tcp(db.example:3307)/", "secret", "me:secret@tcp(db.example/dump"} {
		_, err := parseDSN(bad)
		if fault, _ := schema.FaultOf(err); fault != schema.FaultUsage || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: fault %v: %v", bad, fault, err)
		}
	}
}

// The shared server of the tests is opened as a user's server.
func TestUserServerIsOpenedByItsDSN(t *testing.T) {
	open(t)
	private := shared.server
	if _, err := private.SQL().Exec("CREATE DATABASE theirs"); err != nil {
		t.Fatal(err)
	}
	defer private.SQL().Exec("DROP DATABASE theirs")
	cfg := socketConfig(private.server.socket, "theirs")
	db, err := Open(t.Context(), ServerOptions{DSN: cfg.FormatDSN() + "?parseTime=true&sql_mode=''", Access: Load})
	if err != nil {
		t.Fatal(err)
	}
	serve(t, db, "key", map[string]string{"Votes": vote1})
	if got := all(t, db, "SELECT CreationDate, @@sql_mode LIKE '%STRICT%', @@time_zone FROM Votes"); strings.Join(got[0], " ") != "2008-07-31 00:00:00.000 1 +00:00" {
		t.Error(got)
	}
	if rss := db.PeakRSS(); rss != 0 {
		t.Errorf("peak memory of a user's server: %d", rss)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if key, err := private.DumpKey(t.Context()); key != "" || err != nil {
		t.Errorf("another database was touched: %q, %v", key, err)
	}
	_, err = Open(t.Context(), ServerOptions{DSN: "me:secret@unix(/nowhere/socket)/dump"})
	if fault, _ := schema.FaultOf(err); fault != schema.FaultService || strings.Contains(err.Error(), "secret") {
		t.Errorf("no server: fault %v: %v", fault, err)
	}
}

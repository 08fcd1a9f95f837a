package tables

import (
	"errors"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"s2g/schema"
)

func TestCheckVersion(t *testing.T) {
	for version, good := range map[string]bool{
		"10.6.0-MariaDB":             true,
		"10.11.19-MariaDB-0+deb12u1": true,
		"12.0.2-MariaDB-ubu2404":     true,
		"5.5.5-10.6.16-MariaDB-log":  true, // behind a proxy
		"10.5.29-MariaDB-0+deb11u1":  false,
		"5.5.5-10.5.29-MariaDB":      false,
		"5.5.68-MariaDB":             false,
		"8.0.36":                     false, // MySQL
		"8.0.36-0ubuntu0.22.04.1":    false,
		"9.1.0-cluster":              false,
		"":                           false,
	} {
		err := checkVersion(version)
		if (err == nil) != good {
			t.Errorf("%s: %v", version, err)
		}
		if fault, remedy := schema.FaultOf(err); err != nil && (fault != schema.FaultUsage || !strings.Contains(remedy, "10.6")) {
			t.Errorf("%s: fault %v, remedy %q", version, fault, remedy)
		}
	}
}

func TestProgramVersion(t *testing.T) {
	for out, want := range map[string]string{
		"mariadbd  Ver 10.11.6-MariaDB-0+deb12u1 for debian-linux-gnu on x86_64 (Debian 12)": "10.11.6-MariaDB-0+deb12u1",
		"/usr/sbin/mysqld  Ver 8.0.36 for Linux on x86_64 (MySQL Community Server - GPL)":    "8.0.36",
		"": "",
	} {
		if got := programVersion(out); got != want {
			t.Errorf("%q: %q, want %q", out, got, want)
		}
	}
}

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

func TestClassify(t *testing.T) {
	for _, c := range []struct {
		err  error
		want schema.Fault
	}{
		{nil, schema.FaultOurs},
		{errors.New("other"), schema.FaultOurs},
		{&mysql.MySQLError{Number: 1064}, schema.FaultOurs}, // syntax
		{&mysql.MySQLError{Number: 1045}, schema.FaultUsage},
		{&mysql.MySQLError{Number: 1021}, schema.FaultResources},
		{&mysql.MySQLError{Number: 1317}, schema.FaultService},
		{mysql.ErrInvalidConn, schema.FaultService},
		{schema.Faultf(schema.FaultInput, "", "kept: %w", mysql.ErrInvalidConn), schema.FaultInput},
	} {
		got := classify(c.err)
		if fault, _ := schema.FaultOf(got); fault != c.want || !errors.Is(got, c.err) {
			t.Errorf("%v: fault %v, want %v", c.err, fault, c.want)
		}
	}
}

// A server of the user's is played by a private one, reached as any other.
func TestUsersServer(t *testing.T) {
	private := openIn(t, t.TempDir())
	if _, err := private.SQL().Exec("CREATE DATABASE theirs"); err != nil {
		t.Fatal(err)
	}
	cfg := socketConfig(private.server.socket, "theirs")
	db, err := Open(t.Context(), Options{DSN: cfg.FormatDSN() + "?parseTime=true&sql_mode=''"})
	if err != nil {
		t.Fatal(err)
	}
	serve(t, db, "key", map[string]string{"Votes": vote1})
	if got := all(t, db, "SELECT CreationDate, @@sql_mode LIKE '%STRICT%', @@time_zone FROM Votes"); strings.Join(got[0], " ") != "2008-07-31 00:00:00.000 1 +00:00" {
		t.Error(got)
	}
	if rss := db.PeakRSS(); rss != 0 {
		t.Errorf("peak memory of a server that is not ours: %d", rss)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if key, err := private.DumpKey(t.Context()); key != "" || err != nil {
		t.Errorf("another database was touched: %q, %v", key, err)
	}
	_, err = Open(t.Context(), Options{DSN: "me:secret@unix(/nowhere/socket)/dump"})
	if fault, _ := schema.FaultOf(err); fault != schema.FaultService || strings.Contains(err.Error(), "secret") {
		t.Errorf("no server: fault %v: %v", fault, err)
	}
}

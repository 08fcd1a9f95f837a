package tables

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

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

// A program named mariadbd must be a MariaDB before it may create files.
func TestOpenRejectsOtherPrograms(t *testing.T) {
	for version, says := range map[string]string{
		"Ver 8.0.36 for Linux on x86_64 (MySQL Community Server - GPL)": "not MariaDB",
		"Ver 10.5.29-MariaDB for Linux on x86_64":                       "too old",
	} {
		bin, dir := t.TempDir(), t.TempDir()
		script := fmt.Sprintf("#!/bin/sh\necho \"$0  %s\"\n", version)
		if err := os.WriteFile(filepath.Join(bin, "mariadbd"), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
		_, err := Open(t.Context(), ServerOptions{Dir: dir})
		fault, remedy := schema.FaultOf(err)
		if fault != schema.FaultUsage || !strings.Contains(err.Error(), says) || !strings.Contains(remedy, "10.6") {
			t.Errorf("%s: fault %v, remedy %q: %v", version, fault, remedy, err)
		}
		if _, err := os.Stat(filepath.Join(dir, dataDir)); err == nil {
			t.Errorf("%s: it has a datadir", version)
		}
	}
}

package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	mysql "github.com/go-sql-driver/mysql"

	"s2g/schema"
)

func TestMasked(t *testing.T) {
	for _, test := range []struct{ flag, value, want string }{
		{"dsn", "joe:sesame@tcp(db:3306)/so", "joe:***@tcp(db:3306)/so"},
		{"dsn", "joe@unix(/run/m.sock)/so", "joe@unix(/run/m.sock)/so"},
		{"dsn", "sesame", "***"}, // no DSN: nobody knows what is secret in it
		{"dense", "openai+https://joe:sesame@a/v1,https://b/v1?model=m&api_key=sesame", "openai+https://***@a/v1,https://b/v1?model=m&api_key=***"},
		{"graphdb", "https://joe:sesame@graph:7200/", "https://***@graph:7200/"},
		{"dense", "openai+http://a/v1?model=m&max_tokens=512", "openai+http://a/v1?model=m&max_tokens=512"},
		{"out", "/srv/key=value?x", "/srv/key=value?x"},
	} {
		if got := Masked(test.flag, test.value); got != test.want {
			t.Errorf("--%s %s is masked as %s, want %s", test.flag, test.value, got, test.want)
		}
	}
}

// Messages leave out what the environment and the files of secrets hold, and print MariaDB's text on one line.
func TestMessages(t *testing.T) {
	s := Secrets([]string{"S2G_DSN=joe:sesame-1@tcp(db:3306)/so", "OPENAI_API_KEY=sesame-2", "S2G_GRAPHDB_TOKEN=GDB sesame-3", "S2G_OUT=kept-4", "HOME=kept-5"},
		map[string]string{"S2G_QDRANT_API_KEY": "sesame-6"})
	server := &mysql.MySQLError{Number: 1045, Message: "Access denied\x1b[31m (using password: YES)\r\ns2g: done sesame-1"}
	for _, c := range []struct {
		err  error
		want string
	}{
		{errors.New("sesame-1 sesame-2 GDB sesame-3 sesame-6 kept-4 kept-5"), "*** *** *** *** kept-4 kept-5"},
		{errors.New("first\nsecond\x00\u202e"), "first\nsecond"},
		{fmt.Errorf("connecting: %w", server), "connecting: Error 1045: Access denied[31m (using password: YES) s2g: done ***"},
	} {
		if got := Message(c.err, s); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	if got := Message(errors.New("joe:sesame-1@nowhere sesame-1"), Secrets([]string{"S2G_DSN=joe:sesame-1@nowhere"}, nil)); got != "*** ***" {
		t.Errorf("a malformed DSN: %q", got)
	}
}

func TestSecretFiles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte("sesame\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := SecretFiles([]string{"S2G_DSN_FILE=" + file, "S2G_DENSE_API_KEY_FILE=" + file, "S2G_OUT_FILE=" + file, "S2G_QDRANT_API_KEY_FILE=", "DSN_FILE=nowhere"})
	if err != nil || len(got) != 2 || got["S2G_DSN"] != "sesame" || got["S2G_DENSE_API_KEY"] != "sesame" {
		t.Errorf("%v, %v", got, err)
	}
	t.Setenv("S2G_DSN", "x")
	for _, entry := range []string{"S2G_DSN_FILE=" + file, "S2G_DENSE_API_KEY_FILE=nowhere"} {
		if _, err := SecretFiles([]string{entry}); err == nil {
			t.Errorf("%s is taken", entry)
		} else if fault, _ := schema.FaultOf(err); fault != schema.FaultUsage {
			t.Errorf("%s: %v", entry, err)
		}
	}
}

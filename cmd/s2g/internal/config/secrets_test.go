package config

import (
	"os"
	"path/filepath"
	"testing"

	"s2g/schema"
)

func TestMasked(t *testing.T) {
	for _, test := range []struct{ flag, value, want string }{
		{"dsn", "joe:sesame@tcp(db:3306)/so", "joe:***@tcp(db:3306)/so"},
		{"dsn", "joe@unix(/run/m.sock)/so", "joe@unix(/run/m.sock)/so"},
		{"dsn", "sesame", "***"}, // no DSN: nobody knows what is secret in it
		{"dense", "openai+https://joe:sesame@a/v1,https://b/v1?model=m&api_key=sesame", "openai+https://***@a/v1,https://b/v1?model=m&api_key=***"},
		{"graphdb", "https://joe:sesame@graph:7200/", "https://***@graph:7200/"},
		{"out", "/srv/key=value?x", "/srv/key=value?x"},
	} {
		if got := Masked(test.flag, test.value); got != test.want {
			t.Errorf("--%s %s is masked as %s, want %s", test.flag, test.value, got, test.want)
		}
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

package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"s2g/schema/schematest"
)

// A build examines its endpoints before the stages that precede the vectors: hours of work do not end at a wrong port.
func TestBuildChecksEndpointsFirst(t *testing.T) {
	dir := t.TempDir()
	dump, out := filepath.Join(dir, "dump"), filepath.Join(dir, "build")
	s2gExits(t, 0, "sample", "--posts", "30", "--out", dump)
	address := webServer(page(http.StatusOK, "Sign in"))(t)
	for _, option := range []string{"--dense=openai+http://" + address + "/v1?model=m", "--sparse=bgem3+http://" + address + "?model=m"} {
		_, said := s2gExits(t, 4, "build", "--dump", dump, "--out", out, option)
		mustContain(t, said, "Sign in", "endpoint")
		if strings.Contains(said, "ingest begins") {
			t.Errorf("%s: a stage ran:\n%s", option, said)
		}
		if _, err := os.Stat(filepath.Join(out, "manifest.json")); err == nil {
			t.Errorf("%s: there is a manifest", option)
		}
	}
}

// A key in the file of S2G_DENSE_API_KEY_FILE reaches the endpoint from each command that embeds.
func TestKeyInAFileReachesTheEndpoint(t *testing.T) {
	schematest.Long(t)
	const key = "the-key-of-the-endpoint"
	models := newPaperModels(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+key {
			http.Error(w, "no key", http.StatusUnauthorized)
			return
		}
		models.serve(w, r)
	}))
	t.Cleanup(server.Close)
	dir := t.TempDir()
	file, dump, out := filepath.Join(dir, "key"), filepath.Join(dir, "dump"), filepath.Join(dir, "build")
	if err := os.WriteFile(file, []byte(key+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("S2G_DENSE_API_KEY_FILE", file)
	s2g(t, "sample", "--posts", "60", "--out", dump)
	s2g(t, "build", "--dump", dump, "--out", out, "--dense", "openai+"+server.URL+"/v1?model=nomic-ai/nomic-embed-code", "--quiet")
	s2g(t, "verify", "--out", out, "--sample", "5")
	s2g(t, "search", "--out", out, "merge two lists")
	s2g(t, "eval", "--out", out, "--sample", "10")
}

package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
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

package main

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"s2g/cmd/s2g/internal/plan"
	"s2g/graph/rdf4j/rdf4jtest"
	"s2g/schema/schematest"
)

// examined runs doctor and returns the services that it found, by name.
func examined(t *testing.T, code int, args ...string) (services map[string]plan.Service, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	if got := run(t.Context(), append([]string{"doctor", "--json"}, args...), &out, &errs); got != code {
		t.Fatalf("doctor %q: exit code %d, want %d\n%s", args, got, code, errs.String())
	}
	var e plan.Examination
	if err := json.Unmarshal(out.Bytes(), &e); err != nil {
		t.Fatalf("%v: %s", err, out.String())
	}
	services = map[string]plan.Service{}
	for _, s := range e.Services {
		services[s.Name] = s
	}
	return services, errs.String()
}

func TestDoctorProbesServers(t *testing.T) {
	schematest.Long(t)
	graph := rdf4jtest.Open(t)
	services, _ := examined(t, 0, "--qdrant", schematest.Qdrant(t), "--graphdb", graph.URL)
	if s := services["Qdrant"]; s.Missing != "" || !strings.Contains(s.Answer, "version 1.") {
		t.Errorf("%+v", s)
	}
	if s := services["GraphDB"]; s.Missing != "" || !strings.Contains(s.Answer, "RDF4J protocol") || s.Address != graph.URL {
		t.Errorf("%+v", s)
	}
	if len(services) != 2 {
		t.Errorf("asked: %v", services)
	}
}

func TestDoctorProbesEmbedders(t *testing.T) {
	schematest.Long(t)
	server := schematest.StartEmbedder(t)
	spec := "openai+http://" + server.Address + "/v1?model=all-MiniLM-L6-v2"
	services, _ := examined(t, 0, "--dense", spec)
	if s := services["dense vectors"]; s.Missing != "" || !strings.Contains(s.Answer, "384 dimensions") {
		t.Errorf("%+v", s)
	}
}

// A server that does not answer is named, with exit code 4.
func TestDoctorNamesServersThatDoNotAnswer(t *testing.T) {
	address := schematest.DeadAddress(t)
	t.Run("group", func(t *testing.T) {
		for name, args := range map[string][]string{
			"Qdrant":         {"--qdrant", address},
			"GraphDB":        {"--graphdb", "http://" + address},
			"MariaDB":        {"--dsn", "joe@tcp(" + address + ")/so"},
			"dense vectors":  {"--dense", "openai+http://" + address + "/v1?model=m"},
			"sparse vectors": {"--sparse", "bgem3+http://" + address + "?model=m"},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				services, stderr := examined(t, 4, args...)
				if s := services[name]; s.Missing == "" || !strings.Contains(stderr, name) {
					t.Errorf("%+v\n%s", services, stderr)
				}
			})
		}
	})
	// without servers among the options no server is needed
	if services, _ := examined(t, 0, "--out", filepath.Join(t.TempDir(), "o")); len(services) != 0 {
		t.Errorf("asked: %v", services)
	}
	// secrets are not printed
	t.Setenv("S2G_DSN", "joe:sesame@tcp("+address+")/so")
	if services, stderr := examined(t, 4); strings.Contains(stderr, "sesame") || services["MariaDB"].Address != "joe:***@tcp("+address+")/so" {
		t.Errorf("%+v\n%s", services, stderr)
	}
}

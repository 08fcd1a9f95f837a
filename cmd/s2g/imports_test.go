package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// imports is what each package of the table in docs/design.md may import of the
// project, beside schema. cmd/s2g itself may import all.
var imports = map[string][]string{
	"s2g/schema":            {},
	"s2g/schema/schematest": {},
	"s2g/schema/vocab":      {},
	"s2g/schema/manifest":   {"s2g/schema/memory", "s2g/schema/private", "s2g/schema/vocab"},
	"s2g/schema/memory":     {},
	"s2g/schema/remote":     {},
	"s2g/schema/retry":      {},
	"s2g/schema/tables":     {"s2g/schema/memory", "s2g/schema/private", "s2g/schema/remote"},
	"s2g/schema/private":    {},
	"s2g/schema/projection": {"s2g/schema/tables"},
	"s2g/schema/threads":    {"s2g/schema/projection", "s2g/schema/tables"},
	"s2g/schema/postscan":   {"s2g/schema/tables"},
	"s2g/ingest/dump":       {"s2g/schema/private"},
	"s2g/ingest":            {"s2g/ingest/dump", "s2g/schema/projection", "s2g/schema/tables", "s2g/schema/manifest"},
	"s2g/graph/trig":        {},
	"s2g/graph/rdf4j":       {"s2g/schema/remote"},
	"s2g/graph":             {"s2g/graph/trig", "s2g/schema/vocab", "s2g/schema/tables", "s2g/schema/threads", "s2g/schema/postscan", "s2g/schema/projection", "s2g/schema/manifest"},
	"s2g/vectors/text":      {},
	"s2g/vectors/embed":     {"s2g/schema/remote", "s2g/schema/retry"},
	"s2g/vectors/shard":     {"s2g/schema/manifest"},
	"s2g/vectors/search":    {"s2g/vectors/text", "s2g/vectors/embed", "s2g/vectors/shard", "s2g/schema/manifest", "s2g/schema/tables", "s2g/schema/vocab"},
	"s2g/vectors/qdrant":    {"s2g/vectors/search", "s2g/vectors/shard", "s2g/schema/remote", "s2g/schema/retry"},
	"s2g/vectors/eval":      {"s2g/vectors", "s2g/vectors/text", "s2g/vectors/embed", "s2g/vectors/search", "s2g/schema/manifest", "s2g/schema/tables", "s2g/schema/threads"},
	"s2g/vectors":           {"s2g/vectors/text", "s2g/vectors/embed", "s2g/vectors/shard", "s2g/schema/vocab", "s2g/schema/tables", "s2g/schema/threads", "s2g/schema/postscan", "s2g/schema/manifest"},

	"s2g/graph/rdf4j/rdf4jtest":    {"s2g/schema/schematest"},
	"s2g/schema/tables/tablestest": {"s2g/schema/schematest", "s2g/schema/tables"},
	"s2g/graph/graphdb":            {"s2g/graph/rdf4j", "s2g/graph/trig", "s2g/schema/manifest", "s2g/schema/remote", "s2g/schema/retry", "s2g/schema/vocab"},
	"s2g/ingest/sample":            {},

	"s2g/cmd/s2g":                  nil, // all
	"s2g/cmd/s2g/internal/config":  {internal + "commandline", internal + "spelling", "s2g/schema/remote"},
	"s2g/cmd/s2g/internal/metrics": {internal + "verify", "s2g/schema/manifest"},
	"s2g/cmd/s2g/internal/build": {internal + "publish", internal + "spelling", "s2g/graph", "s2g/ingest", "s2g/ingest/dump", "s2g/schema/manifest", "s2g/schema/memory", "s2g/schema/postscan", "s2g/schema/projection", "s2g/schema/tables", "s2g/schema/threads", "s2g/schema/vocab", "s2g/vectors",
		"s2g/vectors/embed", "s2g/vectors/qdrant"}, // never plan, which reads its state
	"s2g/cmd/s2g/internal/plan": {internal + "build", internal + "config", "s2g/graph/graphdb", "s2g/graph/rdf4j", "s2g/ingest", "s2g/ingest/dump", "s2g/schema/manifest", "s2g/schema/memory", "s2g/schema/postscan", "s2g/schema/remote", "s2g/schema/tables", "s2g/schema/vocab", "s2g/vectors/embed",
		"s2g/vectors/qdrant"},
	"s2g/cmd/s2g/internal/oracle":      {"s2g/schema/tables", "s2g/schema/vocab"}, // never graph, vectors or what they build on
	"s2g/cmd/s2g/internal/textgrid":    {},
	"s2g/cmd/s2g/internal/progress":    {internal + "build", "s2g/schema/manifest"},
	"s2g/cmd/s2g/internal/spelling":    {},
	"s2g/cmd/s2g/internal/summary":     {internal + "build", internal + "terminal", "s2g/schema/remote"},
	"s2g/cmd/s2g/internal/commandline": {internal + "spelling", internal + "terminal"},
	"s2g/cmd/s2g/internal/destination": {internal + "build", internal + "summary", internal + "verify", "s2g/graph/graphdb", "s2g/graph/rdf4j", "s2g/schema/manifest", "s2g/vectors/qdrant"},
	"s2g/cmd/s2g/internal/terminal":    {"s2g/schema/remote"},
	"s2g/cmd/s2g/internal/searchpage":  {internal + "terminal", "s2g/schema/remote", "s2g/vectors/search"},
	"s2g/cmd/s2g/internal/stats":       {internal + "oracle", internal + "textgrid", "s2g/graph", "s2g/schema/manifest", "s2g/schema/tables", "s2g/schema/vocab"},
	"s2g/cmd/s2g/internal/publish":     {"s2g/schema/manifest", "s2g/schema/vocab", "s2g/vectors/shard"},
	"s2g/cmd/s2g/internal/diff":        {internal + "textgrid", "s2g/graph/trig", "s2g/schema/manifest", "s2g/schema/vocab", "s2g/vectors/shard"},
	"s2g/cmd/s2g/internal/report": {internal + "stats", internal + "terminal", "s2g/graph/trig", "s2g/ingest", "s2g/schema/manifest", "s2g/schema/tables",
		"s2g/schema/threads", "s2g/schema/vocab", "s2g/vectors/text"},
	"s2g/cmd/s2g/internal/verify": {internal + "oracle", internal + "publish", internal + "report", internal + "stats", "s2g/graph", "s2g/graph/graphdb", "s2g/graph/rdf4j", "s2g/graph/trig", "s2g/ingest", "s2g/schema/manifest",
		"s2g/schema/tables", "s2g/schema/vocab", "s2g/vectors/embed", "s2g/vectors/qdrant", "s2g/vectors/shard", "s2g/vectors/text"},
	"s2g/cmd/s2g/internal/engines":   {}, // tests alone
	"s2g/cmd/s2g/internal/buildtest": {"s2g/graph", "s2g/ingest/sample", "s2g/schema/manifest", "s2g/schema/schematest", "s2g/schema/tables", "s2g/schema/vocab"},
}

const internal = "s2g/cmd/s2g/internal/"

type goPackage struct {
	ImportPath string
	Imports    []string
}

func TestImports(t *testing.T) {
	for _, p := range packages(t) {
		if p.ImportPath == "s2g/cmd/s2g" {
			continue
		}
		allowed, known := imports[p.ImportPath]
		if !known {
			t.Errorf("%s is not in the import table: add it here and to docs/design.md", p.ImportPath)
		}
		for _, i := range p.Imports {
			if strings.HasPrefix(i, "s2g/") && i != "s2g/schema" && !slices.Contains(allowed, i) {
				t.Errorf("%s imports %s, which the table does not allow", p.ImportPath, i)
			}
			if i == "s2g/schema/schematest" && !strings.HasSuffix(p.ImportPath, "test") {
				t.Errorf("%s imports schematest outside of a test", p.ImportPath)
			}
		}
	}
}

// graph/trig imports nothing of the project, graph/rdf4j what all clients share, which imports nothing, and ingest/dump no SQL.
func TestImportsOfSeparateKnowledge(t *testing.T) {
	for _, p := range packages(t) {
		for _, i := range p.Imports {
			if (p.ImportPath == "s2g/graph/trig" || p.ImportPath == "s2g/graph/rdf4j" || p.ImportPath == "s2g/schema/remote") && strings.HasPrefix(i, "s2g/") && i != "s2g/schema/remote" {
				t.Errorf("%s imports %s: it is to be of use alone", p.ImportPath, i)
			}
			if p.ImportPath == "s2g/ingest/dump" && (i == "database/sql" || strings.Contains(i, "mysql")) {
				t.Errorf("the dump's reader imports %s", i)
			}
		}
	}
}

func packages(t *testing.T) []goPackage {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", "s2g/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	var list []goPackage
	for lines := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := lines.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	if len(list) < len(imports) {
		t.Fatalf("go list names %d packages, the table has %d", len(list), len(imports))
	}
	return list
}

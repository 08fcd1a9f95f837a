package qdrant

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"s2g/schema/schematest"
	"s2g/vectors/embed"
)

// The example of docs/vectors.md, as it stands there but for the address, searches by
// words in a collection that was loaded.
func TestDocumentedQuery(t *testing.T) {
	python := schematest.Python(t, "qdrant-client==1.18.0")
	doc, err := os.ReadFile(filepath.Join("..", "..", "docs", "vectors.md"))
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```py\n(.*?)```").FindStringSubmatch(string(doc))
	if block == nil {
		t.Fatal("docs/vectors.md has no example")
	}
	s := open(t, schematest.StartQdrant(t).Address)
	all := points("python", 12, 1)
	terms, err := embed.NewBM25().Query(t.Context(), "merging a dictionary")
	if err != nil {
		t.Fatal(err)
	}
	for i := range all {
		all[i].SparseIndices, all[i].SparseValues = terms.Indices, terms.Values
	}
	b := Build{Prefix: "so", Edition: "2024-03-31_00000001", IDF: true, Languages: []Language{language(t, "python", all, 50)}}
	mustLoad(t, s, b, small())
	mustServe(t, s, b, 0)
	program := strings.Replace(block[1], "6334", strings.TrimPrefix(s.Address.String(), "http://127.0.0.1:"), 1)
	out, err := exec.CommandContext(t.Context(), python, "-c", program).CombinedOutput()
	if err != nil || strings.Count(string(out), "http://stackoverflow.com/questions/") != 3 {
		t.Errorf("%s\nprints: %s (%v)", program, out, err)
	}
}

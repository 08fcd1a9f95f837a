package embed

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"s2g/schema"
)

// TestDocuments compares the vectors of both embedders together with those of each alone.
func TestDocuments(t *testing.T) {
	texts := append(synthetic(100), "", "the", "…")
	m, f := fit(t, texts, 16), newFake(t)
	remote := open(t, options(t, nil), specOf("", f))
	for _, d := range []Dense{m, remote} {
		dense, sparse, err := Documents(context.Background(), d, NewBM25(), texts)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(documents(t, d, texts...), dense); diff != "" {
			t.Errorf("%T: %s", d, diff)
		}
		want, err := NewBM25().Documents(context.Background(), texts)
		if diff := cmp.Diff(want, sparse); err != nil || diff != "" {
			t.Errorf("%T: %v %s", d, err, diff)
		}
	}
	f.Close()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := Documents(ctx, m, NewBM25(), texts); err == nil {
		t.Error("no error of a context that has ended")
	}
	if _, _, err := Documents(ctx, remote, NewBM25(), texts); err == nil || !strings.Contains(err.Error(), "vectors: ") {
		t.Errorf("%v", err)
	}
}

func TestOpenPair(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	m := fit(t, topical, 4)
	path := filepath.Join(dir, "model.bin")
	if err := os.WriteFile(path, file(t, m), 0o666); err != nil {
		t.Fatal(err)
	}
	weight, none := .35, 0.0
	remote := specOf("", newFake(t))
	tests := []struct {
		name   string
		o      PairOptions
		dense  string
		weight float64
		query  bool // a query of known words has a dense vector
	}{
		{"defaults", PairOptions{ModelFile: path}, m.Model(), .2, true},
		{"endpoint", PairOptions{Dense: remote, Sparse: KindBM25}, "m", .7, true},
		{"as recorded", PairOptions{ModelFile: path, Models: &Models{m.Model(), "qdrant/bm25"}, Weight: &weight}, m.Model(), .35, true},
		{"no weight", PairOptions{ModelFile: path, Weight: &none}, m.Model(), 0, false},
	}
	for _, tt := range tests {
		p, err := OpenPair(ctx, tt.o, options(t, nil))
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if p.Dense.Model() != tt.dense || p.Sparse.Model() != "qdrant/bm25" || p.Weight != tt.weight {
			t.Errorf("%s: %s, %s, weight %v", tt.name, p.Dense.Model(), p.Sparse.Model(), p.Weight)
		}
		if v, err := p.DenseQuery(ctx, "bicycle chain"); err != nil || (v != nil) != tt.query {
			t.Errorf("%s: query %v, %v", tt.name, v, err)
		}
	}
	p, err := OpenPair(ctx, PairOptions{ModelFile: path}, RemoteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if v, err := p.DenseQuery(ctx, "zebra"); err != nil || v != nil {
		t.Errorf("a query without a known term: %v, %v", v, err)
	}
	if _, err := OpenPair(ctx, PairOptions{ModelFile: filepath.Join(dir, "none")}, RemoteOptions{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no model file: %v", err)
	}
	_, err = OpenPair(ctx, PairOptions{Dense: remote, Models: &Models{m.Model(), "qdrant/bm25"}}, options(t, nil))
	if fault, _ := schema.FaultOf(err); fault != schema.FaultUsage || !strings.Contains(err.Error(), "the embedders are m and") {
		t.Errorf("another model: %v", err)
	}
}

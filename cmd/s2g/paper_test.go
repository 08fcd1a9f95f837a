package main

import (
	"encoding/json"
	"hash/fnv"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"s2g/schema/manifest"
	"s2g/schema/schematest"
	"s2g/vectors/shard"
)

// paperModels serves stand-ins of the two models of the paper's configuration by vLLM's routes: a text's dense vector
// counts its words by hash, and a word's sparse weight is its length.
type paperModels struct {
	*httptest.Server
	mu     sync.Mutex
	dense  map[string]int // how often each text was embedded
	sparse map[string]int
}

func newPaperModels(t *testing.T) *paperModels {
	m := &paperModels{dense: map[string]int{}, sparse: map[string]int{}}
	m.Server = httptest.NewServer(http.HandlerFunc(m.serve))
	t.Cleanup(m.Close)
	return m
}

func (m *paperModels) serve(w http.ResponseWriter, r *http.Request) {
	var q struct {
		Model, Prompt, Task string
		Input               []string
	}
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	type object = map[string]any
	var data []object
	for i, text := range q.Input {
		if r.URL.Path == "/pooling" && q.Model == "BAAI/bge-m3" && q.Task == "token_classify" {
			m.sparse[text]++
			weights := []float32{}
			for _, word := range strings.Fields(text) {
				weights = append(weights, float32(len(word)))
			}
			data = append(data, object{"index": i, "data": append(weights, 0)}) // none of the first token
			continue
		}
		if r.URL.Path == "/v1/embeddings" && q.Model == "nomic-ai/nomic-embed-code" {
			m.dense[text]++
			data = append(data, object{"index": i, "embedding": paperDense(text)})
		}
	}
	switch {
	case r.URL.Path == "/tokenize":
		json.NewEncoder(w).Encode(object{"tokens": paperTokens(q.Prompt), "max_model_len": 2048})
	case len(data) == 0:
		http.Error(w, `{"error": {"message": "no such task"}}`, http.StatusBadRequest)
	default:
		json.NewEncoder(w).Encode(object{"model": q.Model, "data": data})
	}
}

// embedded returns how often a text was sent to each of the two.
func (m *paperModels) embedded(text string) (dense, sparse int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.dense[text], m.sparse[text]
}

func paperTokens(text string) []uint32 {
	ids := []uint32{0}
	for _, word := range strings.Fields(text) {
		h := fnv.New32a()
		h.Write([]byte(strings.ToLower(word)))
		ids = append(ids, 4+h.Sum32()%250_000)
	}
	return append(ids, 2)
}

func paperDense(text string) []float32 {
	v := make([]float32, 3584)
	for _, id := range paperTokens(text) {
		v[id%3584]++
	}
	return v
}

// The specs of the paper's configuration, as docs/vectors.md has them, make a build that
// verifies, is searched and measured.
func TestPapersConfiguration(t *testing.T) {
	schematest.Long(t)
	schematest.Tool(t, "mariadbd")
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "vectors.md"))
	if err != nil {
		t.Fatal(err)
	}
	specs := regexp.MustCompile(`--dense  '(openai\+http://127\.0\.0\.1:8000\S+)' \\\n  --sparse '(bgem3\+http://127\.0\.0\.1:8001\S+)'`).FindSubmatch(page)
	if specs == nil {
		t.Fatal("docs/vectors.md has no such command")
	}
	m := newPaperModels(t)
	here := strings.NewReplacer("http://127.0.0.1:8000", m.URL, "http://127.0.0.1:8001", m.URL)
	out := filepath.Join(t.TempDir(), "o")
	s2g(t, "build", "--dump", sampleDump(t, "--posts", "1200", "--seed", "4"), "--out", out, "--languages", "python,java,javascript,sql,html",
		"--dense", here.Replace(string(specs[1])), "--sparse", here.Replace(string(specs[2])))
	built, err := manifest.Read(out)
	if err != nil {
		t.Fatal(err)
	}
	want := &manifest.Embedders{Dense: "nomic-ai/nomic-embed-code", Sparse: "BAAI/bge-m3", Windows: "endpoint", Weight: 0.7}
	if diff := cmp.Diff(want, built.Stages[manifest.Vectors].Embedders); diff != "" {
		t.Error(diff)
	}

	several := 0
	for _, f := range built.Stages[manifest.Vectors].Files {
		if !strings.HasPrefix(f.Name, "vectors/") {
			continue
		}
		r, err := shard.Open(filepath.Join(out, f.Name))
		if err != nil {
			t.Fatal(err)
		}
		for r.Scan() {
			p := r.Point()
			several += min(1, len(p.Languages)-1)
			if dense, sparse := m.embedded(p.Text); dense != 1 || sparse != 1 {
				t.Fatalf("point %d was embedded %d and %d times", p.PointID, dense, sparse)
			}
			indices, values := paperSparse(p.Text)
			if len(p.Dense) != 3584 || !slices.Equal(p.SparseIndices, indices) || !slices.Equal(p.SparseValues, values) {
				t.Fatalf("point %d: %d dimensions, %v %v, want %v %v", p.PointID, len(p.Dense), p.SparseIndices, p.SparseValues, indices, values)
			}
		}
		if err := r.Err(); err != nil {
			t.Fatal(err)
		}
		r.Close()
	}
	if several == 0 {
		t.Error("no text is in several languages")
	}

	found := s2g(t, "search", "--out", out, "--language", "python", "--top", "1", "merge two dictionaries")
	dense, _ := m.embedded("Represent this query for searching relevant code: merge two dictionaries")
	if _, sparse := m.embedded("merge two dictionaries"); !strings.HasPrefix(found, "1. ") || dense != 1 || sparse != 1 {
		t.Errorf("the query was embedded %d and %d times, found %s", dense, sparse, found)
	}
	if said := s2g(t, "eval", "--out", out, "--sample", "30"); !strings.Contains(said, "dense nomic-ai/nomic-embed-code, sparse BAAI/bge-m3") {
		t.Error(said)
	}
}

// paperSparse returns the expected sparse vector of a text: of each word its greatest weight.
func paperSparse(text string) (indices []uint32, values []float32) {
	words, ids := strings.Fields(text), paperTokens(text)
	greatest := map[uint32]float32{}
	for i, word := range words {
		greatest[ids[i+1]] = max(greatest[ids[i+1]], float32(len(word)))
	}
	for id := range greatest {
		indices = append(indices, id)
	}
	slices.Sort(indices)
	for _, id := range indices {
		values = append(values, greatest[id])
	}
	return indices, values
}

package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"s2g/schema/schematest"
	"s2g/schema/tables/tablestest"
	"s2g/vectors/shard"
)

// Two commands one after the other, on a build with vectors of an endpoint. The second embeds no text that the first has
// embedded with the same model, and deletes no vector of the endpoint unless --replace is given.
func TestSequencesOfOptions(t *testing.T) {
	schematest.Long(t)
	db := tablestest.Open(t)
	t.Setenv("S2G_DSN", db.DSN())
	march := sampleDump(t, "--posts", "300", "--grow", "400", "--seed", "2")
	june := sampleDump(t, "--posts", "400", "--grow", "400", "--seed", "2")
	twoUnits := sampleDump(t, "--posts", "11000", "--seed", "2")
	other := filepath.Join(t.TempDir(), "askubuntu.com")
	if err := os.CopyFS(other, os.DirFS(march)); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(other, "s2g-site.txt")); err != nil {
		t.Fatal(err)
	}
	const both = "--languages python,java --units question,answer --window 128 --overlap 16 --dense DENSE"
	const large = "--dump LARGE --units question,answer --dense DENSE" // of two units
	for _, c := range []struct {
		name          string
		first, second string // flags; DENSE, MODEL2 and SPARSE are specs of the endpoint
		refused       bool   // the second, without --replace
		stopped       bool   // the first ends early, because the endpoint fails
		embeds        bool   // the second sends texts to the endpoint
		relabelled    int    // texts whose code has the label of a language that is new in the table
	}{
		{name: "the same", first: both},
		{name: "the same, said again", first: both, second: both},
		{name: "the endpoint moves", first: both, second: "--dense MOVED"},
		{name: "another format of the graph", first: both, second: "--compress none --graph-format nquads"},
		{name: "a language more", first: both, second: "--languages python,java,javascript", embeds: true},
		{name: "all languages", first: both, second: "--languages default", embeds: true, relabelled: 10},
		{name: "a language less", first: both, second: "--languages python", refused: true},
		{name: "a remainder", first: both, second: "--other", embeds: true},
		{name: "a remainder less", first: both + " --other", second: "--other=false", refused: true},
		{name: "the whole site", first: both, second: "--whole-site --languages default", embeds: true, relabelled: 10},
		{name: "answers, too", first: "--languages python,java --dense DENSE", second: "--units question,answer", embeds: true},
		{name: "answers no longer", first: both, second: "--units default", refused: true},
		{name: "a larger window", first: both, second: "--window 256", refused: true, embeds: true},
		{name: "a smaller window", first: both, second: "--window 64 --overlap 8", refused: true, embeds: true},
		{name: "no overlap", first: both, second: "--overlap 0", refused: true, embeds: true},
		{name: "links", first: both, second: "--links", refused: true, embeds: true},
		{name: "another model", first: both, second: "--dense MODEL2", refused: true, embeds: true},
		{name: "the builtin model", first: both, second: "--dense builtin", refused: true},
		{name: "an empty option", first: both, second: "--dense=", refused: true},
		{name: "another prefix", first: both, second: "--dense DENSE&document_prefix=passage:", refused: true, embeds: true},
		{name: "sparse vectors, too", first: both, second: "--sparse SPARSE", embeds: true},
		{name: "sparse vectors no longer", first: both + " --sparse SPARSE", second: "--sparse default", refused: true},
		{name: "another site of the same dump", first: both, second: "--site https://example.org"},
		{name: "a newer dump", first: both, second: "--dump JUNE", embeds: true},
		{name: "a dump of another site", first: both, second: "--dump OTHER", refused: true}, // of the same posts
		{name: "a build to reuse", first: both, second: "--reuse ITSELF --other", embeds: true},
		{name: "in place", first: both, second: "--in-place --other", embeds: true},
		{name: "an unfinished run", first: large, second: "--dump LARGE", stopped: true, embeds: true},
		{name: "an unfinished run, with a remainder", first: large, second: "--dump LARGE --other", stopped: true, embeds: true},
		{name: "an unfinished run, with another model", first: large, second: "--dump LARGE --dense MODEL2", stopped: true, refused: true, embeds: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			endpoint, moved := newCountingEndpoint(t), newCountingEndpoint(t)
			moved.mu, moved.texts = endpoint.mu, endpoint.texts // the same model at another address
			out := filepath.Join(t.TempDir(), "o")
			command := func(flags string) []string {
				flags = strings.NewReplacer("DENSE", "openai+"+endpoint.URL+"/v1?model=m", "MODEL2", "openai+"+endpoint.URL+"/v1?model=m2",
					"MOVED", "openai+"+moved.URL+"/v1?model=m", "SPARSE", "bgem3+"+endpoint.URL+"?model=s", "JUNE", june, "OTHER", other, "LARGE", twoUnits, "ITSELF", out).Replace(flags)
				return append([]string{"build", "--dump", march, "--out", out, "--stages", "ingest,graph,vectors", "--workers", "1"}, strings.Fields(flags)...)
			}
			if c.stopped {
				endpoint.failAfter(8000)
				t.Setenv("S2G_RETRY_FOR", "1s")
				s2gExits(t, 4, command(c.first)...)
				endpoint.failAfter(0)
			} else {
				s2g(t, command(c.first)...)
			}
			embedded := endpoint.counts()
			if len(embedded) == 0 {
				t.Fatal("the first command embedded nothing")
			}
			before, files := contentHashes(t, out), sizesBelow(t, out)
			second := command(c.second)
			if c.refused {
				stdout, stderr := s2gExits(t, 2, append(second, "--json")...)
				mustContain(t, stderr, "give --replace")
				mustContain(t, stdout, `"plan":`)
				stdout, _ = s2gExits(t, 2, append(second, "--dry-run")...)
				if !strings.Contains(stdout, "deletes ") && !strings.Contains(stdout, "replaces ") {
					t.Errorf("the plan lists nothing that is deleted:\n%s", stdout)
				}
				if !maps.Equal(files, sizesBelow(t, out)) {
					t.Error("a refused command has changed files")
				}
				second = append(second, "--replace")
			}
			s2g(t, second...)
			var again []string
			more := 0
			for key, n := range endpoint.counts() {
				if now := n - embedded[key]; now > 0 && embedded[key] > 0 || n > 1 {
					again = append(again, key)
				} else {
					more += now
				}
			}
			limit := 0
			if c.stopped { // in a unit, whose texts are lost
				limit = len(embedded) * 6 / 10
			}
			if len(again) > limit {
				t.Errorf("%d of %d texts were embedded again, as %q", len(again), len(embedded), again[0])
			}
			if (more > 0) != c.embeds {
				t.Errorf("the second command embedded %d texts", more)
			}
			after := contentHashes(t, out)
			gone := 0
			for hash := range before {
				if !after[hash] {
					gone++
				}
			}
			if gone > 0 && !c.refused && c.name != "a newer dump" && gone > c.relabelled {
				t.Errorf("%d of %d texts have no vector any more", gone, len(before))
			}
			if len(after) == 0 {
				t.Error("no vectors at the end")
			}
		})
	}
}

// The ranks of a build that has vectors of an endpoint embed only the texts that it does not have.
func TestRanksEmbedNoTextAgain(t *testing.T) {
	schematest.Long(t)
	t.Setenv("S2G_DSN", tablestest.Open(t).DSN())
	endpoint, out := newCountingEndpoint(t), filepath.Join(t.TempDir(), "o")
	s2g(t, "build", "--dump", sampleDump(t, "--posts", "300", "--seed", "2"), "--out", out, "--languages", "python,java",
		"--dense", "openai+"+endpoint.URL+"/v1?model=m", "--stages", "ingest,vectors")
	before := len(endpoint.counts())
	for _, part := range [][]string{{"--rank", "0", "--world", "2"}, {"--rank", "1", "--world", "2"}, {"--merge"}} {
		s2g(t, append([]string{"vectors", "--out", out, "--units", "question,answer"}, part...)...)
	}
	embedded := endpoint.counts()
	if len(embedded) <= before {
		t.Error("no answer was embedded")
	}
	for key, n := range embedded {
		if n > 1 {
			t.Errorf("a text was embedded %d times: %q", n, key)
		}
	}
}

// contentHashes returns the hashes of the texts that have vectors in service.
func contentHashes(t *testing.T, out string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(out, "vectors", "*", "*.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	hashes := map[string]bool{}
	for _, file := range files {
		err := shard.Texts(file, func(_ uint64, hash string) error {
			hashes[hash] = true
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return hashes
}

// sizesBelow returns the sizes and times of the published files of a build.
func sizesBelow(t *testing.T, out string) map[string]string {
	t.Helper()
	sizes := map[string]string{}
	for _, folder := range []string{"vectors", "graph", "parents"} {
		err := filepath.WalkDir(filepath.Join(out, folder), func(path string, e fs.DirEntry, err error) error {
			if os.IsNotExist(err) || err == nil && e.IsDir() {
				return nil
			}
			info, err := e.Info()
			if err == nil {
				sizes[path] = fmt.Sprint(info.Size(), info.ModTime())
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return sizes
}

// countingEndpoint answers as OpenAI's route /embeddings and vLLM's /pooling do. It counts how often each model gets each
// text.
type countingEndpoint struct {
	*httptest.Server
	mu    *sync.Mutex
	texts map[string]int // by model and text
	left  int            // texts until it fails; 0: it does not
}

func newCountingEndpoint(t *testing.T) *countingEndpoint {
	e := &countingEndpoint{mu: &sync.Mutex{}, texts: map[string]int{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/embeddings", e.embeddings)
	mux.HandleFunc("POST /tokenize", func(w http.ResponseWriter, r *http.Request) {
		var q struct{ Prompt string }
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			t.Error(err)
		}
		ids := wordTokens(q.Prompt)
		e.answer(w, map[string]any{"count": len(ids), "max_model_len": 8192, "tokens": ids})
	})
	mux.HandleFunc("POST /pooling", e.pooling)
	e.Server = httptest.NewServer(mux)
	t.Cleanup(e.Close)
	return e
}

// failAfter makes the endpoint fail after the given number of further texts; 0: never.
func (e *countingEndpoint) failAfter(texts int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.left = texts
}

func (e *countingEndpoint) counts() map[string]int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return maps.Clone(e.texts)
}

type endpointRequest struct {
	Model string
	Input []string
}

// count counts the texts of a request. It reports false if the endpoint fails.
func (e *countingEndpoint) count(w http.ResponseWriter, r *http.Request, q *endpointRequest) bool {
	if err := json.NewDecoder(r.Body).Decode(q); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(q.Input) == 1 && len(q.Input[0]) < 25 { // a control request
		return true
	}
	switch {
	case e.left == 0:
	case e.left <= len(q.Input):
		http.Error(w, "out of order", http.StatusServiceUnavailable)
		return false
	default:
		e.left -= len(q.Input)
	}
	for _, text := range q.Input {
		e.texts[q.Model+" "+text]++
	}
	return true
}

func (e *countingEndpoint) embeddings(w http.ResponseWriter, r *http.Request) {
	var q endpointRequest
	if !e.count(w, r, &q) {
		return
	}
	var data []any
	for i, text := range q.Input {
		v := make([]float32, 8)
		for k := range len(text) {
			v[k%8] += float32(text[k]) + 1
		}
		data = append(data, map[string]any{"index": i, "embedding": v})
	}
	e.answer(w, map[string]any{"object": "list", "model": q.Model, "data": data})
}

func (e *countingEndpoint) pooling(w http.ResponseWriter, r *http.Request) {
	var q endpointRequest
	if !e.count(w, r, &q) {
		return
	}
	var data []any
	for i, text := range q.Input {
		weights := []float64{}
		for k := range len(wordTokens(text)) - 2 {
			weights = append(weights, float64(k+1)/10)
		}
		data = append(data, map[string]any{"index": i, "object": "pooling", "data": weights})
	}
	e.answer(w, map[string]any{"object": "list", "model": q.Model, "data": data})
}

func (e *countingEndpoint) answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // a client that has gone needs no answer
}

// wordTokens returns the tokens of a text as a model with a token a word has them: token 0, the words, token 2.
func wordTokens(text string) []int {
	ids := []int{0}
	for _, word := range strings.Fields(text) {
		ids = append(ids, 4+len(word))
	}
	return append(ids, 2)
}

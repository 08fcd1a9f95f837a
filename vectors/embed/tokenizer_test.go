package embed

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRemoteTokens(t *testing.T) {
	f := newFake(t)
	tok := TokenizerOf(open(t, options(t, nil), specOf("&document_prefix=a+b+", f)))
	if tok == nil {
		t.Fatal("no tokenizer")
	}
	for range 2 {
		got, err := tok.Tokens(context.Background(), []string{"one", "", "one two three"})
		if diff := cmp.Diff([]int{5, 4, 7}, got); err != nil || diff != "" {
			t.Error(err, diff)
		}
	}
	if TokenizerOf(&LSA{dims: 3}) != nil {
		t.Error("a builtin embedder has a tokenizer")
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/embeddings", f.embeddings)
	without := httptest.NewServer(mux)
	defer without.Close()
	if TokenizerOf(open(t, options(t, nil), "openai+"+without.URL+"/v1?model=m")) != nil {
		t.Error("a tokenizer without the route")
	}
	mux.HandleFunc("POST /tokenize", func(w http.ResponseWriter, r *http.Request) {
		var q struct{ Inputs []string }
		if json.NewDecoder(r.Body).Decode(&q); q.Inputs == nil {
			refuse(w, http.StatusUnprocessableEntity, "missing field `inputs`")
			return
		}
		var all [][]map[string]any
		for _, text := range q.Inputs {
			all = append(all, nil)
			for _, id := range fakeTokens(text) {
				all[len(all)-1] = append(all[len(all)-1], map[string]any{"id": id, "text": "x", "start": nil})
			}
		}
		w.Write(marshal(all))
	})
	tei := TokenizerOf(open(t, options(t, nil), "openai+"+without.URL+"/v1?model=m"))
	got, err := tei.Tokens(context.Background(), numbered(70))
	if err != nil || len(got) != 70 || got[69] != 7 {
		t.Errorf("TEI's route: %v, %v", got, err)
	}
}

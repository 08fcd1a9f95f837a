package embed

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"net/http"
	"strings"
	"testing"

	"s2g/schema/schematest"
)

// exchange sends JSON and reads JSON.
func exchange(t *testing.T, address string, send, into any) {
	t.Helper()
	resp, err := http.Post(address, "application/json", bytes.NewReader(marshal(send)))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(into); err != nil {
		t.Fatal(err)
	}
}

// A real model by OpenAI's route gives what its own route gives.
func TestRealServer(t *testing.T) {
	server := schematest.StartEmbedder(t)
	address := "http://" + server.Address
	d := open(t, RemoteOptions{}, "openai+"+address+"/v1?model=sentence-transformers/all-MiniLM-L6-v2&batch=100")
	if d.Dim() != 384 {
		t.Errorf("%d dimensions", d.Dim())
	}
	before := schematest.Embedded(t, server)

	texts := make([]string, 70) // more than the 64 that a request may have
	for i := range texts {
		texts[i] = strings.Repeat("sort ", 1+i%3)
	}
	texts[3] = "How do I merge two dictionaries? 你好 <b>&amp;</b>"
	texts[5] = strings.Repeat("a long text about sorting lists ", 60) // over 256 tokens
	got := documents(t, d, texts...)
	if n := schematest.Embedded(t, server) - before; n != int64(len(texts)) {
		t.Errorf("%d texts were embedded", n)
	}
	if s := StatsOf(d); s.Truncated != 1 || s.Refused != 0 || s.Retries != 0 {
		t.Errorf("%+v", s)
	}

	var want [][]float32
	exchange(t, address+"/embed", map[string]any{"inputs": texts[:6], "truncate": true}, &want)
	for i := range want {
		if c := cosine(got[i], want[i]); c < 1-1e-6 {
			t.Errorf("%q: cosine %v", texts[i], c)
		}
	}
	query, err := d.Query(context.Background(), texts[0])
	if err != nil || cosine(query, want[0]) < 1-1e-6 {
		t.Errorf("as a query: cosine %v, %v", cosine(query, want[0]), err)
	}

	counts, err := TokenizerOf(d).Tokens(context.Background(), []string{"a list in Python", texts[5]})
	if err != nil || counts[0] != 6 || counts[1] < 300 {
		t.Errorf("tokens %v, %v", counts, err)
	}
}

func cosine(a, b []float32) float64 {
	var dot, aa, bb float64
	for i := range a {
		dot += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	return dot / math.Sqrt(aa*bb)
}

package verify

import (
	"encoding/json"
	"hash/crc32"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"s2g/schema"
	"s2g/vectors/embed"
)

// endpointVector returns the vector that the endpoint of the tests makes of a text.
func endpointVector(text string) []float32 {
	angle := float64(crc32.ChecksumIEEE([]byte(text)) % 100)
	return []float32{float32(math.Cos(angle)), float32(math.Sin(angle))}
}

// endpoint serves vectors by OpenAI's route, turned by an angle.
func endpoint(t *testing.T, turned *atomic.Bool) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct{ Input []string }
		if r.URL.Path != "/v1/embeddings" || json.NewDecoder(r.Body).Decode(&q) != nil {
			http.NotFound(w, r)
			return
		}
		var data []map[string]any
		for i, text := range q.Input {
			v := endpointVector(text)
			if turned.Load() {
				v[0], v[1] = -v[1], v[0]
			}
			data = append(data, map[string]any{"index": i, "embedding": v})
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"model": "m", "data": data})
	}))
	t.Cleanup(s.Close)
	return "openai+" + s.URL + "/v1?model=m"
}

func TestVectorsOfAnEndpointAreSampled(t *testing.T) {
	db := miniTables(t)
	var turned atomic.Bool
	f := newFixture(t)
	f.dense = endpoint(t, &turned)
	out := f.write(t)
	o := Options{Sample: 100, Remote: embed.RemoteOptions{RetryFor: time.Millisecond}}
	if _, err := Run(t.Context(), out, db, Options{}); err != nil {
		t.Fatalf("all files: %v", err)
	}
	if _, err := Sample(t.Context(), out, db, o); err != nil {
		t.Fatal(err)
	}
	turned.Store(true)
	_, err := Sample(t.Context(), out, db, o)
	if fault, _ := schema.FaultOf(err); fault != schema.FaultVerification || !strings.Contains(err.Error(), "a dense vector of post ") {
		t.Errorf("with another model: %v", err)
	}
}

package schematest

import (
	"encoding/json"
	"net/http"
	"testing"
)

// StartEmbedder starts a server that computes a real embedding model, all-MiniLM-L6-v2
// (384 dimensions, texts of up to 256 tokens; a core makes about 8 texts of 200 tokens a
// second), and has the routes of OpenAI, TEI and vLLM's /tokenize; or skips the test (see
// [Need]).
func StartEmbedder(t testing.TB) *Server {
	t.Helper()
	return startServer(t, "embed")
}

// EmbeddedTexts returns how many texts a server of [StartEmbedder] has embedded since it was
// started.
func EmbeddedTexts(t testing.TB, s *Server) int64 {
	t.Helper()
	resp, err := http.Get("http://" + s.Address + "/stats")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var stats struct {
		Texts int64 `json:"texts"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&stats); err != nil {
		t.Fatal(err)
	}
	return stats.Texts
}

package vectors

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"s2g/schema"
	"s2g/schema/manifest"
)

// An endpoint that answers zeros half-way ends the run with exit code 4 and the posts at fault, and no build is made of
// them. A run with an endpoint that works resumes.
func TestEndpointAnswersZerosHalfWay(t *testing.T) {
	t.Parallel()
	var broken atomic.Bool
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct{ Input []string }
		if json.NewDecoder(r.Body).Decode(&q) != nil || !strings.HasSuffix(r.URL.Path, "/embeddings") {
			http.NotFound(w, r)
			return
		}
		data := make([]string, len(q.Input))
		for i, text := range q.Input {
			length := len(text)
			if broken.Load() {
				length = 0
			}
			data[i] = fmt.Sprintf(`{"index": %d, "embedding": [%d, %d, 0]}`, i, length, 2*length%7*min(length, 1))
		}
		fmt.Fprintf(w, `{"data": [%s]}`, strings.Join(data, ","))
	}))
	defer server.Close()
	o := smallOptions()
	o.Dense = "openai+" + server.URL + "/v1?model=m"
	o.Workers = 1
	o.Progress = func(_ string, done, _ int64) {
		if done >= 4 {
			broken.Store(true)
		}
	}
	db, dir := loadFixture(t), openDir(t, t.TempDir())
	err := smallRun(db, o).intoBuild(t.Context(), dir)
	if fault, remedy := schema.FaultOf(err); err == nil || fault != schema.FaultService || remedy == "" || !regexp.MustCompile(`posts \d+ to \d+: .*a vector is zero`).MatchString(err.Error()) {
		t.Fatalf("fault %v (%s): %v", fault, remedy, err)
	}
	if dir.Manifest().Stages[manifest.Vectors] != nil {
		t.Error("half a build is in the manifest")
	}
	broken.Store(false)
	o.Progress = nil
	if err := smallRun(db, o).intoBuild(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	if n := dir.Manifest().Stages[manifest.Vectors].Counts["dense_texts_refused"]; n != 0 {
		t.Errorf("%d texts have no vector", n)
	}
}

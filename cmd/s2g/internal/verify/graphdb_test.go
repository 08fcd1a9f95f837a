package verify

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"s2g/graph/rdf4j"
	"s2g/schema"
)

// A count that is no number is a service fault, not a count of 0.
func TestGraphDBCountThatIsNoNumber(t *testing.T) {
	v, err := newVerifier(newFixture(t).write(t), true, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, count := range []string{"many", "", "1e3", "7 "} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/sparql-results+json")
			fmt.Fprintf(w, `{"head": {"vars": ["of", "n"]}, "results": {"bindings": [
				{"of": {"type": "uri", "value": "http://stackoverflow.com/schema#score"}, "n": {"type": "literal", "value": %q}}]}}`, count)
		}))
		defer server.Close()
		client, err := rdf4j.New(rdf4j.Config{URL: server.URL})
		if err != nil {
			t.Fatal(err)
		}
		g := &GraphDB{Repository: client.Repository("build")}
		r := &repositoryComparison{GraphDB: g, build: v.contents(nil), quads: newQuadCounter(v)}
		c := newCheck("graphdb", "")
		err = r.compareGraph(t.Context(), &c, 0)
		if fault, _ := schema.FaultOf(err); err == nil || fault != schema.FaultService || !strings.Contains(err.Error(), fmt.Sprintf("%q is no number", count)) {
			t.Errorf("count %q: fault %v: %v", count, fault, err)
		}
	}
}

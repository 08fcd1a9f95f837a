package report

import (
	"strconv"
	"testing"

	"s2g/cmd/s2g/internal/buildtest"
	"s2g/graph"
	"s2g/graph/rdf4j/rdf4jtest"
)

// TestShownQueryFindsAnswers runs the query of the page on GraphDB's engine.
func TestShownQueryFindsAnswers(t *testing.T) {
	store := rdf4jtest.Start(t)
	db := server.Open(t)
	buildtest.Load(t, db, writeSample(t, 800))
	batches, _ := buildtest.Graph(t, db, graph.Options{})
	r, err := Gather(t.Context(), db, optionsOf(t))
	if err != nil {
		t.Fatal(err)
	}
	store.CreateRepository("report", "empty")
	store.AddFiles("report", "", batches...)
	rows := store.Select("report", r.sparql())
	if len(rows) == 0 || len(rows) > 10 {
		t.Fatalf("%d rows", len(rows))
	}
	last := 1 << 30
	for _, row := range rows {
		ahead, err := strconv.Atoi(row[3])
		if err != nil || ahead <= 0 || ahead > last || row[0] == "" || row[1] == row[2] {
			t.Errorf("%q after one that is %d ahead: %v", row, last, err)
		}
		last = ahead
	}
}

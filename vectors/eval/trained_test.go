package eval

import (
	"os"
	"testing"

	"s2g/schema/schematest"
	"s2g/vectors"
	"s2g/vectors/embed"
)

// measureTrained measures a real dump with a trained model of 22 million parameters at a
// server, by whose tokens windows are cut.
func measureTrained(t *testing.T, o Options) *Report {
	t.Helper()
	server := schematest.StartEmbedder(t)
	dense, err := embed.OpenDense(t.Context(), "openai+http://"+server.Address+"/v1?model=all-MiniLM-L6-v2", embed.RemoteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, db := bioinformatics(t)
	o.Other, o.Dense, o.Sparse = true, dense, embed.NewBM25()
	o.Windows = vectors.Windows{Size: 200, Overlap: 32, By: embed.TokenizerOf(dense)}
	report, err := Run(t.Context(), db, o)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// The quality with a trained model on a part of the site, which takes half a minute;
// TestTrainedWhole measures all of it.
func TestTrained(t *testing.T) {
	schematest.Long(t)
	got := measureTrained(t, Options{Queries: 40, Posts: 40})
	compare(t, golden(t, "bioinformatics-minilm-40.json", got), got)
}

// wholeTrained is the report of all questions and answers of the site with a trained model.
// "make quality" measures it anew, which takes ten minutes or more.
const wholeTrained = "bioinformatics-minilm.json"

func TestTrainedWhole(t *testing.T) {
	if os.Getenv("S2G_TEST_QUALITY") == "" {
		t.Skip("make quality runs it: it embeds 4,000 texts, which takes ten minutes or more")
	}
	got := measureTrained(t, Options{})
	compare(t, golden(t, wholeTrained, got), got)
}

// The stored report of the whole site reaches the reference.
func TestTrainedReachesTheReference(t *testing.T) {
	kept := golden(t, wholeTrained, nil)
	checkReference(t, kept.All, map[string][2]float64{
		"title to body/dense": {.899, .971}, "title to body/hybrid": {.932, .993}, "title to accepted answer/hybrid": {.529, .752},
	})
	checkHybrid(t, kept.All)
	checkHybrid(t, kept.HeldOut)
}

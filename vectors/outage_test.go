package vectors

import (
	"sync"
	"testing"
	"time"

	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/schematest"
	"s2g/vectors/embed"
)

// The only endpoint is killed half-way through a build, and the run ends with exit code 4.
// The next run resumes when the endpoint is back. By the server's own count it embeds no
// text of a committed unit again. The model is a real one.
func TestEndpointDiesHalfWay(t *testing.T) {
	schematest.Long(t)
	t.Parallel()
	db, server := loadFixture(t), schematest.StartEmbedder(t)
	o := smallOptions()
	o.Dense = "openai+http://" + server.Address + "/v1?model=all-MiniLM-L6-v2"
	o.Workers = 1
	o.Remote = embed.RemoteOptions{RetryFor: 2 * time.Second}
	dir := openDir(t, t.TempDir())

	// progress follows the vectors of a batch: that of the second unit, so that the third has no endpoint
	var once sync.Once
	var before int64
	o.Progress = func(_ string, done, _ int64) {
		if done >= 4 {
			once.Do(func() {
				before = schematest.EmbeddedTexts(t, server)
				server.Kill()
			})
		}
	}
	err := smallRun(db, o).intoBuild(t.Context(), dir)
	fault, remedy := schema.FaultOf(err)
	if err == nil || fault.ExitCode() != 4 || remedy == "" {
		t.Fatalf("exit code %d, %v (%s)", fault.ExitCode(), err, remedy)
	}
	if dir.Manifest().Stages[manifest.Vectors] != nil {
		t.Error("half a build is in the manifest")
	}

	server.Start()
	o.Progress = nil
	if err := smallRun(db, o).intoBuild(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	counts := dir.Manifest().Stages[manifest.Vectors].Counts
	after := schematest.EmbeddedTexts(t, server)
	const probes = 1 // of each run, to see that vectors come
	if texts := counts["texts"]; before+after-2*probes != texts || before-probes < 4 || after-probes < 4 {
		t.Errorf("%d texts were embedded before the endpoint died, %d after, of %d in all", before-probes, after-probes, texts)
	}
}

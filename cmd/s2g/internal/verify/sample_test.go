package verify

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"s2g/schema"
	"s2g/schema/tables"
)

// unsampled are the damages that a sample of all posts does not see: it is of the
// order of files, of shards beside each other, or of hashes alone.
var unsampled = []string{"batch that is not full", "batch out of line", "byte flipped", "part again", "dimensions"}

func testSample(t *testing.T, db *tables.DB) {
	o := Options{Sample: 100}
	report, err := Sample(t.Context(), newFixture(t).write(t), db, o)
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, c := range report.Checks {
		said = append(said, fmt.Sprintf("%s %d", c.Name, c.Count))
	}
	if want := []string{"files 6", "graph 236", "points 5"}; !slices.Equal(said, want) {
		t.Errorf("checks %v, want %v", said, want)
	}
	for name, c := range damages {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			c.damage(f)
			out := f.write(t)
			if f.after != nil {
				f.after(t, out)
			}
			_, err := Sample(t.Context(), out, db, o)
			if slices.Contains(unsampled, name) {
				if err != nil {
					t.Errorf("it was found: %v", err)
				}
				return
			}
			if fault, _ := schema.FaultOf(err); err == nil || fault != schema.FaultVerification {
				t.Errorf("error %v, want a verification fault", err)
			}
		})
	}
	t.Run("hashes", func(t *testing.T) {
		f := newFixture(t)
		damages["byte flipped"].damage(f)
		out := f.write(t)
		f.after(t, out)
		_, err := Sample(t.Context(), out, db, Options{Sample: 1, Hash: true})
		if err == nil || !strings.Contains(err.Error(), "vectors/cpp/part-00000.parquet has the SHA-256") {
			t.Errorf("error %v", err)
		}
	})
	t.Run("some", func(t *testing.T) {
		for seed := range uint64(5) {
			if _, err := Sample(t.Context(), newFixture(t).write(t), db, Options{Sample: 2, Seed: seed}); err != nil {
				t.Errorf("seed %d: %v", seed, err)
			}
		}
	})
}

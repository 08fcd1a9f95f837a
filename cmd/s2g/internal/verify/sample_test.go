package verify

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"s2g/schema"
)

// unsampled are the damages that a sample of all posts does not find: those of the
// order of files, of shards compared with each other, or of files that it does not read.
var unsampled = []string{"batch that is not full", "batch out of line", "part again", "foreign file", "damaged model"}

func TestSampleOfAllPostsAgreesWithTables(t *testing.T) {
	report, err := Sample(t.Context(), newFixture(t).write(t), miniTables(t), Options{Sample: 100})
	if err != nil {
		t.Fatal(err)
	}
	var checks []string
	for _, c := range report.Checks {
		checks = append(checks, fmt.Sprintf("%s %d", c.Name, c.Count))
	}
	if want := []string{"files 9", "graph 236", "points 5"}; !slices.Equal(checks, want) {
		t.Errorf("checks %v, want %v", checks, want)
	}
}

func TestSampleFindsDamage(t *testing.T) {
	db := miniTables(t)
	for name, c := range damages {
		if testing.Short() && c.filesOnly {
			continue // the readers of files are those of TestDamageIsFound
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Sample(t.Context(), c.write(t), db, Options{Sample: 100})
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
}

func TestSampleChecksHashes(t *testing.T) {
	_, err := Sample(t.Context(), damages["byte flipped"].write(t), miniTables(t), Options{Sample: 1, Hash: true})
	if err == nil || !strings.Contains(err.Error(), "vectors/cpp/part-00000.parquet has the SHA-256") {
		t.Errorf("error %v", err)
	}
}

func TestSampleOfSomePostsAgreesWithTables(t *testing.T) {
	db := miniTables(t)
	for seed := range uint64(5) {
		if _, err := Sample(t.Context(), newFixture(t).write(t), db, Options{Sample: 2, Seed: seed}); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
}

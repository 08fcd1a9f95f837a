package eval

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"s2g/schema/manifest"
)

// titleResult returns the result of a title whose body has a rank, with the same strength for
// all weights.
func titleResult(fits bool, rank int32, strength float64) (r result) {
	r.fits = fits
	for w := range weights {
		r.ranks[TitleBody][w], r.strengths[w] = rank, strength
	}
	return r
}

// The threshold leaves out falseShare of the found titles of the fitted half; its errors are
// those of the other half and of the foreign queries.
func TestFitStrength(t *testing.T) {
	var all []result
	for i := range 100 {
		all = append(all, titleResult(true, 1+int32(i%5), 1+float64(i)/100), titleResult(true, 6, 0), titleResult(true, 0, 0), titleResult(false, 9, 0))
		all = append(all, titleResult(false, 2, .9+float64(i)/100)) // 15 of them are below the threshold, 1.05
	}
	foreign := []float64{0, .5, 1.04, 1.05}
	want := &manifest.NoGoodMatch{Least: 1.05, False: .15, Missed: .25}
	if diff := cmp.Diff(want, fitStrength(all, foreign, 3, 0)); diff != "" {
		t.Error(diff)
	}
	// The prior counts as much as 100 titles.
	want = &manifest.NoGoodMatch{Least: .8, Missed: .5}
	if diff := cmp.Diff(want, fitStrength(all, foreign, 3, .55)); diff != "" {
		t.Errorf("with a prior: %s", diff)
	}
	if got := fitStrength([]result{titleResult(true, 9, 1), titleResult(false, 0, 1)}, foreign, 3, .55); got != nil {
		t.Errorf("no title finds its body: %+v", got)
	}
}

func TestForeignQueries(t *testing.T) {
	queries := foreignQueries()
	var titles []string
	for _, q := range queries {
		if q.id != 0 || len(strings.Fields(q.title)) < 4 {
			t.Errorf("%+v", q)
		}
		titles = append(titles, q.title)
	}
	slices.Sort(titles)
	if n := len(slices.Compact(titles)); n != 100 {
		t.Errorf("%d distinct queries", n)
	}
}

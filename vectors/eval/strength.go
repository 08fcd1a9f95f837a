package eval

import (
	_ "embed"
	"math"
	"slices"
	"strings"

	"s2g/schema/manifest"
)

// foreign.txt holds questions about many things, a line each, none of which a site answers
// but that of its subject.
//
//go:embed foreign.txt
var foreign string

func foreignQueries() []query {
	var queries []query
	for line := range strings.Lines(foreign) {
		queries = append(queries, query{title: strings.TrimSpace(line)})
	}
	return queries
}

// foundWithin is the highest rank of a body that a search has found.
const foundWithin = 5

// falseShare is the share of the found titles whose strength is below the threshold, on the
// half that it is fitted on.
const falseShare = .05

// priorTitles is the number of titles that the default threshold counts as.
const priorTitles = 100

// fitStrength fits the strength of a good match: falseShare of the titles of the fitted half
// that find their body have less. The threshold is drawn towards prior, the default of the
// models, where that is not 0. foreign are the strengths of foreign queries; no threshold is
// fitted on them.
func fitStrength(all []result, foreign []float64, weight int, prior float64) *manifest.NoGoodMatch {
	var fitted, others []float64
	for _, r := range all {
		switch rank := r.ranks[TitleBody][weight]; {
		case rank == 0 || rank > foundWithin:
		case r.fits:
			fitted = append(fitted, r.strengths[weight])
		default:
			others = append(others, r.strengths[weight])
		}
	}
	if len(fitted) == 0 || len(others) == 0 {
		return nil
	}
	slices.Sort(fitted)
	least := fitted[int(falseShare*float64(len(fitted)))]
	if prior > 0 {
		n := float64(len(fitted))
		least = (least*n + prior*priorTitles) / (n + priorTitles)
	}
	least = math.Round(1000*least) / 1000
	return &manifest.NoGoodMatch{
		Least: least,
		False: share(others, func(strength float64) bool { return strength < least }), Missed: share(foreign, func(strength float64) bool { return strength >= least }),
	}
}

// share returns the share of values that match.
func share(values []float64, match func(float64) bool) float64 {
	matching := 0
	for _, v := range values {
		if match(v) {
			matching++
		}
	}
	return float64(matching) / float64(len(values))
}

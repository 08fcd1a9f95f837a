package eval

import (
	"math"
	"math/rand/v2"
	"slices"
)

// weights are the candidates for the weight of the dense score in a fused score. The first
// is the sparse score alone, the last the dense score.
var weights = [...]float64{0, .05, .1, .15, .2, .25, .3, .35, .4, .45, .5, .55, .6, .65, .7, .75, .8, .85, .9, .95, 1}

// Task is a kind of known item.
type Task int

// The tasks; see the package comment.
const (
	TitleBody Task = iota
	TitleAnswer
	tasks = iota
)

// String returns the name of a task in a report.
func (t Task) String() string {
	return [...]string{"title to body", "title to accepted answer"}[t]
}

// result holds the ranks of a query's known items. They are 0 for a task without such an
// item.
type result struct {
	fits  bool // the weight is fitted on the query
	ranks [tasks]ranks

	strengths // of the first body; see [scores.strengths]
}

// Measure is a mean over queries with its 95 % confidence interval, by the percentile
// bootstrap.
type Measure struct {
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// The measures, as positions in measures.
const (
	mrr = iota
	recall1
	recall10
	recall100
)

// measures map a rank to its reciprocal, or to 1 if it is among the first 1, 10 or 100.
var measures = [...]func(rank int32) float64{
	func(rank int32) float64 { return 1 / float64(rank) },
	within(1), within(10), within(100),
}

func within(n int32) func(int32) float64 {
	return func(rank int32) float64 {
		if rank <= n {
			return 1
		}
		return 0
	}
}

// draws is the number of samples that the bootstrap draws.
const draws = 1000

// measure returns the mean of at least one value with its confidence interval.
func measure(values []float64) Measure {
	r := rand.New(rand.NewPCG(1, uint64(len(values))))
	drawn := make([]float64, draws)
	for i := range drawn {
		var sum float64
		for range values {
			sum += values[r.IntN(len(values))]
		}
		drawn[i] = sum / float64(len(values))
	}
	slices.Sort(drawn)
	return Measure{Mean: mean(values), Low: drawn[draws*25/1000], High: drawn[draws*975/1000-1]}
}

func mean(values []float64) float64 {
	var sum float64
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// values returns a measure of each query that has a known item in a task and is selected.
func values(all []result, t Task, weight int, measure func(rank int32) float64, selected func(result) bool) []float64 {
	var v []float64
	for _, r := range all {
		if rank := r.ranks[t][weight]; rank > 0 && selected(r) {
			v = append(v, measure(rank))
		}
	}
	return v
}

// priorQueries is the number of queries that the default weight of a model counts as.
const priorQueries = 1000

// tolerance is the largest harmless loss of a measure against the sparse score alone.
const tolerance = .005

// fit returns the position in weights of the weight that suits the queries of the fitted
// half best.
//
// The best weight has the highest reciprocal rank, in the mean of the tasks, among the
// harmless ones. On a small site it is a matter of chance: of two halves of 200 queries one
// may prefer .1 and the other .5. So fit averages it with prior, the default of the model,
// which counts as priorQueries queries, and then lowers it until it is harmless.
func fit(all []result, prior float64) int {
	best, bestMean, queries := 0, -1.0, 0
	for w := range weights {
		if m := meanOfTasks(all, w); m > bestMean && harmless(all, w) {
			best, bestMean = w, m
		}
	}
	for _, f := range all {
		if f.fits {
			queries++
		}
	}
	drawn := (weights[best]*float64(queries) + prior*priorQueries) / float64(queries+priorQueries)
	w := int(math.Round(drawn * float64(len(weights)-1)))
	for !harmless(all, w) {
		w--
	}
	return w
}

// harmless reports whether a weight lowers neither the mean reciprocal rank nor recall@10 of
// any task by more than tolerance, compared with the sparse score alone. The weight 0 is
// harmless.
func harmless(all []result, weight int) bool {
	for t := range Task(tasks) {
		for _, m := range []int{mrr, recall10} {
			sparse, fused := values(all, t, 0, measures[m], result.isFit), values(all, t, weight, measures[m], result.isFit)
			if len(fused) > 0 && mean(fused) < mean(sparse)-tolerance {
				return false
			}
		}
	}
	return true
}

// meanOfTasks returns the mean of the tasks' mean reciprocal ranks.
func meanOfTasks(all []result, weight int) float64 {
	var means []float64
	for t := range Task(tasks) {
		if v := values(all, t, weight, measures[mrr], result.isFit); len(v) > 0 {
			means = append(means, mean(v))
		}
	}
	return mean(means)
}

func (r result) isFit() bool      { return r.fits }
func (r result) isReported() bool { return !r.fits }
func (r result) isAny() bool      { return true }

package eval

import (
	"math"
	"math/rand/v2"
	"slices"
)

// weights are those that are tried, of the dense score in a fused one. The first is
// the sparse score alone, the last the dense.
var weights = [...]float64{0, .05, .1, .15, .2, .25, .3, .35, .4, .45, .5, .55, .6, .65, .7, .75, .8, .85, .9, .95, 1}

// Task is what is asked for.
type Task int

// The tasks; see the package comment.
const (
	TitleBody Task = iota
	TitleAnswer
	Thread
	tasks = iota
)

// String names a task in a few words.
func (t Task) String() string {
	return [...]string{"title to body", "title to accepted answer", "through the thread"}[t]
}

// found is what became of a query: where what was asked for stands, by task and
// weight. Ranks of 0 are of a task that does not apply.
type found struct {
	fits  bool
	ranks [tasks]ranks
}

// Measure is a mean over queries, with the interval that holds 95 % of the means of
// queries drawn at random from these (the percentile bootstrap).
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

// measures of a rank: its reciprocal, and whether it is among the first so many.
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

// draws is how many times the bootstrap draws.
const draws = 1000

// measure returns the mean of some queries' values, at least one.
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

// values returns a measure of the queries that which takes.
func values(all []found, t Task, weight int, of func(rank int32) float64, which func(found) bool) []float64 {
	var v []float64
	for _, f := range all {
		if rank := f.ranks[t][weight]; rank > 0 && which(f) {
			v = append(v, of(rank))
		}
	}
	return v
}

// priorQueries is how many queries the default weight of a model counts for.
const priorQueries = 1000

// tolerance is how much a cell may lose against the sparse score alone.
const tolerance = .005

// fit returns which of the weights to use, by the queries that are there to fit on.
//
// The best is that with the highest reciprocal rank, in the mean of the tasks, among
// those that harm no task. On a small site its place is a matter of chance: of two
// halves of 200 queries one may want .1 and the other .5. So it is drawn towards the
// model's default, which was right elsewhere and counts for priorQueries queries, and
// then lowered as far as it harms no task.
func fit(all []found, prior float64) int {
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

// harmless says whether a weight makes neither the mean reciprocal rank nor recall@10
// of any task lower than the sparse score alone does, by more than tolerance. The
// weight 0 is harmless.
func harmless(all []found, weight int) bool {
	for t := range Task(tasks) {
		for _, m := range []int{mrr, recall10} {
			sparse, fused := values(all, t, 0, measures[m], found.isFit), values(all, t, weight, measures[m], found.isFit)
			if len(fused) > 0 && mean(fused) < mean(sparse)-tolerance {
				return false
			}
		}
	}
	return true
}

// meanOfTasks is the mean, over the tasks that apply, of the mean reciprocal rank.
func meanOfTasks(all []found, weight int) float64 {
	var means []float64
	for t := range Task(tasks) {
		if v := values(all, t, weight, measures[mrr], found.isFit); len(v) > 0 {
			means = append(means, mean(v))
		}
	}
	return mean(means)
}

func (f found) isFit() bool      { return f.fits }
func (f found) isReported() bool { return !f.fits }
func (f found) isAny() bool      { return true }

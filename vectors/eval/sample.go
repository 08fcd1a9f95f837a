package eval

import (
	"cmp"
	"slices"

	"s2g/schema"
	"s2g/schema/threads"
	"s2g/vectors/search"
)

// query is a question whose title is a query.
type query struct {
	id       int64
	accepted int64 // its accepted answer; 0: none
	fits     bool  // the weight is fitted on it; the report's HeldOut has the others
	title    string
	vectors  search.Query
}

// sample holds the queries and the posts to search in. Ids ascend.
type sample struct {
	queries            []query
	questions, answers []int64
}

// The salts make the hashes of the samples different, and so the samples independent.
const (
	saltQuestions = 0x51 << 32
	saltQueries   = 0x52 << 32
	saltAnswers   = 0x53 << 32
	saltHalves    = 0x54 << 32
	saltFit       = 0x55 << 32
)

// drawSample draws at most posts questions of the build, queries of these, and at most posts
// answers to the questions, among them all accepted answers of the queries.
func drawSample(x *threads.Index, queries, posts int) sample {
	var s sample
	accepted := map[int64]int64{}
	for p := range x.All() {
		if p.Question {
			s.questions = append(s.questions, p.ID)
			if p.AcceptedAnswer != 0 {
				accepted[p.ID] = p.AcceptedAnswer
			}
		}
	}
	s.questions = draw(s.questions, posts, saltQuestions, nil)
	accepts := map[int64]bool{}
	for _, id := range draw(slices.Clone(s.questions), queries, saltQueries, nil) {
		s.queries = append(s.queries, query{id: id, accepted: accepted[id]})
		accepts[accepted[id]] = true
	}
	s.halve()
	for p := range x.All() {
		if !p.Question {
			if _, found := slices.BinarySearch(s.questions, p.Parent); found {
				s.answers = append(s.answers, p.ID)
			}
		}
	}
	s.answers = draw(s.answers, posts, saltAnswers, accepts)
	return s
}

// halve assigns every other query, in the order of their hashes, to the half that the weight
// is fitted on.
func (s *sample) halve() {
	order := make([]int, len(s.queries))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Compare(schema.Mix64(uint64(s.queries[a].id)^saltHalves), schema.Mix64(uint64(s.queries[b].id)^saltHalves))
	})
	for n, i := range order {
		s.queries[i].fits = n%2 == 0
	}
}

// draw returns at most n of the ids, ascending: those in preferred, then those with the
// smallest hashes. It reorders ids.
func draw(ids []int64, n int, salt uint64, preferred map[int64]bool) []int64 {
	if len(ids) > n {
		first := func(id int64) int {
			if preferred[id] {
				return 0
			}
			return 1
		}
		slices.SortFunc(ids, func(a, b int64) int {
			return cmp.Or(cmp.Compare(first(a), first(b)), cmp.Compare(schema.Mix64(uint64(a)^salt), schema.Mix64(uint64(b)^salt)))
		})
		ids = ids[:n]
		slices.Sort(ids)
	}
	return ids
}

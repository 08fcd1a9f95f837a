package graph

// counter identifies a number that the stage reports. Checkpoints store the counters
// in this order; another order needs a new Version.
type counter int

const (
	triplesDistinct counter = iota
	questionsWritten
	answersWritten
	commentsWritten
	linksWritten
	tagsWritten
	wikisWritten
	questionsOutside       // of no selected language
	answersOutside         // the question is missing or in no graph
	acceptedDropped        // the accepted answer is missing, or another question's
	commentsOutside        // on a post in no graph
	commentsOnWikis        // not part of the graph
	commentsWithoutPost    // on a post that is not in the dump
	votesWithoutPost       // up and down votes for a post that is not in the dump
	linksOutside           // an end is in no graph
	linksRepeated          // a second row of the same edge
	duplicatesNotQuestions // an end is no question
	tagsWithoutRow         // the dump has no row of Tags
	wikisDropped           // a tag names a post that is missing or of another type
	counters
)

var counterNames = [counters]string{
	"triples_distinct", "questions", "answers", "comments", "links", "tags", "wikis",
	"questions_outside", "answers_outside", "accepted_dropped", "comments_outside", "comments_on_wikis",
	"comments_without_post", "votes_without_post", "links_outside", "links_repeated", "duplicates_not_questions",
	"tags_without_row", "wikis_dropped",
}

// counts are the values of the counters.
type counts [counters]int64

func (c *counts) byName() map[string]int64 {
	m := make(map[string]int64, counters)
	for i, name := range counterNames {
		m[name] = c[i]
	}
	return m
}

// addEach adds more[i] to to[i].
func addEach(to, more []int64) {
	for i, n := range more {
		to[i] += n
	}
}

func total(counts []int64) (n int64) {
	for _, c := range counts {
		n += c
	}
	return n
}

// newKindCounts returns a zero count for each kind of quads in each graph.
func newKindCounts(graphs, kinds int) [][]int64 {
	c := make([][]int64, graphs)
	for g := range c {
		c[g] = make([]int64, kinds)
	}
	return c
}

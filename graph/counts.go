package graph

// counter names a number that the stage reports. The order is stored in
// checkpoints: a change of it needs a new Version.
type counter int

const (
	triplesDistinct counter = iota
	questionsWritten
	answersWritten
	commentsWritten
	linksWritten
	tagsWritten
	wikisWritten
	questionsOutside       // no selected language
	answersOutside         // question missing or in no graph
	acceptedDropped        // accepted answer missing, or another question's
	commentsOutside        // on a post in no graph
	commentsOnWikis        // left out
	commentsWithoutPost    // on a post that is not in the dump
	votesWithoutPost       // up and down votes for a post that is not in the dump
	linksOutside           // an end in no graph
	linksRepeated          // the same edge again
	duplicatesNotQuestions // an end is no question
	tagsWithoutRow         // described by its name alone
	wikisDropped           // a tag names a post that is missing or of another type
	counters
)

var counterNames = [counters]string{
	"triples_distinct", "questions", "answers", "comments", "links", "tags", "wikis",
	"questions_outside", "answers_outside", "accepted_dropped", "comments_outside", "comments_on_wikis",
	"comments_without_post", "votes_without_post", "links_outside", "links_repeated", "duplicates_not_questions",
	"tags_without_row", "wikis_dropped",
}

// counts are the counters' values.
type counts [counters]int64

func (c *counts) add(d *counts) {
	for i := range d {
		c[i] += d[i]
	}
}

// sum adds each number of more to that in its place.
func sum(into, more []int64) {
	for i, n := range more {
		into[i] += n
	}
}

func total(counts []int64) (n int64) {
	for _, c := range counts {
		n += c
	}
	return n
}

func (c *counts) byName() map[string]int64 {
	m := make(map[string]int64, counters)
	for i, name := range counterNames {
		m[name] = c[i]
	}
	return m
}

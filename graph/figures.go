package graph

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"sync"
	"time"

	"s2g/schema"
	"s2g/schema/projection"
	"s2g/schema/tables"
	"s2g/schema/threads"
)

// figures are the counts of schema.Figures. Workers add posts and links while they render
// them. The counts do not depend on the order of posts, so they are the same for any
// number of workers, and for a run that resumes.
type figures struct {
	mu    sync.Mutex
	sum   *figureCounts
	index *threads.Index
	tags  []string // of all graphs; the remainder's is empty
}

func newFigures(index *threads.Index, o Options) *figures {
	f := &figures{index: index}
	for _, l := range o.Languages {
		f.tags = append(f.tags, l.Tag)
	}
	if o.Other {
		f.tags = append(f.tags, schema.OtherLanguage().Tag)
	}
	f.sum = newFigureCounts(newLinkRows(f.questionsByGraph(), f.tags))
	return f
}

// counts returns empty counts for a worker.
func (f *figures) counts() *figureCounts {
	return newFigureCounts(f.sum.links.linkRows)
}

// merge adds the counts of a worker.
func (f *figures) merge(c *figureCounts) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sum.merge(c)
}

// questionsByGraph returns the number of questions of each graph.
func (f *figures) questionsByGraph() []int64 {
	var bySet []int64
	for p := range f.index.All() {
		if p.Question {
			for int(p.Set) >= len(bySet) {
				bySet = append(bySet, 0)
			}
			bySet[p.Set]++
		}
	}
	byGraph := make([]int64, len(f.tags))
	for set, n := range bySet {
		if n > 0 {
			for _, g := range f.index.Graphs(threads.GraphSet(set)) {
				byGraph[g] += n
			}
		}
	}
	return byGraph
}

// result returns the figures of all posts.
func (f *figures) result() *schema.Figures {
	s := f.sum
	r := &schema.Figures{Months: map[string]schema.PostCounts{}, Scores: s.scores[:], Best: s.best}
	for month, n := range s.months {
		r.Months[string(month[:])] = *n
	}
	r.Answers, r.Examples = f.questionFigures()
	names := slices.SortedFunc(maps.Keys(s.tags), func(a, b string) int {
		return cmp.Or(cmp.Compare(s.tags[b].All, s.tags[a].All), cmp.Compare(a, b))
	})
	r.Tags = schema.TagFigures{Questions: s.questions, Different: int64(len(names))}
	for _, name := range names[:min(len(names), schema.LargestTags)] {
		r.Tags.Largest = append(r.Tags.Largest, schema.TagCount{Name: name, All: s.tags[name].All, InGraph: s.tags[name].InGraph})
	}
	r.Links = s.links.figures(f.tags)
	return r
}

// questionFigures returns what the index holds of questions: their numbers by answers, and
// the examples.
func (f *figures) questionFigures() (byAnswers, ids []int64) {
	byAnswers = make([]int64, schema.MaxAnswers+1)
	var e examples
	for p := range f.index.All() {
		if p.Question {
			byAnswers[min(p.Answers, schema.MaxAnswers)]++
			e.offer(p.ID, schema.ExampleRank(p.Answers, p.AcceptedAnswer != 0, p.HasBetter))
		}
	}
	e.thin()
	slices.Sort(e.ids)
	return byAnswers, e.ids
}

// examples are the questions of the highest rank. Of too many it keeps a sample that
// depends only on their ids.
type examples struct {
	rank int
	ids  []int64
}

// offer adds a question. Of those without answers, whose rank is negative, it keeps the
// first.
func (e *examples) offer(id int64, rank int) {
	switch {
	case len(e.ids) == 0 || rank > e.rank:
		e.rank, e.ids = rank, append(e.ids[:0], id)
	case rank == e.rank && rank >= 0:
		if e.ids = append(e.ids, id); len(e.ids) == 8*schema.ExampleQuestions {
			e.thin()
		}
	}
}

// thin keeps the ids with the smallest hashes.
func (e *examples) thin() {
	slices.SortFunc(e.ids, func(a, b int64) int { return cmp.Compare(schema.Mix64(uint64(a)), schema.Mix64(uint64(b))) })
	e.ids = e.ids[:min(len(e.ids), schema.ExampleQuestions)]
}

// addEarlier adds the posts and links of the units that the run does not render, because
// an interrupted run has: those before the checkpoint.
func (f *figures) addEarlier(ctx context.Context, src *source, last checkpoint) error {
	before, links := int64(math.MaxInt64), ""
	switch {
	case last.Phase == phasePosts && last.Unit <= 0:
		return nil
	case last.Phase == phasePosts:
		before, links = last.Unit, fmt.Sprintf(" AND PostId < %d", last.Unit)
	}
	var c *figureCounts
	err := projection.Read(ctx, src.db, func(int64) (func(*projection.Post), error) {
		c = f.counts()
		return func(row *projection.Post) {
			if row.ID >= before {
				return
			}
			p, ok := src.threads.Find(row.ID)
			if ok {
				var score []byte
				if row.HasScore {
					score = strconv.AppendInt(nil, int64(row.Score), 10)
				}
				c.addPost(p, time.UnixMilli(row.Created).UTC().AppendFormat(nil, "2006-01"), score)
			}
			if row.Question() {
				c.addTags(row.Tags, ok)
			}
		}, nil
	})
	if err != nil {
		return fmt.Errorf("counting the posts of an interrupted run: %w", err)
	}
	if src.tables["PostLinks"] {
		query := fmt.Sprintf("SELECT DISTINCT PostId, RelatedPostId, LinkTypeId = %d FROM PostLinks WHERE LinkTypeId IN (%[1]d, %d)", schema.LinkDuplicate, schema.LinkLinked) + links
		err = src.db.EachRow(ctx, query, func(row [][]byte) error {
			from, ok := src.threads.Find(tables.Int(row[0]))
			to, found := src.threads.Find(tables.Int(row[1]))
			if duplicate := tables.Int(row[2]) != 0; ok && found && (!duplicate || from.Question && to.Question) {
				c.links.add(src.threads.Graphs(from.Set), src.threads.Graphs(to.Set), duplicate)
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("counting the links of an interrupted run: %w", err)
		}
	}
	f.merge(c)
	return nil
}

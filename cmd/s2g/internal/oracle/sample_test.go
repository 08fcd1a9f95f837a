package oracle_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"s2g/cmd/s2g/internal/oracle"
	"s2g/schema/vocab"
)

// The sample of all posts adds up to the tallies of graphs.
func TestSampleOfAllPostsAddsUpToTallies(t *testing.T) {
	db := mini(t)
	for _, materialize := range []bool{false, true} {
		o := oracle.Options{Other: true, Materialize: materialize, Fields: true, Answers: true, Connections: 2}
		whole := compute(t, db, o)
		sample, err := oracle.ComputeSample(t.Context(), db, o, []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
		if err != nil {
			t.Fatal(err)
		}
		got := make([]oracle.Tallies, len(whole.Graphs))
		for _, in := range sample.Quads {
			for g, tallies := range in {
				for term := range oracle.AllTerms {
					got[g][term].Merge(tallies[term])
				}
			}
		}
		// a sample has no wikis and tags: only the terms that these do not have are compared
		threads := []string{vocab.Question, vocab.AnsweredQuestion, vocab.UnansweredQuestion, vocab.Answer, vocab.AcceptedAnswer, vocab.PossibleBetterAnswer,
			vocab.Comment, vocab.HasAnswer, vocab.HasAcceptedAnswer, vocab.HasPossibleBetterAnswer, vocab.HasComment, vocab.TaggedWith, vocab.LinkedTo,
			vocab.DuplicateOf, vocab.CommentID, vocab.HasTitle, vocab.UpVotes, vocab.DownVotes, vocab.ViewCount, vocab.AnswerCount, vocab.ClosedDate,
			"sioc:topic", "sioc:has_reply", "sioc:links_to"}
		for g := range whole.Graphs {
			for _, name := range threads {
				term, _ := oracle.LookupTerm(name)
				if got[g][term] != whole.Graphs[g][term] {
					t.Errorf("materialize %v, graph %d, %s: posts %v, the graph %v", materialize, g, term, got[g][term], whole.Graphs[g][term])
				}
			}
		}
		fields := make([]oracle.FieldTallies, len(whole.Graphs))
		for _, in := range sample.Fields {
			for g, f := range in {
				fields[g].Merge(f)
			}
		}
		for g := range whole.Graphs {
			want := whole.QuestionFields[g]
			want.Merge(&whole.AnswerFields[g])
			if diff := cmp.Diff(want, fields[g]); diff != "" {
				t.Errorf("materialize %v, graph %d, fields: %s", materialize, g, diff)
			}
		}
	}
}

func TestSampleHoldsEdgesOfItsPosts(t *testing.T) {
	db := mini(t)
	sample, err := oracle.ComputeSample(t.Context(), db, oracle.Options{Fields: true}, []int64{5, 10})
	if err != nil {
		t.Fatal(err)
	}
	if len(sample.Fields) != 1 || len(sample.Fields["/questions/5"]) != 2 {
		t.Errorf("fields of %v", sample.Fields)
	}
	duplicate, _ := oracle.LookupTerm(vocab.DuplicateOf)
	answers, _ := oracle.LookupTerm(vocab.HasAnswer)
	if len(sample.Quads["/questions/5"]) != 3 { // python, .net, and c#, which has the link to question 1
		t.Errorf("question 5 is in the graphs %v", sample.Quads["/questions/5"])
	}
	for g, in := range sample.Quads["/questions/5"] {
		whole := in[answers].Count > 0
		if in[duplicate].Count != 1 || whole && in.Quads() < 20 || !whole && in.Quads() != 1 {
			t.Errorf("graph %d: %d quads, %d of them duplicates", g, in.Quads(), in[duplicate].Count)
		}
	}
	if want := []int64{5, 6, 10}; !slices.Equal(sample.Threads, want) {
		t.Errorf("threads %v, want %v", sample.Threads, want)
	}
}

func TestDrawDependsOnSeedAlone(t *testing.T) {
	db := mini(t)
	draw := func(n int, seed uint64) []int64 {
		posts, err := oracle.Draw(t.Context(), db, n, seed)
		if err != nil {
			t.Fatal(err)
		}
		return posts
	}
	if got := draw(1000, 1); !slices.Equal(got, []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}) {
		t.Errorf("more posts than there are: %v", got)
	}
	some := draw(3, 1)
	if again := draw(3, 1); !slices.Equal(some, again) || len(some) != 2 { // no question or answer is in the last range of ids
		t.Errorf("the same seed draws %v and %v", some, again)
	}
	for seed := range uint64(20) {
		if !slices.Equal(draw(3, seed), some) {
			return
		}
	}
	t.Error("all seeds draw the same posts")
}

package vectors

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/tables"
	"s2g/vectors/search"
	"s2g/vectors/shard"
)

func searched(t *testing.T, out string, o search.Options) []search.Hit {
	t.Helper()
	r, err := search.Search(t.Context(), out, o)
	if err != nil {
		t.Fatal(err)
	}
	return r.Hits
}

func found(t *testing.T, out, language, words string) []int64 {
	t.Helper()
	hits := searched(t, out, search.Options{Slugs: []string{language}, Query: words, Top: 3})
	var ids []int64
	for _, h := range hits {
		ids = append(ids, h.PostID)
	}
	return ids
}

func TestSearch(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	o := smallOptions()
	o.Units = UnitsQuestion
	if err := smallRun(loadFixture(t), o).intoBuild(t.Context(), openDir(t, out)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		language, words string
		best            int64
	}{
		{"python", "merge dictionaries", 1},
		{"python", "dictionaries, merged?", 1}, // neither order nor inflection counts
		{"python", "sort tuples", 2},
		{"python", "how many minutes does step 17 of a recipe take", 8},
		{"java", "a method of null", 3},
		{"csharp", "lines of a file", 5},
	} {
		got := found(t, out, c.language, c.words)
		if len(got) == 0 || got[0] != c.best {
			t.Errorf("%s, %q: found %d, want %d first", c.language, c.words, got, c.best)
		}
		words := strings.Fields(c.words)
		slices.Reverse(words)
		if diff := cmp.Diff(got, found(t, out, c.language, strings.Join(words, " "))); diff != "" {
			t.Errorf("%q backwards: %s", c.words, diff)
		}
		if sorted := slices.Compact(slices.Sorted(slices.Values(got))); len(sorted) != len(got) {
			t.Errorf("%q: a post twice in %d", c.words, got)
		}
	}
	for words, want := range map[string][]int64{
		"the of and": nil, // no term
		"xylophones": nil, // a term that no point has
	} {
		if diff := cmp.Diff(want, found(t, out, "python", words)); diff != "" {
			t.Errorf("%q: %s", words, diff)
		}
	}
	hits := searched(t, out, search.Options{Slugs: []string{"python"}, Query: "join dicts of lists", Top: 1})
	want := []search.Hit{{
		PostID: 4, IRI: "http://stackoverflow.com/questions/4", Language: "python", Title: "Join dicts of lists into one mapping",
		Languages: []string{"python"}, CreationDate: "2015-03-05T10:00:00.004Z",
		Score: hits[0].Score, Strength: hits[0].Strength, Votes: 4, Tags: []string{"python", "pandas"}, DuplicateOf: []int64{1}, LinkedTo: []int64{2},
		Author: "http://stackoverflow.com/users/7", License: "https://creativecommons.org/licenses/by-sa/3.0/",
		Match: search.Match{PostID: 4, Type: "question", End: 49, Snippet: "Union of several dictionaries, later keys win."},
	}}
	want[0].Match.End = hits[0].Match.End
	if diff := cmp.Diff(want, hits); diff != "" {
		t.Error(diff)
	}
}

// Without a language all languages are searched as one, and a post of two is one result. A
// collection of the whole site takes their place where the build has it.
func TestSearchWithoutALanguage(t *testing.T) {
	t.Parallel()
	db := loadFixture(t)
	for _, c := range []struct {
		words    string
		site     bool
		best     int64
		language string
	}{
		{"merge dictionaries", false, 1, "python"},
		{"the second item of tuples", false, 2, "java"}, // of python, too
		{"a method of null", false, 3, "java"},
		{"lines of a file", false, 5, "c#"},
		{"lines of a file", true, 5, schema.SiteTag},
		{"minutes to boil an egg", true, 6, schema.SiteTag}, // of no language
	} {
		out := t.TempDir()
		o := smallOptions()
		if c.site {
			o.Languages = append(o.Languages, schema.SiteLanguage())
		}
		dir := openDir(t, out)
		if err := smallRun(db, o).intoBuild(t.Context(), dir); err != nil {
			t.Fatal(err)
		}
		if c.site {
			err := dir.Update(func(m *manifest.Manifest) { m.Options.WholeSite = true })
			if err != nil {
				t.Fatal(err)
			}
		}
		hits := searched(t, out, search.Options{Query: c.words, Top: 20})
		if h := hits[0]; h.PostID != c.best || h.Language != c.language {
			t.Errorf("%q, whole site %v: %+v", c.words, c.site, h)
		}
		var ids []int64
		for _, h := range hits {
			ids = append(ids, h.PostID)
		}
		want := []int64{1, 2, 3, 4, 5, 7, 8, 9, 10}
		if c.site {
			want = []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
		}
		if diff := cmp.Diff(want, slices.Sorted(slices.Values(ids))); diff != "" {
			t.Errorf("%q, whole site %v: each question once: %s", c.words, c.site, diff)
		}
	}
}

// A query of foreign words has no good match; the words of a post have one.
func TestNoGoodMatch(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	dir := openDir(t, out)
	if err := smallRun(loadFixture(t), smallOptions()).intoBuild(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	for _, least := range []float64{0, .4, 9} { // 0: the default
		if least > 0 {
			err := dir.Update(func(m *manifest.Manifest) {
				m.Stages[manifest.Vectors].Embedders.NoGoodMatch = &manifest.NoGoodMatch{Least: least}
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		for words, good := range map[string]bool{"merge two dictionaries": least < 9, "how xylophones resonate in a marble cathedral": false} {
			r, err := search.Search(t.Context(), out, search.Options{Query: words})
			if err != nil {
				t.Fatal(err)
			}
			if r.NoGoodMatch == good {
				t.Errorf("%q, threshold %g: good match %v, strengths from %+v", words, least, !r.NoGoodMatch, r.Hits)
			}
		}
	}
}

// With the weight 0 dense scores count nothing, and no question is found that has none of
// the words.
func TestSearchByWordsAlone(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	dir := openDir(t, out)
	o := smallOptions()
	o.Units = UnitsQuestion
	if err := smallRun(loadFixture(t), o).intoBuild(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	if err := dir.Update(func(m *manifest.Manifest) { m.Stages[manifest.Vectors].Embedders.Weight = 0 }); err != nil {
		t.Fatal(err)
	}
	for words, want := range map[string][]int64{"tuples": {2}, "the of and": nil} {
		if diff := cmp.Diff(want, found(t, out, "python", words)); diff != "" {
			t.Errorf("%q: %s", words, diff)
		}
	}
}

// Answers are searched, too, and give their questions.
func TestSearchWithAnswers(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	db := loadFixture(t)
	if err := smallRun(db, smallOptions()).intoBuild(t.Context(), openDir(t, out)); err != nil {
		t.Fatal(err)
	}
	hits := searched(t, out, search.Options{Slugs: []string{"python"}, Query: "pass a key function", Top: 2})
	if h := hits[0]; h.PostID != 2 || h.IRI != "http://stackoverflow.com/questions/2" || h.Match.PostID != 32 || h.Match.Type != "answer" || h.Votes != 2 {
		t.Errorf("%+v", h)
	}
	if hits[1].PostID == 2 {
		t.Error("a question twice, by itself and by its answer")
	}
}

func TestSearchHops(t *testing.T) {
	t.Parallel()
	db := loadFixture(t)
	build := func(units string) string {
		out := t.TempDir()
		o := smallOptions()
		o.Units = units
		o.Languages = append(o.Languages, schema.Language{Tag: "pandas", Slug: "pandas", Name: "pandas"})
		if err := smallRun(db, o).intoBuild(t.Context(), openDir(t, out)); err != nil {
			t.Fatal(err)
		}
		return out
	}
	questions, answers := build(UnitsQuestion), build(UnitsQuestionAnswer)
	for _, c := range []struct {
		what, out, slug, words string
		accepted               bool
		want                   []string
	}{
		{"both edges of a question, into another graph too", questions, "python", "join dicts of lists", false,
			[]string{"4", "1 by 4 -DuplicateOf-> 1", "2 by 4 -LinkedTo-> 2"}},
		{"edges that lead to a question, one from another language", questions, "python", "sorting tuples by the second item", false,
			[]string{"2", "4 by 4 -LinkedTo-> 2", "10 by 10 -LinkedTo-> 2"}},
		{"a link to an answer stands for its question", answers, "python", "sorting tuples by the second item", false,
			[]string{"2", "1 by 2 -LinkedTo-> 31", "4 by 4 -LinkedTo-> 2", "10 by 10 -LinkedTo-> 2"}},
		{"a duplicate leads to what has an accepted answer", questions, "pandas", "union of several dictionaries: later keys win", true,
			[]string{"1 by 4 -DuplicateOf-> 1"}},
	} {
		hits := searched(t, c.out, search.Options{Slugs: []string{c.slug}, Query: c.words, Top: 1, Hops: 1, Filter: search.Filter{Accepted: c.accepted}})
		var got []string
		for _, h := range hits {
			got = append(got, describe(h))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", c.what, diff)
		}
		// the same from questions that another finder has found
		direct := searched(t, c.out, search.Options{Slugs: []string{c.slug}, Query: c.words, Top: 4})
		o := search.Options{Slugs: []string{c.slug}, Query: c.words, Top: 1, Hops: 1, Filter: search.Filter{Accepted: c.accepted}, Find: finderOf(t, c.out, direct)}
		hits = searched(t, c.out, o)
		got = nil
		for _, h := range hits {
			got = append(got, describe(h))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s, by another finder: %s", c.what, diff)
		}
	}

	find := finderOf(t, questions, []search.Hit{{PostID: 4, Language: "python"}})
	if err := os.RemoveAll(filepath.Join(questions, "vectors", "pandas")); err != nil {
		t.Fatal(err)
	}
	_, err := search.Search(t.Context(), questions, search.Options{Slugs: []string{"python"}, Query: "x", Hops: 1, Find: find})
	if fault, remedy := schema.FaultOf(err); fault != schema.FaultUsage || !strings.Contains(remedy, "option hops") {
		t.Errorf("without a shard: %v", err)
	}
}

// finderOf returns a finder of the questions of hits, in the place of a vector database.
func finderOf(t *testing.T, out string, hits []search.Hit) search.Finder {
	t.Helper()
	var list []search.Found
	for _, h := range hits {
		slug := strings.Replace(h.Language, "#", "sharp", 1)
		for _, p := range readShards(t, out, slug) {
			if p.PostID == h.PostID && p.Chunk == 0 {
				list = append(list, search.Found{Question: &p, Match: &p, Score: h.Score})
			}
		}
	}
	return func(_ context.Context, _ *search.Query, n int, _ search.Filter) ([]search.Found, error) {
		return list[:min(n, len(list))], nil
	}
}

// readShards reads the points of a language.
func readShards(t *testing.T, out, slug string) (points []shard.Point) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(out, "vectors", slug, "*.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		rows, err := parquet.ReadFile[shard.Point](file)
		if err != nil {
			t.Fatal(err)
		}
		points = append(points, rows...)
	}
	return points
}

func describe(h search.Hit) string {
	id := strconv.FormatInt(h.PostID, 10)
	switch v := h.Via; {
	case v == nil:
		return id
	case v.Direction == search.DirectionOut:
		return fmt.Sprintf("%s by %d -%s-> %d", id, v.From, v.Edge, v.Post)
	default:
		return fmt.Sprintf("%s by %d -%s-> %d", id, v.Post, v.Edge, v.From)
	}
}

// Only questions with an accepted answer are found, though others fit better.
func TestSearchAccepted(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	if err := smallRun(loadFixture(t), smallOptions()).intoBuild(t.Context(), openDir(t, out)); err != nil {
		t.Fatal(err)
	}
	hits := searched(t, out, search.Options{Slugs: []string{"python"}, Query: "join dicts of lists", Top: 2, Filter: search.Filter{Accepted: true}})
	if len(hits) != 1 || hits[0].PostID != 1 || hits[0].AcceptedAnswerID != 31 {
		t.Errorf("%+v", hits)
	}
}

func TestThreads(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	db := loadFixture(t)
	if err := smallRun(db, smallOptions()).intoBuild(t.Context(), openDir(t, out)); err != nil {
		t.Fatal(err)
	}
	want := []search.Answer{{
		PostID: 31, IRI: "http://stackoverflow.com/a/31", Accepted: true, Votes: -2, Created: "2020-01-02T03:04:05.678Z", Text: "Use `{**a, **b}`.",
		License: "https://creativecommons.org/licenses/by-sa/4.0/",
	}}
	for what, db := range map[string]*tables.DB{"by the tables": db, "by the shards": nil} {
		hits := searched(t, out, search.Options{Slugs: []string{"python"}, Query: "merge two dictionaries", Top: 1})
		if err := search.AddThreads(t.Context(), out, db, hits); err != nil {
			t.Fatal(err)
		}
		if hits[0].Text != "I have two dicts and want one mapping with the keys of both." {
			t.Errorf("%s: %q", what, hits[0].Text)
		}
		if diff := cmp.Diff(want, hits[0].Answers); diff != "" {
			t.Errorf("%s: %s", what, diff)
		}
	}
}

func TestSearchRefuses(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	for _, language := range []string{"python", "klingon", ""} {
		_, err := search.Search(t.Context(), out, search.Options{Slugs: []string{language}, Query: "x"})
		if fault, remedy := schema.FaultOf(err); fault != schema.FaultUsage || remedy == "" {
			t.Errorf("without a build: %v", err)
		}
	}
	if err := smallRun(loadFixture(t), smallOptions()).intoBuild(t.Context(), openDir(t, out)); err != nil {
		t.Fatal(err)
	}
	_, err := search.Search(t.Context(), out, search.Options{Slugs: []string{"klingon"}, Query: "x"})
	if fault, remedy := schema.FaultOf(err); fault != schema.FaultUsage || !strings.Contains(remedy, "csharp, java, python") {
		t.Errorf("an unknown language: %v (%s)", err, remedy)
	}
}

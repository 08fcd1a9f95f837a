package report

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"s2g/cmd/s2g/internal/buildtest"
	"s2g/schema"
)

// plainScan is what a table scan counts, computed from the XML of a small dump in
// the simplest way.
type plainScan struct {
	Months  map[string]postCounts // by year and month
	Tags    map[string]tagCount
	Best    []scoredQuestion
	Scores  []postCounts
	Answers []int64
	Cells   map[[2]string]linkCount // by tags
	All     linkCount
	Across  linkCount
}

func scanXML(t *testing.T, dump string, langs []schema.Language) plainScan {
	posts := buildtest.Rows(t, filepath.Join(dump, "Posts.xml"))
	in := map[string][]string{} // tags of languages, by post
	kind := map[string]string{}
	s := plainScan{Months: map[string]postCounts{}, Tags: map[string]tagCount{}, Scores: make([]postCounts, len(scoreBins)), Answers: make([]int64, maxAnswers+1), Cells: map[[2]string]linkCount{}}
	for _, p := range posts {
		if p["PostTypeId"] != "1" {
			continue
		}
		for _, l := range langs {
			if strings.Contains(p["Tags"], "<"+l.Tag+">") {
				in[p["Id"]] = append(in[p["Id"]], l.Tag)
			}
		}
		for tag := range strings.FieldsFuncSeq(p["Tags"], func(c rune) bool { return c == '<' || c == '>' }) {
			c := s.Tags[tag]
			if c.all++; in[p["Id"]] != nil {
				c.inGraph++
			}
			s.Tags[tag] = c
		}
	}
	for _, p := range posts {
		kind[p["Id"]] = p["PostTypeId"]
		if p["PostTypeId"] == "2" && kind[p["ParentId"]] != "2" && in[p["ParentId"]] != nil {
			in[p["Id"]] = in[p["ParentId"]]
		}
	}
	given := map[string]int{}
	for _, p := range posts {
		if in[p["Id"]] == nil {
			continue
		}
		question := p["PostTypeId"] == "1"
		month := p["CreationDate"][:7]
		of := s.Months[month]
		of.count(question)
		s.Months[month] = of
		id, _ := strconv.ParseInt(p["Id"], 10, 64)
		score, _ := strconv.Atoi(p["Score"])
		for i := len(scoreBins) - 1; i >= 0; i-- {
			if score >= int(scoreBins[i].from) {
				s.Scores[i].count(question)
				break
			}
		}
		if question {
			s.Best = append(s.Best, scoredQuestion{id, int64(score)})
			given[p["Id"]] += 0
		} else {
			given[p["ParentId"]]++
		}
	}
	slices.SortFunc(s.Best, func(a, b scoredQuestion) int { return cmp.Or(int(b.score-a.score), int(a.id-b.id)) })
	s.Best = s.Best[:shownQuestions]
	for _, n := range given {
		s.Answers[min(n, maxAnswers)]++
	}
	seen := map[[3]string]bool{}
	for _, l := range buildtest.Rows(t, filepath.Join(dump, "PostLinks.xml")) {
		from, to := l["PostId"], l["RelatedPostId"]
		duplicate := l["LinkTypeId"] == "3"
		edge := [3]string{from, to, l["LinkTypeId"]}
		if in[from] == nil || in[to] == nil || seen[edge] || duplicate && (kind[from] != "1" || kind[to] != "1") {
			continue
		}
		seen[edge] = true
		s.All.count(duplicate)
		if !slices.ContainsFunc(in[from], func(tag string) bool { return slices.Contains(in[to], tag) }) {
			s.Across.count(duplicate)
		}
		for _, a := range in[from] {
			for _, b := range in[to] {
				c := s.Cells[[2]string{a, b}]
				c.count(duplicate)
				s.Cells[[2]string{a, b}] = c
			}
		}
	}
	return s
}

func TestTableScanCountsTheDump(t *testing.T) {
	dump := buildtest.Sample(t, 3000)
	langs := schema.DefaultLanguages()
	want := scanXML(t, dump, langs)
	t.Parallel()
	db := server.Database(t)
	buildtest.Load(t, db, dump)
	r, err := Gather(t.Context(), db, optionsOf(t))
	if err != nil {
		t.Fatal(err)
	}
	got := plainScan{Months: map[string]postCounts{}, Tags: map[string]tagCount{}, Best: r.scan.best, Scores: r.scan.scores[:], Answers: r.scan.answers[:], Cells: map[[2]string]linkCount{}, All: r.scan.links.all, Across: r.scan.links.across}
	for month, p := range r.scan.months {
		got.Months[fmt.Sprintf("%04d-%02d", month/12, month%12+1)] = *p
	}
	for tag, c := range r.scan.tags {
		got.Tags[tag] = *c
	}
	for i, row := range r.scan.links.cells {
		for j, c := range row {
			if c.sum() > 0 {
				got.Cells[[2]string{langs[r.order[i]].Tag, langs[r.order[j]].Tag}] = c
			}
		}
	}
	if diff := gocmp.Diff(want, got, gocmp.AllowUnexported(postCounts{}, linkCount{}, tagCount{}, scoredQuestion{})); diff != "" {
		t.Error(diff)
	}
	if want.All.duplicate == 0 || want.All.linked == 0 || len(want.Months) < 100 || len(want.Tags) < 50 || want.Answers[0] == 0 {
		t.Errorf("the sample has too little to tell: %+v", want)
	}
}

func TestLinksAreCountedByLanguage(t *testing.T) {
	links := newLinkCounts([]int{7, 3}) // graph 7 in the first row
	links.count([]int{3, 7}, []int{7}, false)
	links.count([]int{3}, []int{7, 9}, true)
	links.count([]int{9}, []int{7}, false)
	want := [][]linkCount{{{linked: 1}, {}}, {{linked: 1, duplicate: 1}, {}}}
	if diff := gocmp.Diff(want, links.cells, gocmp.AllowUnexported(linkCount{})); diff != "" {
		t.Error(diff)
	}
	if links.all != (linkCount{2, 1}) || links.across != (linkCount{1, 1}) || links.outside != 1 {
		t.Errorf("%+v", links)
	}
	if got := links.largest(5); len(got) != 1 || got[0].from != 1 || got[0].to != 0 {
		t.Errorf("largest %+v", got)
	}
}

func TestCandidatesAreASample(t *testing.T) {
	var c candidates
	c.offer(answeredQuestion{id: 1, answers: 9})
	c.offer(answeredQuestion{id: 2, answers: 2, accepted: true, better: true})
	c.offer(answeredQuestion{id: 3, answers: 1})
	if diff := gocmp.Diff([]int64{2}, c.ids); diff != "" {
		t.Error(diff)
	}
	for id := range int64(100_000) {
		c.offer(answeredQuestion{id: 10 + id, answers: 3, accepted: true, better: true})
	}
	c.thin()
	if len(c.ids) != keptCandidates || cap(c.ids) > 100*keptCandidates {
		t.Errorf("%d candidates are kept in room for %d", len(c.ids), cap(c.ids))
	}
	if high := slices.Max(c.ids); high < 50_000 {
		t.Errorf("the last candidate is %d: a sample of the first", high)
	}
}

package stats

import (
	"cmp"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"s2g/cmd/s2g/internal/buildtest"
	"s2g/cmd/s2g/internal/oracle"
	"s2g/graph"
	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/schematest"
	"s2g/schema/vocab"
)

// TestFiguresAreThoseOfTheDump counts a dump a third time, from its XML.
func TestFiguresAreThoseOfTheDump(t *testing.T) {
	db := server.Open(t)
	mini := func(testing.TB) string { return "../oracle/testdata/mini" }
	sample := func(t testing.TB) string { return buildtest.Sample(t, 3000) }
	foreign := func(t testing.TB) (dump string) { dump, _ = buildtest.TagDump(t); return dump }
	for _, c := range []struct {
		name string
		dump func(testing.TB) string
		o    Options
	}{
		{"mini", mini, Options{}},
		{"remainder", mini, Options{Other: true}},
		{"whole site", mini, Options{Languages: []schema.Language{schema.SiteLanguage()}}},
		{"whole site and languages", sample, Options{Languages: append(buildtest.Languages(t, "python,c#"), schema.SiteLanguage())}},
		{"sample", sample, Options{}},
		{"more graphs than cells", foreign, Options{Languages: manyLanguages(t), Other: true}},
		{"no question", sample, Options{Languages: buildtest.Languages(t, "no-such-tag")}},
		{"bioinformatics", func(t testing.TB) string { return schematest.Dump(t, "bioinformatics.stackexchange.com") }, Options{Other: true}},
		{"bicycles", func(t testing.TB) string { return schematest.Dump(t, "bicycles.meta.stackexchange.com") },
			Options{Languages: buildtest.Languages(t, "discussion,no-such-tag,support,moderation")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dump, o := c.dump(t), c.o.withDefaults()
			want := figuresOf(t, dump, o)
			buildtest.Load(t, db, dump)
			counted, err := oracle.Compute(t.Context(), db, oracle.Options{Languages: o.Languages, Other: o.Other, Connections: 3})
			if err != nil {
				t.Fatal(err)
			}
			if diff := gocmp.Diff(want, counted.Figures, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("dump -, oracle +\n%s", diff)
			}
			_, ontology := buildtest.Graph(t, db, graph.Options{Site: vocab.StackOverflow, Languages: o.Languages, Other: o.Other})
			m, err := manifest.Read(filepath.Dir(filepath.Dir(ontology)))
			if err != nil {
				t.Fatal(err)
			}
			stored := m.Stages[manifest.Graph].Figures
			if diff := gocmp.Diff(want, stored, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("dump -, manifest +\n%s", diff)
			}
			if graphs := (manifest.Options{Languages: o.Languages, Other: o.Other}).Graphs(); !stored.Fits(graphs) {
				t.Error("the figures do not fit the build")
			}
		})
	}
}

// manyLanguages are more tags of a sample than Figures has cells for.
func manyLanguages(t testing.TB) []schema.Language {
	_, languages := buildtest.TagDump(t)
	return buildtest.Languages(t, languages)
}

// xmlPost is a row of Posts.xml.
type xmlPost struct {
	id, parent, accepted, kind string
	score                      int64
	tags, graphs               []string
	month                      string
	scored                     bool
}

// figuresOf counts the rows of a small dump in the simplest way.
func figuresOf(t *testing.T, dump string, o Options) *schema.Figures {
	f := &schema.Figures{Months: map[string]schema.PostCounts{}, Scores: make([]schema.PostCounts, len(schema.ScoreRanges)), Answers: make([]int64, schema.MaxAnswers+1)}
	posts := map[string]*xmlPost{}
	var order []*xmlPost
	for _, row := range buildtest.Rows(t, filepath.Join(dump, "Posts.xml")) {
		p := &xmlPost{id: row["Id"], parent: row["ParentId"], accepted: row["AcceptedAnswerId"], kind: row["PostTypeId"], month: row["CreationDate"][:7]}
		if p.scored = row["Score"] != ""; p.scored {
			p.score = number(t, row["Score"])
		}
		for tag := range strings.FieldsFuncSeq(row["Tags"], func(c rune) bool { return strings.ContainsRune("<>|", c) }) {
			if !slices.Contains(p.tags, tag) {
				p.tags = append(p.tags, tag)
			}
		}
		posts[p.id] = p
		order = append(order, p)
	}
	slices.SortFunc(order, func(a, b *xmlPost) int { return cmp.Compare(number(t, a.id), number(t, b.id)) })
	questions := map[string]int64{} // by graph
	tags := map[string]*schema.TagCount{}
	for _, p := range order {
		if p.kind != "1" {
			continue
		}
		f.Tags.Questions++
		for _, l := range o.Languages {
			if l.Tag == schema.SiteTag || slices.Contains(p.tags, l.Tag) {
				p.graphs = append(p.graphs, l.Tag)
			}
		}
		if p.graphs == nil && o.Other {
			p.graphs = []string{""}
		}
		for _, g := range p.graphs {
			questions[g]++
		}
		for _, tag := range p.tags {
			if tags[tag] == nil {
				tags[tag] = &schema.TagCount{Name: tag}
			}
			if tags[tag].All++; p.graphs != nil {
				tags[tag].InGraph++
			}
		}
	}
	for _, n := range tags {
		f.Tags.Largest = append(f.Tags.Largest, *n)
	}
	f.Tags.Different = int64(len(tags))
	slices.SortFunc(f.Tags.Largest, func(a, b schema.TagCount) int { return cmp.Or(cmp.Compare(b.All, a.All), cmp.Compare(a.Name, b.Name)) })
	f.Tags.Largest = f.Tags.Largest[:min(len(f.Tags.Largest), 20)]

	answers, better := map[string]int{}, map[string]bool{}
	acceptedOf := func(q *xmlPost) *xmlPost {
		if a := posts[q.accepted]; a != nil && a.kind == "2" && a.parent == q.id {
			return a
		}
		return nil
	}
	for _, p := range order {
		if q := posts[p.parent]; p.kind == "2" && q != nil && q.kind == "1" && q.graphs != nil {
			p.graphs = q.graphs
			answers[q.id]++
			if a := acceptedOf(q); a != nil && p.score > a.score {
				better[q.id] = true
			}
		}
	}
	ranks := map[int][]int64{}
	for _, p := range order {
		if p.graphs == nil {
			continue
		}
		count := func(n *schema.PostCounts) {
			if p.kind == "1" {
				n.Questions++
			} else {
				n.Answers++
			}
		}
		month := f.Months[p.month]
		count(&month)
		f.Months[p.month] = month
		if p.scored {
			at := 0
			for i, from := range schema.ScoreRanges {
				if p.score >= from {
					at = i
				}
			}
			count(&f.Scores[at])
		}
		if p.kind != "1" {
			continue
		}
		id := number(t, p.id)
		if p.scored {
			f.Best = append(f.Best, schema.ScoredQuestion{ID: id, Score: p.score})
		}
		f.Answers[min(answers[p.id], 10)]++
		rank := schema.ExampleRank(answers[p.id], acceptedOf(p) != nil, better[p.id])
		ranks[rank] = append(ranks[rank], id)
	}
	slices.SortStableFunc(f.Best, func(a, b schema.ScoredQuestion) int { return cmp.Compare(b.Score, a.Score) })
	f.Best = f.Best[:min(len(f.Best), 10)]
	for rank := 3; rank >= -1 && f.Examples == nil; rank-- {
		f.Examples = ranks[rank]
		if rank < 0 {
			f.Examples = f.Examples[:min(len(f.Examples), 1)]
		}
	}
	if len(f.Examples) > 256 {
		t.Fatal("the dump has more examples than this counts")
	}
	f.Links = linkFiguresOf(t, dump, o, posts, questions)
	return f
}

func linkFiguresOf(t *testing.T, dump string, o Options, posts map[string]*xmlPost, questions map[string]int64) (f schema.LinkFigures) {
	for _, l := range (manifest.Options{Languages: o.Languages, Other: o.Other}).Graphs() {
		if questions[l.Tag] > 0 && (l.Tag != schema.SiteTag || len(questions) == 1) {
			f.Graphs = append(f.Graphs, l.Tag)
		}
	}
	slices.SortStableFunc(f.Graphs, func(a, b string) int { return cmp.Compare(questions[b], questions[a]) })
	f.Graphs = f.Graphs[:min(len(f.Graphs), 40)]
	for range f.Graphs {
		f.Linked, f.Duplicate = append(f.Linked, make([]int64, len(f.Graphs))), append(f.Duplicate, make([]int64, len(f.Graphs)))
	}
	seen := map[[3]string]bool{}
	for _, l := range buildtest.Rows(t, filepath.Join(dump, "PostLinks.xml")) {
		from, to, edge := posts[l["PostId"]], posts[l["RelatedPostId"]], [3]string{l["PostId"], l["RelatedPostId"], l["LinkTypeId"]}
		if from == nil || to == nil || from.graphs == nil || to.graphs == nil || seen[edge] {
			continue
		}
		all, across, cells := &f.All.Linked, &f.Across.Linked, f.Linked
		switch l["LinkTypeId"] {
		case "1":
		case "3":
			if from.kind != "1" || to.kind != "1" {
				continue
			}
			all, across, cells = &f.All.Duplicate, &f.Across.Duplicate, f.Duplicate
		default:
			continue
		}
		seen[edge] = true
		*all++
		inside, shared := false, false
		for _, a := range from.graphs {
			for _, b := range to.graphs {
				shared = shared || a == b
				if i, j := slices.Index(f.Graphs, a), slices.Index(f.Graphs, b); i >= 0 && j >= 0 {
					cells[i][j]++
					inside = true
				}
			}
		}
		if !shared {
			*across++
		}
		if !inside {
			f.Outside++
		}
	}
	return f
}

func number(t *testing.T, digits string) int64 {
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

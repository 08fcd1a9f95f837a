package threads

import (
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"s2g/schema"
	"s2g/schema/projection"
	"s2g/schema/tables"
)

func TestMain(m *testing.M) {
	tables.Supervise()
	os.Exit(m.Run())
}

var langs = []schema.Language{{Tag: "c"}, {Tag: "c++"}, {Tag: ".net"}}

// row is a row of Posts: a question, unless parent is set.
type row struct {
	id, parent, accepted, score int64
	tags                        string
}

func indexOf(other bool, rows ...row) *Index {
	b := newBuilder(newGraphSets(langs, other), len(rows))
	for _, r := range rows {
		if r.parent == 0 {
			b.addPost(&projection.Post{ID: r.id, Type: schema.PostQuestion, Linked: r.accepted, Tags: []byte(r.tags)})
		} else {
			b.addPost(&projection.Post{ID: r.id, Type: schema.PostAnswer, Linked: r.parent, Score: int32(r.score), HasScore: true})
		}
	}
	return b.finish()
}

// entry is a Post with the positions of its graphs.
type entry struct {
	Post
	Graphs []int
}

func entries(x *Index) []entry {
	var all []entry
	for p := range x.All() {
		e := entry{p, x.Graphs(p.Set)}
		e.Set = 0
		all = append(all, e)
	}
	return all
}

func TestIndexFollowsTheRules(t *testing.T) {
	q := func(id int64, answers int, accepted int64, graphs ...int) entry {
		return entry{Post{ID: id, Question: true, Answered: answers > 0, Answers: answers, AcceptedAnswer: accepted}, graphs}
	}
	a := func(id, parent int64, graphs ...int) entry { return entry{Post{ID: id, Parent: parent}, graphs} }
	is := func(e entry) entry { e.IsAccepted = true; return e }
	better := func(e entry) entry { e.IsBetter = true; return e }
	hasBetter := func(e entry) entry { e.HasBetter = true; return e }

	cases := []struct {
		name  string
		other bool
		rows  []row
		want  []entry
	}{
		{"nothing", false, nil, nil},
		{"no language", false, []row{{id: 1, tags: "|cobol|"}, {id: 2, parent: 1}}, nil},
		{"no language, with a remainder", true, []row{{id: 1, tags: "|cobol|"}, {id: 2, parent: 1}, {id: 3, tags: "|c|cobol|"}},
			[]entry{q(1, 1, 0, 3), a(2, 1, 3), q(3, 0, 0, 0)}},
		{"no tags", true, []row{{id: 1}}, []entry{q(1, 0, 0, 3)}},
		{"several languages, in the table's order", false, []row{{id: 1, tags: "|.net|x|c|"}}, []entry{q(1, 0, 0, 0, 2)}},
		{"tags are exact bytes", false, []row{{id: 1, tags: "|C|c+|c ||"}, {id: 2, tags: "|c++|"}}, []entry{q(2, 0, 0, 1)}},
		{"a tag twice", false, []row{{id: 1, tags: "|c|c|"}}, []entry{q(1, 0, 0, 0)}},
		{"accepted and better", false,
			[]row{{id: 1, tags: "|c|", accepted: 3}, {id: 2, parent: 1, score: 5}, {id: 3, parent: 1, score: 4}, {id: 4, parent: 1, score: 4}, {id: 5, parent: 1, score: 3}},
			[]entry{hasBetter(q(1, 4, 3, 0)), better(a(2, 1, 0)), is(a(3, 1, 0)), a(4, 1, 0), a(5, 1, 0)}},
		{"better than a negative score", false,
			[]row{{id: 1, tags: "|c|", accepted: 2}, {id: 2, parent: 1, score: -1}, {id: 3, parent: 1}, {id: 4, parent: 1, score: -2}},
			[]entry{hasBetter(q(1, 3, 2, 0)), is(a(2, 1, 0)), better(a(3, 1, 0)), a(4, 1, 0)}},
		{"more answers than it counts", false, manyAnswers(MaxAnswers + 3), append([]entry{q(1, MaxAnswers, 0, 0)}, func() (all []entry) {
			for _, r := range manyAnswers(MaxAnswers + 3)[1:] {
				all = append(all, a(r.id, 1, 0))
			}
			return all
		}()...)},
		{"accepted answer is missing", false, []row{{id: 1, tags: "|c|", accepted: 9}, {id: 2, parent: 1, score: 5}},
			[]entry{q(1, 1, 0, 0), a(2, 1, 0)}},
		{"accepted answer is another question's", false,
			[]row{{id: 1, tags: "|c|", accepted: 4}, {id: 2, parent: 1, score: 5}, {id: 3, tags: "|c|"}, {id: 4, parent: 3}},
			[]entry{q(1, 1, 0, 0), a(2, 1, 0), q(3, 1, 0, 0), a(4, 3, 0)}},
		{"accepted answer is a question", false, []row{{id: 1, tags: "|c|", accepted: 2}, {id: 2, tags: "|c|"}},
			[]entry{q(1, 0, 0, 0), q(2, 0, 0, 0)}},
		{"question names itself", false, []row{{id: 1, tags: "|c|", accepted: 1}}, []entry{q(1, 0, 0, 0)}},
		{"answer to itself, to an answer, to nothing", false,
			[]row{{id: 1, tags: "|c|"}, {id: 2, parent: 2}, {id: 3, parent: 1}, {id: 4, parent: 3}, {id: 5, parent: 77}},
			[]entry{q(1, 1, 0, 0), a(3, 1, 0)}},
		{"answers before their question", false,
			[]row{{id: 1, parent: 5, score: 2}, {id: 2, parent: 5, score: 1}, {id: 5, tags: "|c|.net|", accepted: 2}},
			[]entry{better(a(1, 5, 0, 2)), is(a(2, 5, 0, 2)), hasBetter(q(5, 2, 2, 0, 2))}},
		{"sparse ids", false,
			[]row{{id: 1, tags: "|c|", accepted: math.MaxInt64}, {id: 1000000001, parent: 1}, {id: math.MaxInt64, parent: 1, score: math.MaxInt32}},
			[]entry{q(1, 2, math.MaxInt64, 0), a(1000000001, 1, 0), is(a(math.MaxInt64, 1, 0))}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			x := indexOf(c.other, c.rows...)
			if diff := cmp.Diff(c.want, entries(x)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if x.Len() != len(c.want) {
				t.Errorf("Len %d, want %d", x.Len(), len(c.want))
			}
		})
	}
}

// manyAnswers returns a question and n answers to it.
func manyAnswers(n int) []row {
	rows := []row{{id: 1, tags: "|c|"}}
	for i := range n {
		rows = append(rows, row{id: int64(i) + 2, parent: 1})
	}
	return rows
}

// simple computes the entries of rows by the rules, without an index.
func simple(rows []row, other bool) map[int64]entry {
	byID := make(map[int64]row)
	graphs := make(map[int64][]int)
	for _, r := range rows {
		byID[r.id] = r
		if r.parent != 0 {
			continue
		}
		for g, l := range langs {
			if strings.Contains(r.tags, "|"+l.Tag+"|") {
				graphs[r.id] = append(graphs[r.id], g)
			}
		}
		if len(graphs[r.id]) == 0 && other {
			graphs[r.id] = []int{len(langs)}
		}
	}
	accepted := func(q int64) (row, bool) {
		a, ok := byID[byID[q].accepted]
		return a, ok && a.parent == q
	}
	all := make(map[int64]entry)
	for _, r := range rows {
		if r.parent == 0 && len(graphs[r.id]) > 0 {
			e := entry{Post{ID: r.id, Question: true}, graphs[r.id]}
			if a, ok := accepted(r.id); ok {
				e.AcceptedAnswer = a.id
			}
			for _, a := range rows {
				if a.parent == r.id {
					e.Answered, e.Answers = true, min(e.Answers+1, MaxAnswers)
					accepted, ok := accepted(r.id)
					e.HasBetter = e.HasBetter || ok && a.score > accepted.score
				}
			}
			all[r.id] = e
		}
		if q := r.parent; q != 0 && byID[q].parent == 0 && len(graphs[q]) > 0 {
			e := entry{Post{ID: r.id, Parent: q}, graphs[q]}
			if a, ok := accepted(q); ok {
				e.IsAccepted = a.id == r.id
				e.IsBetter = r.score > a.score
			}
			all[r.id] = e
		}
	}
	return all
}

func TestIndexEqualsTheSimpleRules(t *testing.T) {
	tags := []string{"", "|c|", "|c++|", "|x|", "|.net|c|", "|x|c++|y|"}
	for seed := range uint64(300) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		step := []int64{1, 3, 1 << 20, 1 << 55}[seed%4]
		var ids []int64
		for id := int64(1); len(ids) < int(seed) && id > 0; id += 1 + rnd.Int64N(step) {
			ids = append(ids, id)
		}
		pick := func() int64 {
			if len(ids) == 0 || rnd.IntN(9) == 0 {
				return rnd.Int64()
			}
			return ids[rnd.IntN(len(ids))]
		}
		var rows []row
		for _, id := range ids {
			r := row{id: id, score: rnd.Int64N(7) - 3}
			if rnd.IntN(3) > 0 {
				r.parent = pick()
			} else {
				r.tags, r.accepted = tags[rnd.IntN(len(tags))], pick()
			}
			rows = append(rows, r)
		}
		other := seed%2 == 0
		x, want := indexOf(other, rows...), simple(rows, other)
		got := make(map[int64]entry)
		for _, e := range entries(x) {
			got[e.ID] = e
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("seed %d: (-want +got)\n%s", seed, diff)
		}
		for _, id := range append(ids, 0, math.MaxInt64, -1, rnd.Int64()) {
			p, ok := x.Find(id)
			if _, in := want[id]; ok != in || ok && p.ID != id {
				t.Fatalf("seed %d: Find(%d) = %v, %v", seed, id, p, ok)
			}
		}
	}
}

func TestUnusedTags(t *testing.T) {
	for _, c := range []struct {
		name  string
		other bool
		rows  []row
		want  []string
	}{
		{"nothing", false, nil, []string{"c", "c++", ".net"}},
		{"the remainder is no language", true, []row{{id: 1, tags: "|cobol|"}}, []string{"c", "c++", ".net"}},
		{"beside another", false, []row{{id: 1, tags: "|x|.net|c|"}, {id: 2, parent: 1}}, []string{"c++"}},
		{"none", false, []row{{id: 1, tags: "|c++|c|"}, {id: 2, tags: "|.net|"}}, nil},
	} {
		x := indexOf(c.other, c.rows...)
		x.SetOf([]byte("|c++|")) // a set without a question
		if diff := cmp.Diff(c.want, x.UnusedTags(langs)); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", c.name, diff)
		}
	}
}

// sampleIndex returns an index of n posts, whose ids have gaps as in real dumps.
func sampleIndex(n int) *Index {
	rnd := rand.New(rand.NewPCG(1, 2))
	b := newBuilder(newGraphSets(langs, false), n)
	tags := []byte("|c|x|")
	var id, q int64
	for i := range n {
		if id += 1 + rnd.Int64N(3); i%3 == 0 {
			b.addPost(&projection.Post{ID: id, Type: schema.PostQuestion, Linked: id + 2, Tags: tags})
			q = id
		} else {
			b.addPost(&projection.Post{ID: id, Type: schema.PostAnswer, Linked: q, Score: rnd.Int32N(10), HasScore: true})
		}
	}
	return b.finish()
}

func BenchmarkFind(b *testing.B) {
	x := sampleIndex(1_000_000)
	rnd := rand.New(rand.NewPCG(3, 4))
	ids := make([]int64, 1<<16)
	for i := range ids {
		ids[i] = rnd.Int64N(x.ids[x.Len()-1])
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		x.Find(ids[i&(1<<16-1)])
	}
	b.ReportMetric(float64(x.Bytes())/float64(x.Len()), "bytes/post")
}

func BenchmarkBuild(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		sampleIndex(1_000_000)
	}
}

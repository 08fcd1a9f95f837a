package threads

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"s2g/schema"
)

func TestUnion(t *testing.T) {
	x := newGraphSets(langs, false)
	c, cpp, both := x.SetOf([]byte("|c|")), x.SetOf([]byte("|c++|")), x.SetOf([]byte("|c++|c|"))
	var done sync.WaitGroup
	for range 8 {
		done.Go(func() {
			for _, u := range []GraphSet{x.Union(c, cpp), x.Union(cpp, c), x.Union(both, c), x.Union(both, 0), x.Union(0, both), x.Union(both, both)} {
				if u != both {
					t.Errorf("set %d, want %d", u, both)
				}
			}
			all := x.Union(both, x.SetOf([]byte("|.net|")))
			if diff := cmp.Diff([]int{0, 1, 2}, x.Graphs(all)); diff != "" {
				t.Error(diff)
			}
		})
	}
	done.Wait()
	if got := x.Graphs(0); len(got) != 0 {
		t.Errorf("the empty set holds %v", got)
	}
}

// Every question is in the graph of the whole site, also without tags, and no tag names it.
func TestWholeSite(t *testing.T) {
	for _, c := range []struct {
		table []schema.Language
		want  map[string][]int
	}{
		{[]schema.Language{schema.SiteLanguage()}, map[string][]int{"": {0}, "|c|": {0}, "|*|": {0}}},
		{append(slices.Clone(langs), schema.SiteLanguage()), map[string][]int{"": {3}, "|x|": {3}, "|.net|c|": {0, 2, 3}, "|*|c|": {0, 3}}},
	} {
		x := newBuilder(newGraphSets(c.table, true), 0).finish() // a remainder beside it is empty
		for tags, want := range c.want {
			if diff := cmp.Diff(want, x.Graphs(x.SetOf([]byte(tags)))); diff != "" {
				t.Errorf("%d languages, tags %q: %s", len(c.table), tags, diff)
			}
		}
		var unused []string
		for _, l := range c.table[:len(c.table)-1] {
			unused = append(unused, l.Tag)
		}
		if diff := cmp.Diff(unused, x.UnusedTags(c.table)); diff != "" {
			t.Errorf("%d languages, unused tags: %s", len(c.table), diff)
		}
	}
}

func TestManyLanguages(t *testing.T) {
	many := make([]schema.Language, 500)
	var tags strings.Builder
	for i := range many {
		many[i].Tag = strconv.Itoa(i)
		tags.WriteString("|" + strconv.Itoa(len(many)-1-i))
	}
	s := newGraphSets(many, true)
	got := s.Graphs(s.SetOf([]byte(tags.String() + "|")))
	if len(got) != len(many) || !slices.IsSorted(got) {
		t.Errorf("%d graphs: %v", len(got), got)
	}
}

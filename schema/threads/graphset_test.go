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

package vectors

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"s2g/schema/vocab"
)

func TestKeyCountsWhatShapesTheShards(t *testing.T) {
	base := Options{Site: vocab.StackOverflow}
	key := func(dump string, o Options) string {
		k, err := Key(dump, o)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	same := base
	same.Workers, same.Progress, same.Window, same.Units = 9, func(string, int64, int64) {}, DefaultWindow, UnitsQuestion
	if key("d", base) != key("d", same) {
		t.Error("defaults and what only shows change the key")
	}
	seen := map[string]bool{key("d", base): true, key("e", base): true}
	for _, o := range []Options{{Other: true}, {Window: 100}, {Overlap: new(3)}, {Overlap: new(0)}, {Units: UnitsQuestionAnswer}, {Links: true}, {Site: "http://x.test"}, {Languages: smallOptions().Languages}} {
		if o.Site == "" {
			o.Site = vocab.StackOverflow
		}
		seen[key("d", o)] = true
	}
	if len(seen) != 10 {
		t.Errorf("%d keys of 10", len(seen))
	}
}

func TestOptionsRefuses(t *testing.T) {
	if _, err := Key("d", Options{}); err == nil {
		t.Error("a site is guessed")
	}
	for _, o := range []Options{{Units: "answer"}, {Window: 10, Overlap: new(10)}, {Window: 10}, {Window: -1}, {Overlap: new(-1)}, {Dense: "x"}, {Sparse: "x"}} {
		o.Site = vocab.StackOverflow
		if _, err := Key("d", o); err == nil {
			t.Errorf("%+v passes", o)
		}
	}
}

func TestSampleDoesNotDependOnOrder(t *testing.T) {
	var up, down hashSample
	for id := range int64(1000) {
		up.offer(id, 50)
		down.offer(999-id, 50)
	}
	ids := func(h hashSample) (ids []int64) {
		for _, k := range h {
			ids = append(ids, k.id)
		}
		slices.Sort(ids)
		return ids
	}
	if diff := cmp.Diff(ids(up), ids(down)); diff != "" || len(up) != 50 {
		t.Errorf("%d ids, %s", len(up), diff)
	}
	if early := slices.IndexFunc(ids(up), func(id int64) bool { return id >= 500 }); early < 10 || early > 40 {
		t.Errorf("%d of 50 are from the first half", early)
	}
}

package qdrant

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/qdrant/go-client/qdrant"

	"s2g/schema"
	"s2g/schema/schematest"
	"s2g/vectors/shard"
)

// prefix returns a prefix of the test's own, because other tests may use the same
// server. The collections with that prefix are deleted after the test.
func prefix(t *testing.T, s *Server) string {
	t.Helper()
	p := fmt.Sprintf("s2gtest-%x", rand.Uint64())
	t.Cleanup(func() {
		d, err := s.directory(context.Background())
		if err != nil {
			return // the server has ended
		}
		for name := range d.collections {
			if strings.HasPrefix(name, p) {
				_, _ = s.deleteCollections(context.Background(), []string{name}) // of a shared server somebody else cleans up
			}
		}
	})
	return p
}

// holds compares every point of a collection with shards.
func holds(t *testing.T, s *Server, collection string, l Language) {
	t.Helper()
	var want []uint64
	rows := map[uint64]*shard.Point{}
	for _, file := range l.Shards {
		err := eachPoint(t.Context(), file, func(p *shard.Point) { rows[p.PointID], want = p, append(want, p.PointID) })
		if err != nil {
			t.Fatal(err)
		}
	}
	var got []uint64
	for id, err := range s.IDs(t.Context(), collection) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, id)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("points of %s: %s", collection, diff)
	}
	points, err := s.Fetch(t.Context(), collection, want)
	if err != nil {
		t.Fatal(err)
	}
	if len(points) != len(want) {
		t.Errorf("%d points of %d", len(points), len(want))
	}
	for _, p := range points {
		if d := difference(p, rows[p.GetId().GetNum()], false); d != "" {
			t.Errorf("%s, point %d: %s", collection, p.GetId().GetNum(), d)
		}
	}
}

func mustLoad(t *testing.T, s *Server, b Build, o Options) []Loaded {
	t.Helper()
	loaded, err := s.Load(t.Context(), b, o)
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}

func mustServe(t *testing.T, s *Server, b Build, keep int) []string {
	t.Helper()
	deleted, err := s.PutInService(t.Context(), b, keep, false)
	if err != nil {
		t.Fatal(err)
	}
	return deleted
}

func TestLoad(t *testing.T) {
	s := open(t, schematest.Qdrant(t))
	b := build(t, prefix(t, s), "2024-03-31_00000001", map[string]int{"python": 130, "c": 1, "_other": 40})
	loaded := mustLoad(t, s, b, small())
	var sent int64
	for _, l := range loaded {
		if sent += l.Sent; l.Sent != l.Points || l.Points == 0 {
			t.Errorf("%+v", l)
		}
	}
	if sent != b.Points() {
		t.Errorf("%d points sent of %d", sent, b.Points())
	}
	if aliases, err := s.Aliases(t.Context()); err != nil || aliases[b.Alias("python")] != "" {
		t.Errorf("in service before PutInService: %v, %v", aliases, err)
	}
	mustServe(t, s, b, 0)
	for _, l := range b.Languages {
		holds(t, s, b.Alias(l.Slug), l)
	}
	info, err := s.info(t.Context(), b.Collection("python"))
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]string{}
	for field, schema := range info.GetPayloadSchema() {
		kinds[field] = schema.GetDataType().String()
	}
	want := map[string]string{
		"post_id": "Integer", "question_id": "Integer", "type": "Keyword", "languages": "Keyword", "tags": "Keyword", "score": "Integer",
		"answer_count": "Integer", "has_accepted_answer": "Bool", "accepted_answer_id": "Integer", "duplicate_of": "Integer", "linked_to": "Integer",
		"closed": "Bool", "creation_date": "Datetime",
	}
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Errorf("indexes of the payload: %s", diff)
	}
	if m := info.GetConfig().GetHnswConfig().GetM(); m != DefaultM {
		t.Errorf("m = %d after the load", m)
	}
	for _, l := range mustLoad(t, s, b, small()) {
		if l.Sent != 0 {
			t.Errorf("loaded again, %d points of %s were sent", l.Sent, l.Language)
		}
	}
}

// Filters match the payload, so the indexes have the right kinds.
func TestFilters(t *testing.T) {
	s := open(t, schematest.Qdrant(t))
	b := build(t, prefix(t, s), "2024-03-31_00000002", map[string]int{"python": 60})
	mustLoad(t, s, b, small())
	all := points("python", 60, 1) // the seed changes only vectors and texts
	for _, c := range []struct {
		what string
		must *qdrant.Condition
		is   func(p shard.Point) bool
	}{
		{"post", qdrant.NewMatchInt("post_id", 24), func(p shard.Point) bool { return p.PostID == 24 }},
		{"tag", qdrant.NewMatch("tags", "b-c#"), func(shard.Point) bool { return true }},
		{"score", qdrant.NewRange("score", &qdrant.Range{Gte: new(10.0)}), func(p shard.Point) bool { return p.Score != nil && *p.Score >= 10 }},
		{"accepted", qdrant.NewMatchBool("has_accepted_answer", true), func(p shard.Point) bool { return p.HasAcceptedAnswer }},
		{"open", qdrant.NewMatchBool("closed", false), func(p shard.Point) bool { return !p.Closed }},
		{"links", qdrant.NewMatchInt("linked_to", 14), func(p shard.Point) bool { return slices.Contains(p.LinkedTo, 14) }},
		{"no score", qdrant.NewIsEmpty("score"), func(p shard.Point) bool { return p.Score == nil }},
	} {
		n, err := s.client.Count(t.Context(), &qdrant.CountPoints{
			CollectionName: b.Collection("python"), Exact: new(true), Filter: &qdrant.Filter{Must: []*qdrant.Condition{c.must}},
		})
		want := len(slices.DeleteFunc(slices.Clone(all), func(p shard.Point) bool { return !c.is(p) }))
		if err != nil || int(n) != want || want == 0 {
			t.Errorf("%s: %d points, want %d (%v)", c.what, n, want, err)
		}
	}
}

// A load sends exactly the points that the server has lost. A surplus point is a fault.
func TestLoadSendsMissingPoints(t *testing.T) {
	s := open(t, schematest.Qdrant(t))
	b := build(t, prefix(t, s), "2024-03-31_00000003", map[string]int{"python": 130})
	mustLoad(t, s, b, small())
	collection, l := b.Collection("python"), b.Languages[0]
	all := points("python", 130, 1)
	for _, lost := range [][]int{{0}, {len(all) - 1}, {39, 40, 41}, {3, 77, 78, 120}} {
		ids := make([]*qdrant.PointId, len(lost))
		for i, at := range lost {
			ids[i] = qdrant.NewIDNum(all[at].PointID)
		}
		if _, err := s.client.Delete(t.Context(), &qdrant.DeletePoints{CollectionName: collection, Wait: new(true), Points: qdrant.NewPointsSelectorIDs(ids)}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.PutInService(t.Context(), b, 0, false); err == nil {
			t.Fatal("an incomplete collection is in service")
		}
		if got := mustLoad(t, s, b, small())[0].Sent; got != int64(len(lost)) {
			t.Errorf("%d points sent for the %d that were lost", got, len(lost))
		}
		holds(t, s, collection, l)
	}
	foreign := pointOf(&all[5])
	foreign.Id = qdrant.NewIDNum(all[5].PointID + 1)
	if _, err := s.client.Upsert(t.Context(), &qdrant.UpsertPoints{CollectionName: collection, Wait: new(true), Points: []*qdrant.PointStruct{foreign}}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Load(t.Context(), b, small()); faultOf(err) != schema.FaultVerification {
		t.Errorf("a point too many: %v", err)
	}
}

func faultOf(err error) schema.Fault {
	f, _ := schema.FaultOf(err)
	return f
}

// A point that differs from its row keeps the build out of service.
func TestLoadFindsADifferentPoint(t *testing.T) {
	s := open(t, schematest.Qdrant(t))
	b := build(t, prefix(t, s), "2024-03-31_00000004", map[string]int{"python": 20})
	mustLoad(t, s, b, small())
	first := points("python", 1, 1)[0]
	if _, err := s.client.SetPayload(t.Context(), &qdrant.SetPayloadPoints{
		CollectionName: b.Collection("python"), Wait: new(true), Payload: map[string]*qdrant.Value{"closed": qdrant.NewValueBool(false)},
		PointsSelector: qdrant.NewPointsSelector(qdrant.NewIDNum(first.PointID)),
	}); err != nil {
		t.Fatal(err)
	}
	_, err := s.Load(t.Context(), b, small())
	if faultOf(err) != schema.FaultVerification || !strings.Contains(err.Error(), fmt.Sprintf("point %d of", first.PointID)) || !strings.Contains(err.Error(), "closed") {
		t.Errorf("%v", err)
	}
}

// Of successive builds, all aliases move, the chosen number of earlier collections is
// kept, and a smaller build needs allowShrink.
func TestSuccessiveBuilds(t *testing.T) {
	s := open(t, schematest.Qdrant(t))
	p := prefix(t, s)
	sizes := map[string]int{"python": 40, "c": 10}
	one, two := build(t, p, "2024-03-31_0000000a", sizes), build(t, p, "2024-06-30_0000000b", sizes)
	mustLoad(t, s, one, small())
	mustServe(t, s, one, 0)
	mustLoad(t, s, two, small())
	for _, l := range one.Languages {
		holds(t, s, one.Alias(l.Slug), l) // in service while the next is loaded
	}
	if deleted := mustServe(t, s, two, 1); len(deleted) != 0 {
		t.Errorf("deleted %q", deleted)
	}
	for i, l := range two.Languages {
		holds(t, s, two.Alias(l.Slug), l)
		holds(t, s, one.Collection(l.Slug), one.Languages[i])
	}
	small1 := build(t, p, "2024-09-30_0000000c", map[string]int{"python": 40})
	small1.Languages[0].Shards = small1.Languages[0].Shards[:1]
	mustLoad(t, s, small1, small())
	_, err := s.PutInService(t.Context(), small1, 1, false)
	if faultOf(err) != schema.FaultUsage || !strings.Contains(err.Error(), two.Alias("c")) {
		t.Errorf("a build with less: %v", err)
	}
	aliases, err := s.Aliases(t.Context())
	if err != nil || aliases[two.Alias("python")] != two.Collection("python") {
		t.Errorf("what was in service is not: %v %v", aliases, err)
	}
	part := small1
	part.Part = true
	if _, err := s.PutInService(t.Context(), part, -1, true); err != nil { // one language: the other stays
		t.Fatal(err)
	}
	holds(t, s, two.Alias("c"), two.Languages[0])
	deleted, err := s.PutInService(t.Context(), small1, 1, true)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{one.Collection("c"), one.Collection("python")}, deleted); diff != "" {
		t.Errorf("deleted: %s", diff)
	}
	d, err := s.directory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if d.aliases[two.Alias("c")] != "" || !d.collections[two.Collection("c")] || d.aliases[one.Alias("python")] != small1.Collection("python") {
		t.Errorf("%v", d)
	}
}

// The collection of another alias is not deleted.
func TestCollectionsOfOtherAliasesStay(t *testing.T) {
	s := open(t, schematest.Qdrant(t))
	p := prefix(t, s)
	one, two := build(t, p, "2024-03-31_0000000a", map[string]int{"c": 5}), build(t, p, "2024-06-30_0000000b", map[string]int{"c": 5})
	mustLoad(t, s, one, small())
	mustServe(t, s, one, 0)
	if err := s.client.CreateAlias(t.Context(), p+"-mine", one.Collection("c")); err != nil {
		t.Fatal(err)
	}
	mustLoad(t, s, two, small())
	if deleted := mustServe(t, s, two, 0); len(deleted) != 0 {
		t.Errorf("deleted %q", deleted)
	}
	if err := s.client.DeleteAlias(t.Context(), p+"-mine"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{one.Collection("c")}, mustServe(t, s, two, 0)); diff != "" {
		t.Errorf("deleted: %s", diff)
	}
}

// An existing collection with another layout is a fault, and so is one with the name
// of an alias.
func TestLoadRejectsAnotherLayout(t *testing.T) {
	s := open(t, schematest.Qdrant(t))
	b := build(t, prefix(t, s), "2024-03-31_00000005", map[string]int{"c": 5})
	mustLoad(t, s, b, small())
	o := small()
	o.Float16 = true
	_, err := s.Load(t.Context(), b, o)
	if faultOf(err) != schema.FaultUsage || !strings.Contains(err.Error(), "option float16") {
		t.Errorf("%v", err)
	}
	taken := b
	taken.Prefix += "-x"
	if err := s.client.CreateCollection(t.Context(), o.Layout.createRequest(taken.Alias("c"), 2, false, nil)); err != nil {
		t.Fatal(err)
	}
	if err := s.CheckService(t.Context(), taken, false); faultOf(err) != schema.FaultUsage {
		t.Errorf("%v", err)
	}
}

func TestFloat16(t *testing.T) {
	s := open(t, schematest.Qdrant(t))
	b := build(t, prefix(t, s), "2024-03-31_00000006", map[string]int{"c": 30})
	o := small()
	o.Float16, o.OnDisk = true, true
	mustLoad(t, s, b, o) // compares a sample
}

func TestPlan(t *testing.T) {
	s := open(t, schematest.Qdrant(t))
	p := prefix(t, s)
	one, two := build(t, p, "2024-03-31_0000000a", map[string]int{"c": 5, "go": 5}), build(t, p, "2024-06-30_0000000b", map[string]int{"c": 5})
	mustLoad(t, s, one, small())
	mustServe(t, s, one, 0)
	before, err := s.directory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Plan(t.Context(), two, 0)
	if err != nil {
		t.Fatal(err)
	}
	n := two.Languages[0].Points()
	want := Plan{
		Languages: []Planned{{"c", two.Collection("c"), n, 0, two.Alias("c"), one.Collection("c"), n}},
		Withdrawn: []string{one.Alias("go")}, Dropped: []string{one.Collection("c"), one.Collection("go")},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	after, err := s.directory(t.Context())
	if err != nil || !maps.Equal(before.aliases, after.aliases) || !maps.Equal(before.collections, after.collections) {
		t.Errorf("a plan has changed something: %v %v", after, err)
	}
}

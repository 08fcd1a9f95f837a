package graph

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"s2g/graph/trig"
	"s2g/schema/manifest"
	"s2g/schema/vocab"
)

// recounted is what VoID says of the batches, counted from their quads: for the
// dataset, the union and each graph, by property of VoID and what it is of.
func recounted(t *testing.T, dir *manifest.Dir, format trig.Format) map[string]int64 {
	t.Helper()
	counts := map[string]int64{}
	seen := map[string]bool{}
	nodes := map[string]bool{} // the classes that every described node has one of
	for _, c := range nodeClasses {
		nodes["<"+c+">"] = true
	}
	count := func(set, predicate, object string) {
		counts[set+" triples"]++
		counts[set+" property "+predicate]++
		if predicate == "<"+vocab.RDF+"type>" {
			counts[set+" class "+object]++
			if nodes[object] {
				counts[set+" entities"]++
			}
		}
	}
	for _, line := range quads(t, dir, format) {
		parts := strings.SplitN(line, " ", 3)
		end := strings.LastIndex(parts[2], " <")
		object, g := parts[2][:end], strings.TrimSuffix(parts[2][end+1:], " .")
		count(g, parts[1], object)
		count("dataset", parts[1], object)
		if triple := line[:strings.LastIndex(line, " <")]; !seen[triple] {
			seen[triple] = true
			count("union", parts[1], object)
		}
	}
	return counts
}

// described is the same as void.ttl says it.
func described(t *testing.T, text string) map[string]int64 {
	t.Helper()
	const void = "http://rdfs.org/ns/void#"
	about := map[string]map[string][]string{} // subject, predicate, objects
	for r := trig.NewReader(strings.NewReader(text), trig.TriG); ; {
		if !r.Scan() {
			if r.Err() != nil {
				t.Fatal(r.Err())
			}
			break
		}
		q := r.Record()
		s, p := nq(q.Subject), strings.TrimPrefix(string(q.Predicate.Value), void)
		if about[s] == nil {
			about[s] = map[string][]string{}
		}
		about[s][p] = append(about[s][p], nq(q.Object))
	}
	counts := map[string]int64{}
	number := func(s, p string) (n int64) {
		if len(about[s][p]) != 1 {
			t.Fatalf("%s has %d %s", s, len(about[s][p]), p)
		}
		if _, err := fmt.Sscanf(about[s][p][0], `"%d"`, &n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	put := func(key string, n int64) {
		if n > 0 {
			counts[key] = n
		}
	}
	for s := range about {
		if len(about[s]["triples"]) == 0 || len(about[s]["entities"]) == 0 {
			continue
		}
		name := s
		if _, part, ok := strings.Cut(s, "#"); ok {
			name = strings.TrimSuffix(part, ">")
		}
		put(name+" triples", number(s, "triples"))
		put(name+" entities", number(s, "entities"))
		for _, p := range about[s]["classPartition"] {
			put(name+" class "+about[p]["class"][0], number(p, "entities"))
		}
		for _, p := range about[s]["propertyPartition"] {
			put(name+" property "+about[p]["property"][0], number(p, "triples"))
		}
		if int(number(s, "classes")) != len(about[s]["classPartition"]) || int(number(s, "properties")) != len(about[s]["propertyPartition"]) {
			t.Errorf("%s: other numbers of classes and properties than partitions", s)
		}
	}
	return counts
}

// void.ttl counts what is in the files, and names each with size and SHA-256.
func TestVoidCountsTheFiles(t *testing.T) {
	db := mini(t)
	for _, o := range []Options{
		{Languages: languages},
		{Languages: languages, Other: true, batch: 13, Format: "nquads", Compress: "zstd"},
		{Languages: languages, Other: true, Materialize: true, Compress: "none"},
	} {
		dir := build1(t, db, o)
		void := contents(t, dir)["graph/void.ttl"]
		if diff := cmp.Diff(recounted(t, dir, formats[o.Format]), described(t, void)); diff != "" {
			t.Errorf("%+v: from the files -, void.ttl +\n%s", o, diff)
		}
		for _, f := range dir.Manifest().Stages[manifest.Graph].Files {
			if !strings.Contains(f.Name, "batch-") {
				continue
			}
			for _, want := range []string{fmt.Sprintf("%q", f.Name), fmt.Sprintf(`"%d"^^xsd:nonNegativeInteger`, f.Size), fmt.Sprintf("%q^^xsd:hexBinary", f.SHA256)} {
				if !strings.Contains(void, want) {
					t.Errorf("void.ttl does not say %s", want)
				}
			}
		}
	}
}

// With --materialize a graph is still a set, and has all that it has without.
func TestMaterializedIsASet(t *testing.T) {
	db := mini(t)
	plain := quads(t, build1(t, db, Options{Languages: languages, Other: true}), trig.TriG)
	all := quads(t, build1(t, db, Options{Languages: languages, Other: true, Materialize: true, Workers: 3, batch: 17}), trig.TriG)
	have := map[string]bool{}
	for _, q := range all {
		if have[q] {
			t.Errorf("written twice: %s", q)
		}
		have[q] = true
	}
	for _, q := range plain {
		if !have[q] {
			t.Errorf("missing: %s", q)
		}
	}
	if len(all) < 3*len(plain)/2 {
		t.Errorf("%d quads, %d without", len(all), len(plain))
	}
}

func TestHierarchyRefusesDamage(t *testing.T) {
	if _, err := readHierarchy([]byte("<http://a> <http://b> .")); err == nil {
		t.Error("no error for Turtle that is cut")
	}
}

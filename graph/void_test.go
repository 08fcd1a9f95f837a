package graph

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"s2g/graph/trig"
	"s2g/schema/manifest"
	"s2g/schema/schematest"
	"s2g/schema/tables"
	"s2g/schema/vocab"
)

// recounted counts the quads of the batches as void.ttl does: for the dataset, the
// union and each graph, by property of VoID and the class or property it counts.
func recounted(t *testing.T, dir *manifest.Dir, format trig.Format) map[string]int64 {
	t.Helper()
	counts := map[string]int64{}
	seen := map[string]bool{}
	once := func(what string) bool {
		is := !seen[what]
		seen[what] = true
		return is
	}
	// an entity is a node with a type; in two graphs it is two of the dataset's
	count := func(set, g, subject, predicate, object string) {
		counts[set+" triples"]++
		counts[set+" property "+predicate]++
		if predicate == "<"+vocab.RDF+"type>" {
			counts[set+" class "+object]++
			if once("entity " + set + g + subject) {
				counts[set+" entities"]++
			}
		}
	}
	for _, line := range quads(t, dir, format) {
		parts := strings.SplitN(line, " ", 3)
		end := strings.LastIndex(parts[2], " <")
		object, g := parts[2][:end], strings.TrimSuffix(parts[2][end+1:], " .")
		count(g, "", parts[0], parts[1], object)
		count("dataset", g, parts[0], parts[1], object)
		if once(line[:strings.LastIndex(line, " <")]) {
			count("union", "", parts[0], parts[1], object)
		}
	}
	return counts
}

const void = "http://rdfs.org/ns/void#"

// subjects returns the objects of a description by subject and predicate. VoID's
// predicates lack the namespace.
func subjects(t *testing.T, text string) map[string]map[string][]string {
	t.Helper()
	about := map[string]map[string][]string{}
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
	return about
}

// described returns the counts of void.ttl in the form of recounted.
func described(t *testing.T, text string) map[string]int64 {
	t.Helper()
	about := subjects(t, text)
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

// void.ttl has the counts of the files.
func TestVoidCountsTheFiles(t *testing.T) {
	db := mini(t)
	for _, o := range []Options{
		{Site: vocab.StackOverflow, Languages: languages},
		{Site: vocab.StackOverflow, Languages: languages, Other: true, batch: 13, Format: "nquads", Compress: "zstd"},
		{Site: vocab.StackOverflow, Languages: languages, Other: true, Materialize: true, Compress: "none"},
	} {
		compareCounts(t, db, o)
	}
}

func TestVoidCountsTheFilesOfARealDump(t *testing.T) {
	schematest.Long(t)
	compareCounts(t, load(t, schematest.Dump(t, "bioinformatics.stackexchange.com")), Options{Site: vocab.StackOverflow, Other: true})
}

func compareCounts(t *testing.T, db *tables.DB, o Options) {
	t.Helper()
	dir := buildGraph(t, db, o)
	counted := recounted(t, dir, formats[o.Format])
	if diff := cmp.Diff(counted, described(t, contents(t, dir)["graph/void.ttl"])); diff != "" || counted["union entities"] == 0 {
		t.Errorf("%+v: from the files -, void.ttl +\n%s", o, diff)
	}
}

// void.ttl describes the dataset and its parts, their sources, and each file's size and
// checksum.
func TestVoidDescribes(t *testing.T) {
	const dcterms, dcat, prov, rdfs, spdx = "http://purl.org/dc/terms/", "http://www.w3.org/ns/dcat#", "http://www.w3.org/ns/prov#",
		"http://www.w3.org/2000/01/rdf-schema#", "http://spdx.org/rdf/terms#"
	const site, self, cc = "http://stackoverflow.com", "<http://stackoverflow.com/s2g/void#", "<https://creativecommons.org/licenses/by-sa/4.0/>"
	dir := buildGraph(t, mini(t), Options{Site: vocab.StackOverflow, Languages: languages, Other: true, batch: 100, Compress: "zstd"})
	files := contents(t, dir)
	about := subjects(t, files["graph/void.ttl"])
	hasObjects := func(subject, predicate string, want ...string) {
		t.Helper()
		got := slices.Sorted(slices.Values(about[subject][predicate]))
		if diff := cmp.Diff(slices.Sorted(slices.Values(want)), got); diff != "" {
			t.Errorf("%s %s: %s", subject, predicate, diff)
		}
	}
	graphs := map[string][2]string{ // the label, and the tag
		"<" + site + "/python>":    {`"Python"`, "<" + site + "/tags/python>"},
		"<" + site + "/c%23>":      {`"C#"`, "<" + site + "/tags/c%23>"},
		"<" + site + "/s2g/other>": {`"No selected language"`, ""},
	}
	subsets := []string{self + "union>"}
	for g, labels := range graphs {
		subsets = append(subsets, g)
		hasObjects(g, vocab.RDF+"type", "<"+void+"Dataset>")
		hasObjects(g, dcterms+"license", cc)
		hasObjects(g, rdfs+"label", labels[0])
		if labels[1] != "" {
			hasObjects(g, dcterms+"subject", labels[1])
		}
	}
	dataset := self + "dataset>"
	hasObjects(dataset, vocab.RDF+"type", "<"+void+"Dataset>", "<"+dcat+"Dataset>", "<"+prov+"Entity>")
	hasObjects(dataset, "subset", subsets...)
	hasObjects(dataset, dcterms+"license", cc)
	hasObjects(dataset, dcterms+"source", "<"+site+"/>")
	hasObjects(dataset, "vocabulary", "<"+vocab.NS+">")
	hasObjects(dataset, prov+"wasDerivedFrom", self+"dump>")
	hasObjects(dataset, prov+"wasGeneratedBy", self+"build>")
	hasObjects(dataset, prov+"wasAttributedTo", self+"tool>")
	hasObjects(self+"build>", prov+"used", self+"dump>")
	hasObjects(self+"build>", prov+"wasAssociatedWith", self+"tool>")
	hasObjects(self+"tool>", rdfs+"label", `"s2g test"`)
	hasObjects(self+"dump>", dcterms+"modified", `"2024-05-02T00:00:00.000Z"^^<`+vocab.XSD+`dateTime>`)

	n := 0
	for name, text := range files {
		if !strings.Contains(name, "batch-") {
			continue
		}
		n++
		d := self + strings.TrimPrefix(name, "graph/") + ">"
		if !slices.Contains(about[dataset][dcat+"distribution"], d) {
			t.Errorf("%s is no distribution of the dataset", d)
		}
		hasObjects(d, vocab.RDF+"type", "<"+dcat+"Distribution>")
		hasObjects(d, dcterms+"identifier", `"`+name+`"`)
		hasObjects(d, dcat+"byteSize", fmt.Sprintf(`"%d"^^<%snonNegativeInteger>`, len(text), vocab.XSD))
		hasObjects(d, dcat+"mediaType", "<"+mediaTypes+"trig>")
		hasObjects(d, dcat+"compressFormat", "<"+mediaTypes+"zstd>")
		hasObjects(d, dcterms+"license", cc)
		if len(about[d][spdx+"checksum"]) != 1 {
			t.Fatalf("%s has checksums %v", d, about[d][spdx+"checksum"])
		}
		sum := about[d][spdx+"checksum"][0]
		hasObjects(sum, spdx+"algorithm", "<"+spdx+"checksumAlgorithm_sha256>")
		hasObjects(sum, spdx+"checksumValue", fmt.Sprintf(`"%x"^^<%shexBinary>`, sha256.Sum256([]byte(text)), vocab.XSD))
	}
	if n < 2 || len(about[dataset][dcat+"distribution"]) != n {
		t.Errorf("%d files, distributions %v", n, about[dataset][dcat+"distribution"])
	}
}

// A materialized graph is a set, and includes the graph that is not materialized.
func TestMaterializedIsASet(t *testing.T) {
	db := mini(t)
	plain := quads(t, buildGraph(t, db, Options{Site: vocab.StackOverflow, Languages: languages, Other: true}), trig.TriG)
	all := quads(t, buildGraph(t, db, Options{Site: vocab.StackOverflow, Languages: languages, Other: true, Materialize: true, Workers: 3, batch: 17}), trig.TriG)
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
		t.Error("incomplete Turtle is no error")
	}
}

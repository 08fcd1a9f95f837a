package verify

import (
	"regexp"

	"s2g/cmd/s2g/internal/oracle"
	"s2g/graph"
	"s2g/schema"
	"s2g/schema/manifest"
)

const (
	ontologyFile = "graph/ontology.ttl"
	voidFile     = "graph/void.ttl"
)

// voidTool is the name of the tool in void.ttl. A later stage may be of another version, which is then
// that of the manifest.
var voidTool = regexp.MustCompile(`prov:SoftwareAgent ;\n\trdfs:label "s2g ([\w.()+-]{1,80})"`)

// compareDescription compares ontology.ttl and void.ttl with the content that they must have, byte by byte.
func (v *verifier) compareDescription(want *oracle.Expected) (Check, error) {
	c := newCheck("description", "files that describe the graph: ontology.ttl, void.ttl")
	if !v.has(manifest.Graph) || want == nil && v.isOfEarlierVersion() {
		return c, nil
	}
	void, err := v.readDocument(voidFile)
	if err != nil {
		return c, err
	}
	required, err := v.turtleFiles(want, void)
	if err != nil {
		return c, err
	}
	for _, name := range []string{ontologyFile, voidFile} {
		if content := required[name]; content != nil {
			if err := v.compareDocument(&c, name, content); err != nil {
				return c, err
			}
		}
	}
	return c, nil
}

// turtleFiles returns the content that ontology.ttl and void.ttl must have. Without tables it is nil for
// void.ttl, whose counts of distinct triples follow from them.
func (v *verifier) turtleFiles(want *oracle.Expected, void []byte) (map[string][]byte, error) {
	files := map[string][]byte{ontologyFile: schema.Ontology}
	if want == nil {
		return files, nil
	}
	counts := graph.VoIDCounts{Union: quadsByIRI(&want.Distinct)}
	for g := range v.graphs {
		counts.Graphs = append(counts.Graphs, quadsByIRI(&want.Graphs[g]))
	}
	o, tool := v.proven.Options, v.proven.Tool
	if found := voidTool.FindSubmatch(void); found != nil {
		tool = string(found[1])
	}
	var batches []manifest.File
	if s := v.proven.Stages[manifest.Graph]; s != nil {
		batches = s.Batches()
	}
	text, err := graph.VoID(graph.Options{
		Site: v.site, Languages: o.Table(), Other: o.Other, Format: o.GraphFormat, Compress: o.Compress, Materialize: o.Materialize,
	}, v.proven.Dump, tool, batches, counts)
	files[voidFile] = text
	return files, err
}

// quadsByIRI returns the counts of terms by their IRIs.
func quadsByIRI(t *oracle.Tallies) map[string]int64 {
	counts := map[string]int64{}
	for term := range oracle.AllTerms {
		counts[term.IRI()] = t[term].Count
	}
	return counts
}

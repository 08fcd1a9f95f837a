package verify

import (
	"cmp"

	"s2g/cmd/s2g/internal/oracle"
	"s2g/graph"
	"s2g/schema"
	"s2g/schema/manifest"
)

const (
	ontologyFile = "graph/ontology.ttl"
	voidFile     = "graph/void.ttl"
)

// compareDescription compares ontology.ttl and void.ttl with the content that they must have, byte by byte.
func (v *verifier) compareDescription(want *oracle.Expected) (Check, error) {
	c := newCheck("description", "files that describe the graph: ontology.ttl, void.ttl")
	if !v.has(manifest.Graph) || want == nil && v.isOfEarlierVersion() {
		return c, nil
	}
	required, err := v.turtleFiles(want)
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
func (v *verifier) turtleFiles(want *oracle.Expected) (map[string][]byte, error) {
	files := map[string][]byte{ontologyFile: schema.Ontology}
	if want == nil {
		return files, nil
	}
	counts := graph.VoIDCounts{Union: quadsByIRI(&want.Distinct)}
	for g := range v.graphs {
		counts.Graphs = append(counts.Graphs, quadsByIRI(&want.Graphs[g]))
	}
	o, s := v.proven.Options, v.proven.Stages[manifest.Graph]
	text, err := graph.VoID(graph.Options{
		Site: v.site, Languages: o.Table(), Other: o.Other, Format: o.GraphFormat, Compress: o.Compress, Materialize: o.Materialize,
	}, v.proven.Dump, cmp.Or(s.Tool, v.proven.Tool), s.Batches(), counts)
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

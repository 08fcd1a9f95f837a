package graph

import (
	"s2g/schema"
	"s2g/schema/manifest"
)

// VoIDCounts has the numbers of quads, by the IRI of their class or predicate.
type VoIDCounts struct {
	Graphs []map[string]int64 // of each graph: the languages', then the remainder's
	Union  map[string]int64   // a triple of several graphs counts once
}

// VoID returns the content of void.ttl of a graph with these counts and batches. It is the file that [Run]
// writes for options o, the dump and the tool.
func VoID(o Options, dump manifest.Dump, tool string, batches []manifest.File, counts VoIDCounts) ([]byte, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	var above hierarchy
	if o.Materialize {
		if above, err = readHierarchy(schema.Ontology); err != nil {
			return nil, err
		}
	}
	kinds := newTerms(newSyntax(formats[o.Format], o.Site, o.Materialize), o.Site, above).kinds
	d := &description{
		Options: o, graphs: graphIRIs(o), kinds: kinds, perGraph: newKindCounts(len(counts.Graphs), len(kinds.all)),
		union: make([]int64, len(kinds.all)), files: batches, dump: dump, tool: tool,
	}
	for i, k := range kinds.all {
		d.union[i] = counts.Union[k.iri]
		for g, of := range counts.Graphs {
			d.perGraph[g][i] = of[k.iri]
		}
	}
	return d.turtle(), nil
}

// graphIRIs returns the IRIs of the graphs: the languages', then the remainder's.
func graphIRIs(o Options) (graphs []string) {
	for _, l := range o.Languages {
		graphs = append(graphs, o.Site.Graph(l.Tag))
	}
	if o.Other {
		graphs = append(graphs, o.Site.OtherGraph())
	}
	return graphs
}

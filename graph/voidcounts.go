package graph

import (
	"fmt"
	"io"
	"strconv"

	"s2g/graph/trig"
	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/vocab"
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

// ReadVoID returns the counts of void.ttl, which [Run] has written for options o.
func ReadVoID(text io.Reader, o Options) (counts VoIDCounts, err error) {
	if o, err = o.withDefaults(); err != nil {
		return counts, err
	}
	const void = "http://rdfs.org/ns/void#"
	of := map[string]map[string]int64{}      // the counts of a dataset by the IRIs of its partitions
	terms := map[string]string{}             // the class or property of a partition
	sizes := map[string]int64{}              // its number of triples or entities
	quads := trig.NewReader(text, trig.TriG) // Turtle is a part of TriG
	for quads.Scan() {
		q := quads.Record()
		subject, object := string(q.Subject.Value), string(q.Object.Value)
		switch string(q.Predicate.Value) {
		case void + "classPartition", void + "propertyPartition":
			if of[subject] == nil {
				of[subject] = map[string]int64{}
			}
			of[subject][object] = 0
		case void + "class", void + "property":
			terms[subject] = object
		case void + "entities", void + "triples":
			if sizes[subject], err = strconv.ParseInt(object, 10, 64); err != nil {
				return counts, fmt.Errorf("a count of <%s>: %w", subject, err)
			}
		}
	}
	if err := quads.Err(); err != nil {
		return counts, err
	}
	byTerm := func(dataset string) map[string]int64 {
		n := map[string]int64{}
		for partition := range of[dataset] {
			if term := terms[partition]; term != vocab.RDF+"type" { // which counts what the classes count
				n[term] = sizes[partition]
			}
		}
		return n
	}
	for _, g := range graphIRIs(o) {
		counts.Graphs = append(counts.Graphs, byTerm(g))
	}
	counts.Union = byTerm(o.Site.VoidGraph() + "#union")
	return counts, nil
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

package graph

import (
	"strconv"
	"strings"

	"s2g/graph/trig"
	"s2g/schema/manifest"
	"s2g/schema/vocab"
)

// voidPrefixes are the prefixes of void.ttl.
var voidPrefixes = []trig.Prefix{
	{Name: "void", IRI: "http://rdfs.org/ns/void#"},
	{Name: "dcat", IRI: "http://www.w3.org/ns/dcat#"},
	{Name: "dcterms", IRI: "http://purl.org/dc/terms/"},
	{Name: "prov", IRI: "http://www.w3.org/ns/prov#"},
	{Name: "rdfs", IRI: "http://www.w3.org/2000/01/rdf-schema#"},
	{Name: "spdx", IRI: "http://spdx.org/rdf/terms#"},
	{Name: "xsd", IRI: vocab.XSD},
}

const mediaTypes = "https://www.iana.org/assignments/media-types/application/"

// description holds the content of void.ttl.
type description struct {
	Options
	graphs   []string // IRIs
	kinds    *kinds
	perGraph [][]int64 // quads of each graph, by kind
	union    []int64   // distinct triples, by kind
	files    []manifest.File
	dump     manifest.Dump
	tool     string // the version of s2g
}

// turtle returns the description of the dataset without blank nodes, in the terms of
// VoID, DCAT, SPDX, Dublin Core and PROV. It holds no times of the run, so that equal
// builds have equal files. In order: the dataset with its sources, the union of its
// graphs, each graph, each file.
//
// The counts are those of the written batches. A triple in two graphs counts twice in
// the dataset and once in the union.
func (d *description) turtle() []byte {
	v := &turtleWriter{}
	for _, p := range voidPrefixes {
		v.text = append(v.text, "@prefix "+p.Name+": <"+p.IRI+"> .\n"...)
	}
	d.describeDataset(v)
	d.writeCounts(v, d.part("union"), "union", d.union, []string{
		"a", "void:Dataset", "rdfs:label", quotedText("All graphs together, each triple counted once"),
	})
	for i := range d.graphs {
		d.describeGraph(v, i)
	}
	for _, f := range d.files {
		d.describeFile(v, f)
	}
	return v.text
}

// part returns the IRI of a part of the description.
func (d *description) part(name string) string { return quotedIRI(d.Site.VoidGraph() + "#" + name) }

func (d *description) describeDataset(v *turtleWriter) {
	all := make([]int64, len(d.kinds.all))
	for _, byKind := range d.perGraph {
		addEach(all, byKind)
	}
	about := []string{
		"a", "void:Dataset, dcat:Dataset, prov:Entity",
		"dcterms:title", quotedText("Knowledge graph of " + d.Site.Host()),
		"dcterms:license", quotedIRI(vocab.CC + "4.0/"), "dcterms:source", quotedIRI(string(d.Site) + "/"),
		"void:vocabulary", quotedIRI(vocab.NS), "void:uriSpace", quotedText(string(d.Site) + "/"),
		"prov:wasDerivedFrom", d.part("dump"), "prov:wasAttributedTo", d.part("tool"), "prov:wasGeneratedBy", d.part("build"),
		"void:subset", d.part("union"),
	}
	for _, g := range d.graphs {
		about = append(about, "void:subset", quotedIRI(g))
	}
	for _, f := range d.files {
		about = append(about, "dcat:distribution", d.part(fileName(f)))
	}
	d.writeCounts(v, d.part("dataset"), "dataset", all, about)

	dump := []string{"a", "prov:Entity", "dcterms:title", quotedText("Data dump of " + d.Site.Host())}
	if d.dump.Newest != "" {
		dump = append(dump, "dcterms:modified", quotedText(d.dump.Newest)+"^^xsd:dateTime") // of its newest post
	}
	v.node(d.part("dump"), dump...)
	v.node(d.part("tool"), "a", "prov:SoftwareAgent", "rdfs:label", quotedText("s2g "+d.tool))
	v.node(d.part("build"), "a", "prov:Activity", "prov:used", d.part("dump"), "prov:wasAssociatedWith", d.part("tool"))
}

func (d *description) describeGraph(v *turtleWriter, i int) {
	about := []string{"a", "void:Dataset", "dcterms:license", quotedIRI(vocab.CC + "4.0/")}
	_, name, _ := strings.Cut(d.graphs[i], string(d.Site)+"/") // a tag, percent-encoded
	switch {
	case d.graphs[i] == d.Site.SiteGraph():
		about = append(about, "rdfs:label", quotedText("All questions of the site"))
	case i < len(d.Languages):
		l := d.Languages[i]
		about = append(about, "rdfs:label", quotedText(l.Name), "dcterms:subject", quotedIRI(d.Site.Tag(l.Tag)))
	default:
		about = append(about, "rdfs:label", quotedText("No selected language"))
	}
	d.writeCounts(v, quotedIRI(d.graphs[i]), name, d.perGraph[i], about)
}

// describeFile describes a file by name, type, size and checksum.
func (d *description) describeFile(v *turtleWriter, f manifest.File) {
	name := fileName(f)
	about := []string{
		"a", "dcat:Distribution", "dcterms:identifier", quotedText(f.Name), "dcterms:license", quotedIRI(vocab.CC + "4.0/"),
		"dcat:mediaType", quotedIRI(mediaTypes + map[trig.Format]string{trig.TriG: "trig", trig.NQuads: "n-quads"}[formats[d.Format]]),
	}
	if media := compressions[d.Compress].mediaType; media != "" {
		about = append(about, "dcat:compressFormat", quotedIRI(mediaTypes+media))
	}
	sum := d.part(name + "/sha256")
	v.node(d.part(name), append(about,
		"dcat:byteSize", `"`+strconv.FormatInt(f.Size, 10)+`"^^xsd:nonNegativeInteger`, "spdx:checksum", sum)...)
	v.node(sum, "a", "spdx:Checksum", "spdx:algorithm", "spdx:checksumAlgorithm_sha256",
		"spdx:checksumValue", quotedText(f.SHA256)+"^^xsd:hexBinary")
}

// fileName returns a file's name without its folder.
func fileName(f manifest.File) string { return f.Name[strings.LastIndexByte(f.Name, '/')+1:] }

// nodeClasses are the classes of which each node has exactly one.
var nodeClasses = inNS([]string{vocab.Question, vocab.Answer, vocab.Comment, vocab.Tag, vocab.TagWiki, vocab.TagWikiExcerpt})

// writeCounts writes a node about a dataset with its numbers of triples, and a partition
// for each class and property that occurs. The partitions' names begin with name.
func (d *description) writeCounts(v *turtleWriter, node, name string, byKind []int64, about []string) {
	var entities int64
	for _, class := range nodeClasses {
		entities += byKind[d.kinds.number[class]]
	}
	about = append(about, "void:triples", formatInt(total(byKind)), "void:entities", formatInt(entities))
	var partitions [][]string
	var classes, properties, types int64
	partition := func(term string, what ...string) {
		part := d.part(name + "/" + term)
		partitions = append(partitions, append([]string{part, "a", "void:Dataset"}, what...))
	}
	for i, k := range d.kinds.all {
		switch n := byKind[i]; {
		case n == 0:
		case k.isClass:
			classes++
			types += n
			partition(abbreviated(k.iri), "void:class", quotedIRI(k.iri), "void:entities", formatInt(n))
		default:
			properties++
			partition(abbreviated(k.iri), "void:property", quotedIRI(k.iri), "void:triples", formatInt(n))
		}
	}
	if types > 0 {
		properties++
		partition("rdf:type", "void:property", quotedIRI(vocab.RDF+"type"), "void:triples", formatInt(types))
	}
	about = append(about, "void:classes", formatInt(classes), "void:properties", formatInt(properties))
	for _, p := range partitions {
		link := "void:propertyPartition"
		if p[3] == "void:class" {
			link = "void:classPartition"
		}
		about = append(about, link, p[0])
	}
	v.node(node, about...)
	for _, p := range partitions {
		v.node(p[0], p[1:]...)
	}
}

// abbreviated returns an IRI as a part of another IRI, with a prefix where one fits.
func abbreviated(iri string) string {
	for _, p := range append([]trig.Prefix{{Name: "so", IRI: vocab.NS}}, alignedPrefixes...) {
		if local, ok := strings.CutPrefix(iri, p.IRI); ok {
			return p.Name + ":" + local
		}
	}
	return string(vocab.AppendSegment(nil, iri))
}

// turtleWriter collects a Turtle document.
type turtleWriter struct{ text []byte }

// node writes a subject with about, which alternates predicates and objects.
func (t *turtleWriter) node(subject string, about ...string) {
	t.text = append(t.text, '\n')
	t.text = append(t.text, subject...)
	for i := 0; i < len(about); i += 2 {
		if i > 0 {
			t.text = append(t.text, " ;\n\t"...)
		} else {
			t.text = append(t.text, ' ')
		}
		t.text = append(t.text, about[i]+" "+about[i+1]...)
	}
	t.text = append(t.text, " .\n"...)
}

func quotedIRI(s string) string  { return string(trig.AppendIRI(nil, s)) }
func quotedText(s string) string { return string(trig.AppendString(nil, []byte(s))) }
func formatInt(n int64) string   { return strconv.FormatInt(n, 10) }

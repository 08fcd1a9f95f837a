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

// void returns the description of the dataset, as Turtle without blank nodes, in the
// terms of VoID, DCAT, SPDX, Dublin Core and PROV. It holds no times of the run, so
// that equal builds have equal files. In order: the dataset with its sources, the
// union of its graphs, each graph, each file.
//
// The counts are those of the written batches. A triple in two graphs is two of the
// dataset's triples and one of the union's.
func (b *builder) void() []byte {
	v := &turtle{}
	for _, p := range voidPrefixes {
		v.text = append(v.text, "@prefix "+p.Name+": <"+p.IRI+"> .\n"...)
	}
	b.describeDataset(v)
	b.writeCounts(v, b.part("union"), "union", b.assembler.kinds, []string{
		"a", "void:Dataset", "rdfs:label", text("All graphs together, each triple counted once"),
	})
	for i := range b.graphs {
		b.describeGraph(v, i)
	}
	for _, f := range b.files {
		b.describeFile(v, f)
	}
	return v.text
}

// part returns the IRI of a part of the description.
func (b *builder) part(name string) string { return iri(b.Site.VoidGraph() + "#" + name) }

func (b *builder) describeDataset(v *turtle) {
	all := make([]int64, len(b.terms.kinds.all))
	for _, byKind := range b.assembler.perGraph {
		addEach(all, byKind)
	}
	about := []string{
		"a", "void:Dataset, dcat:Dataset, prov:Entity",
		"dcterms:title", text("Knowledge graph of " + b.Site.Host()),
		"dcterms:license", iri(vocab.CC + "4.0/"), "dcterms:source", iri(string(b.Site) + "/"),
		"void:vocabulary", iri(vocab.NS), "void:uriSpace", text(string(b.Site) + "/"),
		"prov:wasDerivedFrom", b.part("dump"), "prov:wasAttributedTo", b.part("tool"), "prov:wasGeneratedBy", b.part("build"),
		"void:subset", b.part("union"),
	}
	for _, g := range b.graphs {
		about = append(about, "void:subset", iri(g))
	}
	for _, f := range b.files {
		about = append(about, "dcat:distribution", b.part(fileName(f)))
	}
	b.writeCounts(v, b.part("dataset"), "dataset", all, about)

	dump := []string{"a", "prov:Entity", "dcterms:title", text("Data dump of " + b.Site.Host())}
	if b.dump.Newest != "" {
		dump = append(dump, "dcterms:modified", text(b.dump.Newest)+"^^xsd:dateTime") // of its newest post
	}
	v.node(b.part("dump"), dump...)
	v.node(b.part("tool"), "a", "prov:SoftwareAgent", "rdfs:label", text("s2g "+b.tool))
	v.node(b.part("build"), "a", "prov:Activity", "prov:used", b.part("dump"), "prov:wasAssociatedWith", b.part("tool"))
}

func (b *builder) describeGraph(v *turtle, i int) {
	about := []string{"a", "void:Dataset", "dcterms:license", iri(vocab.CC + "4.0/")}
	_, name, _ := strings.Cut(b.graphs[i], string(b.Site)+"/") // a tag, percent-encoded
	if i < len(b.Languages) {
		l := b.Languages[i]
		about = append(about, "rdfs:label", text(l.Name), "dcterms:subject", iri(b.Site.Tag(l.Tag)))
	} else {
		about = append(about, "rdfs:label", text("No selected language"))
	}
	b.writeCounts(v, iri(b.graphs[i]), name, b.assembler.perGraph[i], about)
}

// describeFile describes a file by name, type, size and checksum.
func (b *builder) describeFile(v *turtle, f manifest.File) {
	name := fileName(f)
	about := []string{
		"a", "dcat:Distribution", "dcterms:identifier", text(f.Name), "dcterms:license", iri(vocab.CC + "4.0/"),
		"dcat:mediaType", iri(mediaTypes + map[trig.Format]string{trig.TriG: "trig", trig.NQuads: "n-quads"}[formats[b.Format]]),
	}
	if media := compressions[b.Compress].mediaType; media != "" {
		about = append(about, "dcat:compressFormat", iri(mediaTypes+media))
	}
	sum := b.part(name + "/sha256")
	v.node(b.part(name), append(about,
		"dcat:byteSize", `"`+strconv.FormatInt(f.Size, 10)+`"^^xsd:nonNegativeInteger`, "spdx:checksum", sum)...)
	v.node(sum, "a", "spdx:Checksum", "spdx:algorithm", "spdx:checksumAlgorithm_sha256",
		"spdx:checksumValue", text(f.SHA256)+"^^xsd:hexBinary")
}

// fileName returns a file's name without its folder.
func fileName(f manifest.File) string { return f.Name[strings.LastIndexByte(f.Name, '/')+1:] }

// nodeClasses are the classes of which each node has exactly one.
var nodeClasses = inNS([]string{vocab.Question, vocab.Answer, vocab.Comment, vocab.Tag, vocab.TagWiki, vocab.TagWikiExcerpt})

// writeCounts writes a node with its numbers of triples, and a partition for each
// class and property that occurs. name is the beginning of the partitions' names.
func (b *builder) writeCounts(v *turtle, node, name string, byKind []int64, about []string) {
	var entities int64
	for _, class := range nodeClasses {
		entities += byKind[b.terms.kinds.number[class]]
	}
	about = append(about, "void:triples", number(total(byKind)), "void:entities", number(entities))
	var partitions [][]string
	var classes, properties, types int64
	partition := func(term string, what ...string) {
		part := b.part(name + "/" + term)
		partitions = append(partitions, append([]string{part, "a", "void:Dataset"}, what...))
	}
	for i, k := range b.terms.kinds.all {
		switch n := byKind[i]; {
		case n == 0:
		case k.isClass:
			classes++
			types += n
			partition(abbreviated(k.iri), "void:class", iri(k.iri), "void:entities", number(n))
		default:
			properties++
			partition(abbreviated(k.iri), "void:property", iri(k.iri), "void:triples", number(n))
		}
	}
	if types > 0 {
		properties++
		partition("rdf:type", "void:property", iri(vocab.RDF+"type"), "void:triples", number(types))
	}
	about = append(about, "void:classes", number(classes), "void:properties", number(properties))
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

// turtle is a document of Turtle that is being written.
type turtle struct{ text []byte }

// node writes a subject; about alternates predicates and objects.
func (t *turtle) node(subject string, about ...string) {
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

func iri(s string) string   { return string(trig.AppendIRI(nil, s)) }
func text(s string) string  { return string(trig.AppendString(nil, []byte(s))) }
func number(n int64) string { return strconv.FormatInt(n, 10) }

package graph

import (
	"fmt"

	"s2g/graph/trig"
	"s2g/schema/vocab"
)

// void describes the dataset as Turtle: what VoID, Dublin Core and PROV have
// terms for. It holds no run times, so the same build has the same file.
func (b *build) void() []byte {
	iri := func(s string) string { return string(trig.AppendIRI(nil, s)) }
	text := func(s string) string { return string(trig.AppendString(nil, []byte(s))) }
	part := func(name string) string { return iri(b.Site.VoidGraph() + "#" + name) }
	out := []byte(`@prefix void: <http://rdfs.org/ns/void#> .
@prefix dcterms: <http://purl.org/dc/terms/> .
@prefix prov: <http://www.w3.org/ns/prov#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .

`)
	add := func(format string, args ...any) { out = fmt.Appendf(out, format, args...) }

	add("%s a void:Dataset ;\n\tdcterms:title %s ;\n", part("dataset"), text("Knowledge graph of "+b.Site.Host()))
	add("\tdcterms:license %s ;\n\tdcterms:source %s ;\n", iri(vocab.CC+"4.0/"), iri(string(b.Site)+"/"))
	add("\tvoid:vocabulary %s ;\n\tvoid:uriSpace %s ;\n", iri(vocab.NS), text(string(b.Site)+"/"))
	add("\tvoid:triples %d ;\n", b.asm.quads())
	add("\tprov:wasDerivedFrom %s ;\n\tprov:wasAttributedTo %s", part("dump"), part("tool"))
	for _, g := range b.graphs {
		add(" ;\n\tvoid:subset %s", iri(g))
	}
	add(" .\n\n%s a prov:Entity ;\n\tdcterms:title %s", part("dump"), text("Data dump of "+b.Site.Host()))
	if b.dump.Newest != "" { // the newest post
		add(" ;\n\tdcterms:modified %s^^xsd:dateTime", text(b.dump.Newest))
	}
	add(" .\n\n%s a prov:SoftwareAgent ;\n\trdfs:label %s .\n", part("tool"), text("s2g "+b.tool))
	for i, g := range b.graphs {
		add("\n%s a void:Dataset ;\n", iri(g))
		if i < len(b.Languages) {
			l := b.Languages[i]
			add("\trdfs:label %s ;\n\tdcterms:subject %s ;\n", text(l.Name), iri(b.Site.Tag(l.Tag)))
		} else {
			add("\trdfs:label %s ;\n", text("No selected language"))
		}
		add("\tvoid:triples %d .\n", b.asm.perGraph[i])
	}
	return out
}

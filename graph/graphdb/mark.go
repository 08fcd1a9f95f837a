package graphdb

import (
	"fmt"
	"strings"

	"s2g/schema/manifest"
	"s2g/schema/vocab"
)

// The graph S/s2g/load, while a load is on its way, holds
//
//	<S/s2g/load> dcterms:identifier "EDITION" .
//	<S/s2g/load#graph/batch-000001.trig.gz> spdx:checksumValue "SHA-256" .
//
// the second for each file that is loaded.
const (
	identifier    = "http://purl.org/dc/terms/identifier"
	checksum      = "http://spdx.org/rdf/terms#checksum"
	checksumValue = "http://spdx.org/rdf/terms#checksumValue"
)

// LoadGraph is the graph that is there while a load is on its way.
func LoadGraph(s vocab.Site) string { return string(s) + "/s2g/load" }

// marks are the statements of files, as Turtle.
func (b *Build) marks(files []manifest.File) []byte {
	var text strings.Builder
	for _, f := range files {
		fmt.Fprintf(&text, "<%s#%s> <%s> %q .\n", LoadGraph(b.Site), f.Name, checksumValue, f.SHA256)
	}
	return []byte(text.String())
}

// beginning is the statement that names the build, as Turtle.
func (b *Build) beginning() []byte {
	return fmt.Appendf(nil, "<%s> <%s> %q .\n", LoadGraph(b.Site), identifier, b.Edition)
}

// marksOf asks for the marks of all files.
func marksOf(s vocab.Site) string {
	return fmt.Sprintf("SELECT ?file ?sum { GRAPH <%s> { ?file <%s> ?sum } }", LoadGraph(s), checksumValue)
}

// editionOf asks which build is being loaded.
func editionOf(s vocab.Site) string {
	return fmt.Sprintf("SELECT ?edition { GRAPH <%s> { <%[1]s> <%s> ?edition } }", LoadGraph(s), identifier)
}

// describedBy asks for the files of the build that void.ttl describes.
func describedBy(s vocab.Site) string {
	return fmt.Sprintf("SELECT ?file ?sum { GRAPH <%s> { ?f <%s> ?file ; <%s> ?c . ?c <%s> ?sum } }", s.VoidGraph(), identifier, checksum, checksumValue)
}

package manifest

import (
	"io"
	"path/filepath"
	"regexp"
	"strings"

	"s2g/schema"
)

// datasetIRI matches the IRI of a part of the dataset's description in void.ttl, up
// to the site.
var datasetIRI = regexp.MustCompile(`<(https?://[^>\s]+)/s2g/void#`)

// descriptionHead is the part of void.ttl, in bytes, that holds such an IRI.
const descriptionHead = 64 << 10

// completeSite takes the site of a build whose manifest has none from the
// description of its graph.
func (m *Manifest) completeSite() {
	if m.Options.Site != "" || m.Dump.Site != "" || m.Stages[Graph] == nil {
		return
	}
	f, err := schema.OpenRegular(filepath.Join(m.root, "graph", "void.ttl"))
	if err != nil {
		return // the graph is damaged, and no site is better than a guess
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, descriptionHead))
	if err != nil {
		return
	}
	if found := datasetIRI.FindSubmatch(head); found != nil {
		m.Dump.Site = strings.TrimPrefix(string(found[1]), "http://")
	}
}

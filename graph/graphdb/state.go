package graphdb

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"strings"

	"s2g/graph/rdf4j"
	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/vocab"
)

// LoadState is the progress of a build's load, as a repository holds it.
type LoadState uint8

// The states, as the package's documentation defines them.
const (
	Absent LoadState = iota
	Empty
	Begun
	Whole
	Foreign
)

// String returns the state's name.
func (s LoadState) String() string {
	return [...]string{"absent", "empty", "begun", "whole", "foreign"}[s]
}

// Contents describes a repository in relation to a build.
type Contents struct {
	State      LoadState
	Statements int64             // number in the repository
	Loaded     map[string]string // if Begun: SHA-256 of the loaded files, by name
	Edition    string            // that the marks name: the build's if Begun, another one's if Foreign
}

// missing returns the files that are not loaded.
func (c *Contents) missing(files []manifest.File) (list []manifest.File) {
	for _, f := range files {
		if c.Loaded[f.Name] != f.SHA256 {
			list = append(list, f)
		}
	}
	return list
}

// Plan returns the contents of the repository and the files that a load would send, or
// the error with which a load would refuse the repository. It changes nothing and
// retries nothing.
func Plan(ctx context.Context, r *rdf4j.Repository, b *Build) (Contents, []manifest.File, error) {
	var contents Contents
	_, err := ExamineServer(ctx, r.Client(), nil)
	if err == nil {
		contents, err = inspect(ctx, r, b)
	}
	switch {
	case rdf4j.Temporary(err):
		return contents, nil, schema.Faultf(schema.FaultService, "check that the server is started", "inspecting the repository: %w", err)
	case err != nil:
		return contents, nil, withFault(err)
	case contents.State == Foreign:
		return contents, nil, foreignFault(r, contents)
	case contents.State == Whole:
		return contents, nil, nil
	}
	return contents, contents.missing(b.Batches), nil
}

// inspect queries the contents of a repository.
func inspect(ctx context.Context, r *rdf4j.Repository, b *Build) (Contents, error) {
	var c Contents
	var err error
	c.Statements, err = r.Size(ctx)
	if rdf4j.IsStatus(err, http.StatusNotFound) {
		return c, nil
	}
	if err != nil {
		return c, err
	}
	if c.Statements == 0 {
		c.State = Empty
		return c, nil
	}
	c.State = Foreign
	query := fmt.Sprintf("SELECT ?edition { GRAPH <%s> { <%[1]s> <%s> ?edition } }", LoadGraph(b.Site), identifier)
	editions, err := queryPairs(ctx, r, query, "edition", "edition")
	if err != nil {
		return c, err
	}
	for edition := range editions { // one, unless another program has written a second
		c.Edition = edition
	}
	if len(editions) == 1 && c.Edition == b.Edition {
		c.State = Begun
		c.Loaded, err = queryMarks(ctx, r, b)
		return c, err
	}
	if len(editions) > 0 {
		return c, nil
	}
	query = fmt.Sprintf("SELECT ?file ?sum { GRAPH <%s> { ?f <%s> ?file ; <%s> ?c . ?c <%s> ?sum } }",
		b.Site.VoidGraph(), identifier, checksum, checksumValue)
	described, err := queryPairs(ctx, r, query, "file", "sum")
	if err != nil {
		return c, err
	}
	batches := map[string]string{}
	for _, f := range b.Batches {
		batches[f.Name] = f.SHA256
	}
	if maps.Equal(described, batches) {
		c.State = Whole
	}
	return c, nil
}

// foreignFault returns the fault of a repository with other content.
func foreignFault(r *rdf4j.Repository, c Contents) error {
	holds := "other statements"
	if c.Edition != "" {
		holds = "a part of the build " + c.Edition
	}
	return schema.Faultf(schema.FaultUsage, "name another one by option repository, or delete this one",
		"the repository %s holds %d statements, which are not this build's: %s", r.ID(), c.Statements, holds)
}

// During a load the graph S/s2g/load holds its marks:
//
//	<S/s2g/load> dcterms:identifier "EDITION" .
//	<S/s2g/load#graph/batch-000001.trig.gz> spdx:checksumValue "SHA-256" .
//
// The first triple names the build; each loaded file has one like the second.
const (
	identifier    = "http://purl.org/dc/terms/identifier"
	checksum      = "http://spdx.org/rdf/terms#checksum"
	checksumValue = "http://spdx.org/rdf/terms#checksumValue"
)

// LoadGraph returns the IRI of the graph that holds the marks during a load.
func LoadGraph(s vocab.Site) string { return string(s) + "/s2g/load" }

// marks returns the marks of files as Turtle.
func (b *Build) marks(files []manifest.File) []byte {
	var text []byte
	for _, f := range files {
		text = fmt.Appendf(text, "<%s#%s> <%s> %q .\n", LoadGraph(b.Site), f.Name, checksumValue, f.SHA256)
	}
	return text
}

// editionMark returns the mark of the build as Turtle.
func (b *Build) editionMark() []byte {
	return fmt.Appendf(nil, "<%s> <%s> %q .\n", LoadGraph(b.Site), identifier, b.Edition)
}

// queryMarks returns the SHA-256 of the loaded files by name.
func queryMarks(ctx context.Context, r *rdf4j.Repository, b *Build) (map[string]string, error) {
	query := fmt.Sprintf("SELECT ?file ?sum { GRAPH <%s> { ?file <%s> ?sum } }", LoadGraph(b.Site), checksumValue)
	marks, err := queryPairs(ctx, r, query, "file", "sum")
	if err != nil {
		return nil, err
	}
	loaded := make(map[string]string, len(marks))
	for iri, sum := range marks {
		loaded[strings.TrimPrefix(iri, LoadGraph(b.Site)+"#")] = sum
	}
	return loaded, nil
}

// queryPairs returns the values of one variable of a query by those of another, the key.
// Different values of one key are joined to a text that equals no checksum.
func queryPairs(ctx context.Context, r *rdf4j.Repository, query, key, value string) (map[string]string, error) {
	rows, err := r.Query(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	found := map[string]string{}
	for rows.Scan() {
		k, v := rows.Record()[key].Value, rows.Record()[value].Value
		if before, ok := found[k]; ok && before != v {
			v = fmt.Sprintf("%s and %s", before, v)
		}
		found[k] = v
	}
	return found, rows.Err()
}

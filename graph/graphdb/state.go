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

// LoadState is how far a repository is with a build.
type LoadState uint8

// The stands; the package's documentation has them.
const (
	Absent LoadState = iota
	Empty
	Begun
	Whole
	Foreign
)

// String names the stand.
func (s LoadState) String() string {
	return [...]string{"absent", "empty", "begun", "whole", "foreign"}[s]
}

// Contents is what a repository holds of a build.
type Contents struct {
	State      LoadState
	Statements int64             // in all
	Loaded     map[string]string // where it is begun: SHA-256 of the files that are loaded, by their names
	Edition    string            // where it is begun, or foreign with the marks of another build
}

// missing are the files of a list that are not loaded.
func (c *Contents) missing(files []manifest.File) (list []manifest.File) {
	for _, f := range files {
		if c.Loaded[f.Name] != f.SHA256 {
			list = append(list, f)
		}
	}
	return list
}

// Look asks the server what a repository holds of a build.
func Inspect(ctx context.Context, r *rdf4j.Repository, b *Build) (Contents, error) {
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
	editions, err := pairs(ctx, r, editionOf(b.Site), "edition", "edition")
	if err != nil {
		return c, err
	}
	for c.Edition = range editions {
	}
	if len(editions) == 1 && c.Edition == b.Edition {
		c.State = Begun
		c.Loaded, err = marked(ctx, r, b)
		return c, err
	}
	if len(editions) > 0 {
		return c, nil
	}
	described, err := pairs(ctx, r, describedBy(b.Site), "file", "sum")
	if err != nil {
		return c, err
	}
	want := map[string]string{}
	for _, f := range b.Batches {
		want[f.Name] = f.SHA256
	}
	if maps.Equal(described, want) {
		c.State = Whole
	}
	return c, nil
}

// marked asks which files are loaded.
func marked(ctx context.Context, r *rdf4j.Repository, b *Build) (map[string]string, error) {
	marks, err := pairs(ctx, r, marksOf(b.Site), "file", "sum")
	if err != nil {
		return nil, err
	}
	loaded := make(map[string]string, len(marks))
	for iri, sum := range marks {
		loaded[strings.TrimPrefix(iri, LoadGraph(b.Site)+"#")] = sum
	}
	return loaded, nil
}

// pairs sends a query and gives one variable by another. Two values for one key
// are an error.
func pairs(ctx context.Context, r *rdf4j.Repository, query, key, value string) (map[string]string, error) {
	rows, err := r.Query(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	found := map[string]string{}
	for rows.Scan() {
		k, v := rows.Record()[key].Value, rows.Record()[value].Value
		if before, ok := found[k]; ok && before != v {
			v = fmt.Sprintf("%s and %s", before, v) // fits nothing
		}
		found[k] = v
	}
	return found, rows.Err()
}

// Plan says what a load would find and send, and how it would be refused. It
// changes nothing and tries once.
func Plan(ctx context.Context, r *rdf4j.Repository, b *Build) (Contents, []manifest.File, error) {
	contents, err := Inspect(ctx, r, b)
	switch {
	case rdf4j.Temporary(err):
		return contents, nil, schema.Faultf(schema.FaultService, "is it started?", "looking at the server: %w", err)
	case err != nil:
		return contents, nil, classed(err)
	case contents.State == Foreign:
		return contents, nil, foreign(r, contents)
	case contents.State == Whole:
		return contents, nil, nil
	}
	return contents, contents.missing(b.Batches), nil
}

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

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
)

// Stand is how far a repository is with a build.
type Stand uint8

// The stands; the package's documentation has them.
const (
	Absent Stand = iota
	Empty
	Begun
	Whole
	Foreign
)

// String names the stand.
func (s Stand) String() string {
	return [...]string{"absent", "empty", "begun", "whole", "foreign"}[s]
}

// State is what a repository holds of a build.
type State struct {
	Stand      Stand
	Statements int64             // in all
	Loaded     map[string]string // where it is begun: SHA-256 of the files that are loaded, by their names
	Edition    string            // where it is begun, or foreign with the marks of another build
}

// missing are the files of a list that are not loaded.
func (s *State) missing(files []manifest.File) (list []manifest.File) {
	for _, f := range files {
		if s.Loaded[f.Name] != f.SHA256 {
			list = append(list, f)
		}
	}
	return list
}

// Look asks the server what a repository holds of a build.
func Look(ctx context.Context, r *rdf4j.Repository, b *Build) (State, error) {
	var s State
	var err error
	s.Statements, err = r.Size(ctx)
	if rdf4j.IsStatus(err, http.StatusNotFound) {
		return s, nil
	}
	if err != nil {
		return s, err
	}
	if s.Statements == 0 {
		s.Stand = Empty
		return s, nil
	}
	s.Stand = Foreign
	editions, err := pairs(ctx, r, editionOf(b.Site), "edition", "edition")
	if err != nil {
		return s, err
	}
	for s.Edition = range editions {
	}
	if len(editions) == 1 && s.Edition == b.Edition {
		s.Stand = Begun
		s.Loaded, err = marked(ctx, r, b)
		return s, err
	}
	if len(editions) > 0 {
		return s, nil
	}
	described, err := pairs(ctx, r, describedBy(b.Site), "file", "sum")
	if err != nil {
		return s, err
	}
	want := map[string]string{}
	for _, f := range b.Batches {
		want[f.Name] = f.SHA256
	}
	if maps.Equal(described, want) {
		s.Stand = Whole
	}
	return s, nil
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
func Plan(ctx context.Context, r *rdf4j.Repository, b *Build) (State, []manifest.File, error) {
	state, err := Look(ctx, r, b)
	switch {
	case rdf4j.Temporary(err):
		return state, nil, schema.Faultf(schema.FaultService, "is it started?", "looking at the server: %w", err)
	case err != nil:
		return state, nil, classed(err)
	case state.Stand == Foreign:
		return state, nil, foreign(r, state)
	case state.Stand == Whole:
		return state, nil, nil
	}
	return state, state.missing(b.Batches), nil
}

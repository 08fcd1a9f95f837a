package graphdb

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"s2g/graph/rdf4j"
	"s2g/graph/trig"
	"s2g/schema"
	"s2g/schema/manifest"
)

// Offline writes what GraphDB's importrdf needs beside the batches to make the
// whole repository while no server runs, and returns the command:
//
//	repository.ttl  the repository's configuration
//	described.nq    ontology and description, in their graphs
//
// The command is to be run on the machine of the server, by its user.
func WriteOffline(b *Build, name, dir string, c CreateOptions) (command []string, err error) {
	for _, f := range b.Batches {
		if strings.HasSuffix(f.Name, ".zst") {
			return nil, schema.Faultf(schema.FaultUsage, "build with --compress gzip, or load through the protocol", "importrdf does not read zstd, as %s", f.Name)
		}
	}
	configuration := c.Configuration
	if configuration == nil {
		configuration = []byte(rdf4j.Configuration(rdf4j.GraphDB, rdf4j.Settings{ID: name, Title: "Stack2Graph " + b.Site.Host() + " " + b.Edition, Ruleset: c.Ruleset}))
	}
	var described []byte
	for _, f := range []manifest.File{b.Ontology, b.Void} {
		text, err := b.read(f)
		if err != nil {
			return nil, err
		}
		if described, err = appendQuads(described, text, b.graph(f)); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("writing for importrdf: %w", err)
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	out, err := filepath.Abs(b.Out)
	if err != nil {
		return nil, err
	}
	command = []string{"importrdf", "preload", "-s", "-c"}
	for _, f := range []struct {
		name    string
		content []byte
	}{{"repository.ttl", configuration}, {"described.nq", described}} {
		at := filepath.Join(dir, f.name)
		if err := os.WriteFile(at, f.content, 0o644); err != nil {
			return nil, fmt.Errorf("writing for importrdf: %w", err)
		}
		command = append(command, quoted(at))
	}
	if len(b.Batches) > 0 {
		_, end, _ := strings.Cut(filepath.Base(b.Batches[0].Name), ".")
		command = append(command, quoted(filepath.Join(out, "graph"))+"/batch-*."+end)
	}
	return command, nil
}

// appendQuads appends the triples of a Turtle document as N-Quads of a graph.
func appendQuads(dst, turtle []byte, graph string) ([]byte, error) {
	spelled := trig.NewSyntax(trig.NQuads)
	r := trig.NewReader(bytes.NewReader(turtle), trig.TriG)
	for r.Scan() {
		q := r.Record()
		for _, t := range []trig.Term{q.Subject, q.Predicate, q.Object} {
			dst = append(append(dst, spelled.Term(t)...), ' ')
		}
		dst = append(append(dst, spelled.IRI(graph)...), " .\n"...)
	}
	return dst, r.Err()
}

// quoted writes a word of a shell's command line.
func quoted(word string) string {
	if strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+:@,") == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

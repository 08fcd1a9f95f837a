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

// WriteOffline writes the files into dir that GraphDB's importrdf needs, beside the
// batches, to build the whole repository while no server runs:
//
//	repository.ttl  the repository's configuration
//	described.nq    ontology and description, in their graphs
//
// It returns the words of the command, quoted for a shell. The command must run on
// the server's machine as the server's user.
func WriteOffline(b *Build, name, dir string, c CreateOptions) (command []string, err error) {
	for _, f := range b.Batches {
		if strings.HasSuffix(f.Name, ".zst") {
			return nil, schema.Faultf(schema.FaultUsage, "build with option compress gzip, or leave option offline out", "importrdf does not read zstd, as %s is", f.Name)
		}
	}
	configuration := c.Configuration
	if configuration == nil {
		configuration = []byte(rdf4j.Configuration(rdf4j.GraphDB, rdf4j.Settings{ID: name, Title: b.title(), Ruleset: c.Ruleset}))
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
		command = append(command, shellQuoted(at))
	}
	if len(b.Batches) > 0 {
		_, end, _ := strings.Cut(filepath.Base(b.Batches[0].Name), ".")
		command = append(command, shellQuoted(filepath.Join(out, "graph"))+"/batch-*."+end)
	}
	return command, nil
}

// appendQuads appends the triples of a Turtle document as N-Quads in a graph.
func appendQuads(dst, turtle []byte, graph string) ([]byte, error) {
	syntax := trig.NewSyntax(trig.NQuads)
	r := trig.NewReader(bytes.NewReader(turtle), trig.TriG)
	for r.Scan() {
		q := r.Record()
		for _, t := range []trig.Term{q.Subject, q.Predicate, q.Object} {
			dst = append(append(dst, syntax.Term(t)...), ' ')
		}
		dst = append(append(dst, syntax.IRI(graph)...), " .\n"...)
	}
	return dst, r.Err()
}

// shellQuoted quotes a word for a shell where it needs quotes.
func shellQuoted(word string) string {
	if strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+:@,") == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

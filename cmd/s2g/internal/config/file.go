// Package config reads settings from files: the YAML file of --config, and the files of secrets that environment
// variables name. A key of the YAML file is the name of a flag without dashes.
//
//	out: /srv/s2g/2024-03
//	languages: [python, r]
//	db-memory: 8GiB
//	other: true
//
// The file is flat. A value is written as on the command line; a flag of several values takes a list.
package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"go.yaml.in/yaml/v3"

	"s2g/schema"
)

// Setting is a flag in the file.
type Setting struct {
	Name   string
	Values []string // one, or the items of a list
	File   string
	Line   int
}

// Where returns the setting's place in the file, as "s2g.yaml:3".
func (s Setting) Where() string { return fmt.Sprintf("%s:%d", s.File, s.Line) }

// Faultf returns a usage fault of the setting.
func (s Setting) Faultf(remedy, format string, args ...any) error {
	return schema.Faultf(schema.FaultUsage, remedy, "%s: %w", s.Where(), fmt.Errorf(format, args...))
}

// Read reads a file and returns its settings in their order. Errors are of [schema.FaultUsage].
func Read(path string) ([]Setting, error) {
	text, err := schema.ReadRegular(path)
	if err != nil {
		return nil, schema.Faultf(schema.FaultUsage, "give the name of a readable YAML file", "reading option config: %w", err)
	}
	var document yaml.Node
	in := yaml.NewDecoder(bytes.NewReader(text))
	if err := in.Decode(&document); errors.Is(err, io.EOF) {
		return nil, nil // empty, or comments alone
	} else if err != nil {
		return nil, schema.Faultf(schema.FaultUsage, "a line is a flag without dashes and its value, as db-memory: 8GiB", "%s: %w", path, err)
	}
	if err := in.Decode(&yaml.Node{}); !errors.Is(err, io.EOF) {
		return nil, schema.Faultf(schema.FaultUsage, "join them", "%s holds more than one document", path)
	}
	return settings(path, document.Content[0])
}

func settings(path string, top *yaml.Node) ([]Setting, error) {
	if top.Kind == yaml.ScalarNode && top.Tag == "!!null" {
		return nil, nil
	}
	if top.Kind != yaml.MappingNode {
		return nil, Setting{File: path, Line: top.Line}.Faultf("a line is a flag without dashes and its value, as db-memory: 8GiB", "not names with values")
	}
	var list []Setting
	lines := map[string]int{}
	for i := 0; i+1 < len(top.Content); i += 2 {
		s := Setting{Name: top.Content[i].Value, File: path, Line: top.Content[i].Line}
		if before, twice := lines[s.Name]; twice {
			return nil, s.Faultf("", "%s is given twice, first in line %d", s.Name, before)
		}
		lines[s.Name] = s.Line
		var err error
		if s.Values, err = values(s, top.Content[i+1]); err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

// values returns the values of a scalar or of a list of scalars.
func values(s Setting, n *yaml.Node) ([]string, error) {
	switch n = resolve(n); n.Kind {
	case yaml.ScalarNode:
		if n.Tag == "!!null" {
			return nil, s.Faultf("give it one, or take the line out", "%s has no value", s.Name)
		}
		return []string{n.Value}, nil
	case yaml.SequenceNode:
		list := []string{}
		for _, item := range n.Content {
			if resolve(item).Kind == yaml.SequenceNode { // which may hold itself
				return nil, s.Faultf("", "%s has a list in a list", s.Name)
			}
			one, err := values(s, item)
			if err != nil {
				return nil, err
			}
			list = append(list, one...)
		}
		return list, nil
	}
	return nil, s.Faultf("give each flag a line of its own, with its name as on the command line", "%s holds names: settings are not nested", s.Name)
}

// resolve returns the node that an alias refers to.
func resolve(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

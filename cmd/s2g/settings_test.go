package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"s2g/cmd/s2g/internal/build"
	"s2g/schema"
)

// Every flag of every command can be set by a file, but for those that only mean
// something on a command line.
func TestFilesSetAllFlagsButThoseOfACommandLine(t *testing.T) {
	names := flagNames(newApp(&bytes.Buffer{}, &bytes.Buffer{}).root)
	for _, name := range []string{"out", "dump", "languages", "json", "posts", "files-only"} {
		if !slices.Contains(names, name) {
			t.Errorf("--%s is in no file", name)
		}
	}
	for _, name := range commandLineOnly {
		if slices.Contains(names, name) {
			t.Errorf("a file may set --%s", name)
		}
	}
	for _, name := range build.Sticky() {
		if !slices.Contains(names, name) {
			t.Errorf("a stage inherits --%s, which is no flag", name)
		}
	}
	if strings.Join(names, " ") != strings.ToLower(strings.Join(names, " ")) {
		t.Errorf("flags with capitals: %v", names)
	}
}

// A variable that is nearly a flag's is an error; one of another program is none.
func TestMisspeltVariable(t *testing.T) {
	names := flagNames(newApp(&bytes.Buffer{}, &bytes.Buffer{}).root)
	for variable, meant := range map[string]string{
		"S2G_LANGAUGES": "S2G_LANGUAGES", "S2G_DBMEMORY": "S2G_DB_MEMORY", "S2G_GRAPH_DB": "S2G_GRAPHDB",
		"S2G_LANGUAGES": "", "S2G_PORT": "", "S2G_SERVICE_HOST": "", "S2G_PORT_80_TCP_ADDR": "", "S2G_KEEP_BUILDS": "", "S2G_DUMPS": "", "S2G_BUILDS": "",
		"S2G_QDRANT_API_KEY": "", "S2G_GRAPHDB_PASSWORD_FILE": "", "S2G_TEST_DUMPS": "", "LANGAUGES": "",
	} {
		err := misspeltVariable([]string{"HOME=/", variable + "=x"}, names)
		if _, remedy := schema.FaultOf(err); (err != nil) != (meant != "") || !strings.Contains(remedy, meant) {
			t.Errorf("%s: %v, %s", variable, err, remedy)
		}
	}
}

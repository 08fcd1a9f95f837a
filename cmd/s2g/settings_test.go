package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"s2g/cmd/s2g/internal/build"
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

func TestNearest(t *testing.T) {
	names := []string{"out", "languages", "db-memory", "compress", "window", "dump", "dump-site"}
	for name, want := range map[string]string{
		"language": "languages", "langauges": "languages", "dbmemory": "db-memory", "db_memory": "db-memory", "windows": "window",
		"compression": "compress", "outt": "out", "dump-sites": "dump-site", "zebra": "", "": "",
	} {
		if got := nearest(name, names); got != want {
			t.Errorf("nearest(%q) = %q, want %q", name, got, want)
		}
	}
}

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
	names := flagNames(newRoot(&bytes.Buffer{}, &bytes.Buffer{}))
	for _, name := range []string{"out", "dump", "languages", "json", "posts", "files-only"} {
		if !slices.Contains(names, name) {
			t.Errorf("--%s is in no file", name)
		}
	}
	for _, name := range unsettable {
		if slices.Contains(names, name) {
			t.Errorf("a file may set --%s", name)
		}
	}
	for _, name := range build.Inheritable() {
		if !slices.Contains(names, name) {
			t.Errorf("a stage inherits --%s, which is no flag", name)
		}
	}
	if strings.Join(names, " ") != strings.ToLower(strings.Join(names, " ")) {
		t.Errorf("flags with capitals: %v", names)
	}
}

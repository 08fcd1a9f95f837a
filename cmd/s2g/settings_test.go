package main

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"s2g/cmd/s2g/internal/build"
	"s2g/cmd/s2g/internal/commandline"
	"s2g/schema"
)

// Every flag of every command can be set by a file, but for those that only mean
// something on a command line.
func TestFilesSetAllFlagsButThoseOfACommandLine(t *testing.T) {
	names := commandline.FlagNames(newApp(&bytes.Buffer{}, &bytes.Buffer{}).root)
	for _, name := range []string{"out", "dump", "languages", "json", "posts", "files-only"} {
		if !slices.Contains(names, name) {
			t.Errorf("--%s is in no file", name)
		}
	}
	for _, name := range commandline.OnlyFlags {
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
	names := commandline.FlagNames(newApp(&bytes.Buffer{}, &bytes.Buffer{}).root)
	for variable, meant := range map[string]string{
		"S2G_LANGAUGES": "S2G_LANGUAGES", "S2G_DBMEMORY": "S2G_DB_MEMORY", "S2G_GRAPH_DB": "S2G_GRAPHDB",
		"S2G_LANGUAGES": "", "S2G_PORT": "", "S2G_SERVICE_HOST": "", "S2G_PORT_80_TCP_ADDR": "", "S2G_KEEP_BUILDS": "", "S2G_DUMPS": "", "S2G_BUILDS": "",
		"S2G_QDRANT_API_KEY": "", "S2G_GRAPHDB_PASSWORD_FILE": "", "S2G_TEST_DUMPS": "", "LANGAUGES": "",
	} {
		err := commandline.MisspeltVariable([]string{"HOME=/", variable + "=x"}, names)
		if _, remedy := schema.FaultOf(err); (err != nil) != (meant != "") || !strings.Contains(remedy, meant) {
			t.Errorf("%s: %v, %s", variable, err, remedy)
		}
	}
}

// The flag retry-for also holds for endpoints. Zero means no retry, which the library's zero value does not.
func TestRetryForReachesEndpoints(t *testing.T) {
	a := newApp(io.Discard, io.Discard)
	for value, want := range map[string]time.Duration{"": 2 * time.Minute, "5s": 5 * time.Second, "0": -1, "-3s": -3 * time.Second} {
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		flags.Duration("retry-for", 2*time.Minute, "")
		if value != "" {
			if err := flags.Set("retry-for", value); err != nil {
				t.Fatal(err)
			}
		}
		if got := a.remote(flags).RetryFor; got != want {
			t.Errorf("--retry-for %q: %v", value, got)
		}
	}
	for _, name := range []string{"build", "vectors", "search", "eval", "clean", "verify"} {
		if cmd, _, err := a.root.Find([]string{name}); err != nil || cmd.Flags().Lookup("retry-for") == nil {
			t.Errorf("s2g %s has no --retry-for: %v", name, err)
		}
	}
	if got := a.remote(pflag.NewFlagSet("", pflag.ContinueOnError)).RetryFor; got != 0 {
		t.Errorf("without the flag: %v", got)
	}
}

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"s2g/schema/schematest"
)

// complete returns the words that bash offers after the given ones, with the script of s2g completion bash.
func complete(t *testing.T, bash, script string, words ...string) []string {
	t.Helper()
	// in place of the package bash-completion: no word here has a character at which bash splits words
	const program = `
_get_comp_words_by_ref() { words=("${COMP_WORDS[@]}"); cword=$COMP_CWORD; cur=${words[cword]}; prev=${words[cword-1]}; }
compopt() { :; }
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}; COMP_TYPE=9; COMP_KEY=9
__start_s2g
printf '%s\n' "${COMPREPLY[@]}"`
	cmd := exec.Command(bash, append([]string{"--norc", "-c", program, "bash", script}, words...)...)
	cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(script)+":"+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var list []string
	for line := range strings.Lines(string(out)) {
		if word, _, _ := strings.Cut(strings.TrimSpace(line), " "); word != "" { // a description may follow
			list = append(list, strings.ReplaceAll(word, `\`, "")) // a single one is quoted
		}
	}
	return list
}

func TestBashCompletion(t *testing.T) {
	bash := schematest.Tool(t, "bash")
	dir := t.TempDir()
	script := filepath.Join(dir, "s2g.bash")
	if err := os.WriteFile(script, []byte(s2g(t, "completion", "bash")), 0o600); err != nil {
		t.Fatal(err)
	}
	// the script runs the s2g on PATH, which is this test binary
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(dir, "s2g")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("S2G_WINDOW", "many") // completion ignores a wrong environment
	for _, test := range []struct {
		words     string // the last is to be completed
		with, not []string
		exactly   bool
	}{
		{words: "s2g ver", with: []string{"verify"}, exactly: true},
		{words: "s2g ", with: []string{"build", "load", "doctor", "completion"}, not: []string{"man"}},
		{words: "s2g load q", with: []string{"qdrant"}, exactly: true},
		{words: "s2g build --comp", with: []string{"--compress"}, exactly: true},
		{words: "s2g build --compress ", with: []string{"gzip", "none", "zstd"}, exactly: true},
		{words: "s2g graph --graph-format n", with: []string{"nquads"}, exactly: true},
		{words: "s2g build --without ", with: []string{"comments", "links", "tags", "votes"}, exactly: true},
		{words: "s2g build --without votes,", with: []string{"votes,comments", "votes,links", "votes,tags"}, exactly: true},
		{words: "s2g build --stages ingest,g", with: []string{"ingest,graph"}, exactly: true},
		{words: "s2g build --languages ", with: []string{"python", "c#", "c++", ".net"}},
		{words: "s2g build --languages python,ja", with: []string{"python,java", "python,javascript"}, exactly: true},
		{words: "s2g search --language ru", with: []string{"ruby", "rust"}, exactly: true},
		{words: "s2g stats --as ", with: []string{"csv", "json", "table"}, exactly: true},
		{words: "s2g build --db-memory ", exactly: true},
		{words: "s2g verify ", exactly: true},
		{words: "s2g diff a b --list ", with: []string{"added", "changed", "removed"}, exactly: true},
	} {
		got := complete(t, bash, script, strings.Split(test.words, " ")...)
		slices.Sort(got)
		if test.exactly && !slices.Equal(got, test.with) {
			t.Errorf("%q is completed by %q, not %q", test.words, got, test.with)
		}
		for _, want := range test.with {
			if !slices.Contains(got, want) {
				t.Errorf("%q: no %s in %q", test.words, want, got)
			}
		}
		for _, not := range test.not {
			if slices.Contains(got, not) {
				t.Errorf("%q: %s in %q", test.words, not, got)
			}
		}
	}
}

// The scripts of other shells are cobra's, and only their presence is tested.
func TestCompletionScripts(t *testing.T) {
	for shell, want := range map[string]string{"zsh": "#compdef s2g", "fish": "complete -c s2g", "powershell": "Register-ArgumentCompleter"} {
		if script := s2g(t, "completion", shell); !strings.Contains(script, want) {
			t.Errorf("%s: no %q", shell, want)
		}
	}
}

package main

import (
	"bytes"
	"strings"
	"testing"
)

// A command line that is mistyped ends with exit code 2 and the word that was probably meant.
func TestMistypedCommandLines(t *testing.T) {
	t.Chdir(t.TempDir())
	for line, want := range map[string]string{
		"biuld --out o":                       "did you mean s2g build?",
		"Build --out o":                       "did you mean s2g build?",
		"--json biuld --out o":                "did you mean s2g build?",
		"--config c.yaml serach x":            "did you mean s2g search?",
		"version":                             "did you mean s2g --version?",
		"help biuld":                          "did you mean s2g build?",
		"load neo4j --out o":                  "it takes graphdb, qdrant",
		"load qdrnt --out o":                  "did you mean s2g load qdrant?",
		"completion tcsh":                     "it takes bash, fish, powershell, zsh",
		"build . --out o":                     "did you mean --dump .?",
		"build -dump d -out o":                "did you mean --dump?",
		"build --dmup d --out o":              "did you mean --dump?",
		"build --out o --language python":     "did you mean --languages?",
		"verify o":                            "did you mean --out o?",
		"verify 'my o'":                       "did you mean --out ''\\''my'?",
		"diff o":                              "as s2g diff OLD NEW",
		"search":                              "as s2g search",
		"man":                                 "as s2g man FOLDER",
		"build --workers two":                 "give 1 or more",
		"build --workers 0":                   "give 1 or more",
		"build --max-rejects 1%":              `--max-rejects takes a number, as 0.01, not "1%"`,
		"build --out o --languages --dry-run": "--languages has no value: the next word is --dry-run",
		"--config nosuch.yaml stats --out o":  "--config",
		"build --out o --dump . --site so":    "so.stackexchange.com",
		"--out o":                             "unknown flag: --out",
		"build --out":                         "flag needs an argument: --out",
		"sample --posts 10k --out x":          `--posts takes a whole number, not "10k"`,
		"build --dump . --out . --site example.com": "a folder of its own",
	} {
		var out, errors bytes.Buffer
		if code := run(t.Context(), strings.Fields(line), &out, &errors); code != 2 {
			t.Errorf("%s: exit code %d: %s%s", line, code, out.String(), errors.String())
		}
		if !strings.Contains(errors.String(), want) {
			t.Errorf("%s: no %q in %s", line, want, errors.String())
		}
	}
}

// A word behind a flag that takes a value is no command, and help of every command works.
func TestCommandLinesThatAreRight(t *testing.T) {
	for _, line := range []string{"", "help", "help build", "help load qdrant", "--quiet help", "build --help", "load --help", "completion bash", "--version", "help completion"} {
		var out, errors bytes.Buffer
		if code := run(t.Context(), strings.Fields(line), &out, &errors); code != 0 || out.Len() == 0 {
			t.Errorf("%s: exit code %d: %s", line, code, errors.String())
		}
	}
}

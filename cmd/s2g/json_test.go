package main

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"s2g/schema/schematest"
)

// With --json whatever is printed, on both streams, is a JSON object a line, also
// of a run that fails.
func TestJSONLines(t *testing.T) {
	schematest.Tool(t, "mariadbd")
	work := t.TempDir()
	dump, out := filepath.Join(work, "dump"), filepath.Join(work, "build")
	in := []string{"--out", out}
	tests := []struct {
		command string
		args    []string
		code    int
		key     string // of the last line on the standard output, or of the last line of the log
	}{
		{"sample", []string{"--posts", "600", "--out", dump}, 0, "posts"},
		{"doctor", []string{"--dump", dump}, 0, "programs"},
		{"build", append(in, "--dump", dump, "--dry-run"), 0, "plan"},
		{"build", append(in, "--dump", dump, "--languages", "python,java", "--verbose"), 0, "result"},
		{"verify", in, 0, "verify"},
		{"stats", in, 0, "graphs"},
		{"languages", in, 0, "tag"},
		{"publish", in, 0, "published"},
		{"search", append(in, "--language", "python", "merge two dictionaries"), 0, "iri"},
		{"eval", append(in, "--sample", "20"), 0, "weight"},
		{"clean", append(in, "1"), 0, "chunks"},
		{"report", in, 0, "report"},
		{"diff", []string{out, out}, 0, "questions"},
		{"diff", []string{out, out, "--list", "added"}, 0, ""},
		{"db", append(in, "SELECT Id, Title, NULL AS nothing, 'a\"b\\n' AS quoted FROM Posts ORDER BY Id LIMIT 2"), 0, "quoted"},
		{"db", append(in, "SELECT nonsense"), 2, "msg"},
		{"build", append(in, "--dump", filepath.Join(work, "nowhere")), 3, "exit"},
		{"graph", []string{"--nonsense"}, 2, "remedy"},
	}
	for _, test := range tests {
		var stdout, stderr bytes.Buffer
		if code := run(t.Context(), append([]string{"--json", test.command}, test.args...), &stdout, &stderr); code != test.code {
			t.Fatalf("%s: exit code %d\n%s", test.command, code, stderr.String())
		}
		last := map[string]any{}
		for _, stream := range []string{stdout.String(), stderr.String()} {
			for line := range strings.Lines(stream) {
				object := map[string]any{}
				if err := json.Unmarshal([]byte(line), &object); err != nil {
					t.Errorf("%s prints %q: %v", test.command, line, err)
				}
				if test.code == 0 == (stream == stdout.String()) {
					last = object
				}
			}
		}
		if _, there := last[test.key]; !there && test.key != "" {
			t.Errorf("%s: no %q in %v", test.command, test.key, last)
		}
	}
}

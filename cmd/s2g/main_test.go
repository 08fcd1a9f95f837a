package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"s2g/schema"
	"s2g/schema/schematest"
	"s2g/schema/tables"
)

// TestMain runs this test binary as s2g itself when a script calls s2g, and as
// the supervisor of a private server when s2g starts one.
func TestMain(m *testing.M) {
	tables.Supervise()
	if os.Getenv("S2G_DB_MEMORY") == "" {
		os.Setenv("S2G_DB_MEMORY", "64MiB") // a large buffer pool takes longer to start
	}
	testscript.Main(m, map[string]func(){"s2g": main})
}

// s2gExits runs the program in this process. It fails the test unless the exit code is want.
func s2gExits(t *testing.T, want int, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, log bytes.Buffer
	if got := run(context.WithoutCancel(t.Context()), args, &out, &log); got != want {
		t.Fatalf("s2g %s: exit code %d, want %d\n%s%s", strings.Join(args, " "), got, want, out.String(), log.String())
	}
	return out.String(), log.String()
}

// s2g runs the program in this process and returns its standard output. It fails the test unless the exit code is 0.
func s2g(t *testing.T, args ...string) string {
	t.Helper()
	stdout, _ := s2gExits(t, 0, args...)
	return stdout
}

// mustContain fails the test unless the text contains all parts.
func mustContain(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("no %q in:\n%s", p, text)
		}
	}
}

// Only a signal makes an error an interruption: whatever else cancels the context, the error is reported as it is.
func TestInterruptionIsASignal(t *testing.T) {
	for _, c := range []struct {
		cause error
		err   error
		code  int
		says  string
	}{
		{errInterrupted, context.Canceled, 130, "interrupted"},
		{errInterrupted, errors.New("the server is gone"), 130, "it ended with: the server is gone"},
		{context.DeadlineExceeded, schema.Faultf(schema.FaultInput, "", "the dump is cut short"), 3, "the dump is cut short"},
		{errors.New("another"), fmt.Errorf("reading: %w", context.Canceled), 1, "reading: context canceled"},
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(c.cause)
		var stderr bytes.Buffer
		if code := newApp(io.Discard, &stderr).fail(ctx, c.err); code != c.code || !strings.Contains(stderr.String(), c.says) {
			t.Errorf("%v, canceled by %v: exit code %d, want %d\n%s", c.err, c.cause, code, c.code, stderr.String())
		}
	}
}

// A result that cannot be written is an error of every command, also of those that print without looking.
func TestFullStandardOutputIsTooLittleDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	schematest.Need(t, err == nil, "no /dev/full")
	defer full.Close()
	for _, args := range [][]string{{"languages"}, {"languages", "--json"}, {"--help"}, {"--version"}, {"completion", "bash"}, {"doctor"}} {
		var stderr bytes.Buffer
		if code := run(t.Context(), args, full, &stderr); code != 2 || !strings.Contains(stderr.String(), "disk full") {
			t.Errorf("%q: exit code %d\n%s", args, code, stderr.String())
		}
	}
}

// With --json whatever is printed, on both streams, is a JSON object a line, also
// of a run that fails.
func TestJSONPrintsOnlyObjects(t *testing.T) {
	t.Parallel()
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

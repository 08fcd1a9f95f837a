package main

import (
	"bytes"
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"s2g/schema/schematest"
)

// s2g runs the program in this process and fails the test if it does not exit 0.
func s2g(t *testing.T, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if code := run(context.Background(), args, &stdout, &stderr); code != 0 {
		t.Fatalf("s2g %s: exit %d\n%s", strings.Join(args, " "), code, stderr.String())
	}
	return stdout.String()
}

func judge(t *testing.T, program string, args ...string) string {
	t.Helper()
	out, err := exec.Command(schematest.Shared(t, "check", program), args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", program, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// The judges share no code with s2g: quads.py says with Python's XML parser what
// a graph must hold, serdi reads it, pyarrow reads the shards.
func TestOutsideJudges(t *testing.T) {
	schematest.Tool(t, "serdi")
	schematest.Tool(t, "python3")
	tests := map[string]struct {
		dump    func(t *testing.T) string
		options []string // of the build and of the judge alike
		want    string
	}{
		"bioinformatics": {
			dump: func(t *testing.T) string { return schematest.Dump(t, "bioinformatics.stackexchange.com") },
			want: "8503 quads equal",
		},
		"sample": {
			dump: func(t *testing.T) string { return sampleDump(t, "--posts", "20000") },
			want: "quads equal",
		},
		"shuffled sample": {
			dump: func(t *testing.T) string {
				return sampleDump(t, "--posts", "4000", "--seed", "5", "--shuffle", "--tags", "pipe", "--license")
			},
			options: []string{"--other"},
			want:    "quads equal",
		},
		"own tags": {
			dump:    func(t *testing.T) string { return schematest.Dump(t, "bicycles.meta.stackexchange.com") },
			options: []string{"--languages", "discussion,bug,support,feature-request,tags,status-completed,design,specific-question"},
			want:    "quads equal",
		},
	}
	for name, c := range tests {
		t.Run(name, func(t *testing.T) {
			schematest.Shared(t, "check", "compare")
			dump, out := c.dump(t), filepath.Join(t.TempDir(), "o")
			s2g(t, append([]string{"build", "--dump", dump, "--out", out, "--site", "http://stackoverflow.com"}, c.options...)...)
			if got := judge(t, "compare", append([]string{dump, out}, c.options...)...); !strings.Contains(got, c.want) {
				t.Errorf("compare says %q", got)
			}
			t.Log(strings.TrimSpace(judge(t, "vectors", out)))
		})
	}
}

func sampleDump(t *testing.T, options ...string) string {
	t.Helper()
	dump := filepath.Join(t.TempDir(), "dump")
	s2g(t, append([]string{"sample", "--out", dump}, options...)...)
	return dump
}

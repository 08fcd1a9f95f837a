package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"s2g/cmd/s2g/internal/buildtest"
	"s2g/schema/schematest"
)

func judge(t *testing.T, program string, args ...string) string {
	t.Helper()
	out, err := exec.Command(schematest.Judge(t, program), args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", program, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// The judges share no code with s2g: quads.py computes with Python's XML parser what a graph must contain, serdi reads the
// graph, pyarrow the shards.
func TestOutsideJudges(t *testing.T) {
	schematest.Long(t)
	t.Parallel()
	schematest.Tool(t, "serdi")
	schematest.Tool(t, "python3")
	tests := map[string]struct {
		dump    func(t *testing.T) string
		options []string // of the build and of the judge alike
		build   []string // of the build alone
		want    string
	}{
		"bioinformatics": {
			dump: func(t *testing.T) string { return schematest.Dump(t, "bioinformatics.stackexchange.com") },
			want: "8503 quads equal",
		},
		"sample": {
			dump: func(t *testing.T) string { return sampleDump(t, "--posts", "12000") }, // of two files
			want: "quads equal",
		},
		"shuffled sample": {
			dump: func(t *testing.T) string {
				return sampleDump(t, "--posts", "4000", "--seed", "5", "--shuffle", "--tags", "pipe", "--license")
			},
			options: []string{"--other"},
			want:    "quads equal",
		},
		"three languages": {
			dump:    func(t *testing.T) string { return sampleDump(t, "--posts", "3000", "--seed", "9") },
			options: []string{"--languages", "c#,python,.net"},
			want:    "quads equal",
		},
		"whole site": {
			dump:    func(t *testing.T) string { return schematest.Dump(t, "bioinformatics.stackexchange.com") },
			options: []string{"--whole-site"},
			want:    "quads equal",
		},
		"whole site and languages": {
			dump:    func(t *testing.T) string { return sampleDump(t, "--posts", "3000", "--seed", "10") },
			options: []string{"--whole-site", "--languages", "c#,python,.net"},
			want:    "quads equal",
		},
		"posts alone": {
			dump: func(t *testing.T) string {
				return postsAlone(t, schematest.Dump(t, "bioinformatics.stackexchange.com"))
			},
			build: []string{"--without", "comments,votes,links,tags"},
			want:  "quads equal",
		},
		"own tags": {
			dump:    func(t *testing.T) string { return schematest.Dump(t, "bicycles.meta.stackexchange.com") },
			options: []string{"--languages", "discussion,support,feature-request,on-off-topic,site-promotion,tagging,election,moderation"},
			want:    "quads equal",
		},
	}
	for name, c := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dump, out := c.dump(t), filepath.Join(t.TempDir(), "o")
			s2g(t, append([]string{"build", "--dump", dump, "--out", out, "--site", "http://stackoverflow.com"}, slices.Concat(c.options, c.build)...)...)
			mustBeEqual(t, c.want, append([]string{dump, out}, c.options...)...)
			t.Log(strings.TrimSpace(judge(t, "vectors", out)))
		})
	}
}

// mustBeEqual runs the judge compare, which must find some quads, and all of them equal.
func mustBeEqual(t *testing.T, want string, args ...string) {
	t.Helper()
	got := judge(t, "compare", args...)
	if !strings.HasSuffix(got, want+"\n") || strings.HasPrefix(got, "0 ") {
		t.Errorf("compare says %q", got)
	}
	t.Log(strings.TrimSpace(got))
}

// A dump with tags that are awkward to name, and tables of more languages than a
// machine word has bits: one of those tags, one of all tags of a real dump.
func TestOutsideJudgesOfManyLanguages(t *testing.T) {
	schematest.Long(t)
	t.Parallel()
	schematest.Tool(t, "serdi")
	schematest.Tool(t, "python3")

	compare := func(t *testing.T, dump, table string) {
		t.Helper()
		if n := len(buildtest.Languages(t, "@"+table)); n <= 64 {
			t.Errorf("%s: %d languages", table, n)
		}
		out := filepath.Join(t.TempDir(), "o")
		options := []string{"--languages", "@" + table, "--other"}
		s2g(t, append([]string{"build", "--dump", dump, "--out", out, "--site", "http://stackoverflow.com", "--stages", "ingest,graph,verify"}, options...)...)
		mustBeEqual(t, "quads equal", append([]string{dump, out}, options...)...)
	}
	t.Run("awkward tags", func(t *testing.T) {
		dump, table := buildtest.TagDump(t)
		compare(t, dump, table)
	})
	t.Run("all tags of a real dump", func(t *testing.T) {
		dump := schematest.Dump(t, "bicycles.meta.stackexchange.com")
		rows, err := os.ReadFile(filepath.Join(dump, "Tags.xml"))
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, m := range regexp.MustCompile(`TagName="([^"]+)"`).FindAllSubmatch(rows, -1) {
			all = append(all, string(m[1]))
		}
		table := filepath.Join(t.TempDir(), "all.txt")
		if err := os.WriteFile(table, []byte(strings.Join(all, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		compare(t, dump, table)
	})
}

// postsAlone returns a dump without other tables than Posts.
func postsAlone(t *testing.T, dump string) string {
	t.Helper()
	folder := t.TempDir()
	if err := os.Symlink(filepath.Join(dump, "Posts.xml"), filepath.Join(folder, "Posts.xml")); err != nil {
		t.Fatal(err)
	}
	return folder
}

func sampleDump(t *testing.T, options ...string) string {
	t.Helper()
	dump := filepath.Join(t.TempDir(), "dump")
	s2g(t, append([]string{"sample", "--out", dump}, options...)...)
	return dump
}

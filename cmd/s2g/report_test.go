package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"s2g/cmd/s2g/internal/summary"
	"s2g/graph/rdf4j/rdf4jtest"
	"s2g/schema/manifest"
	"s2g/schema/schematest"
)

// TestReportedExamplesHaveResults runs the search and the query that reports show on the builds that they are of, and
// compares the report's numbers with those of the summary.
func TestReportedExamplesHaveResults(t *testing.T) {
	schematest.Long(t)
	schematest.Tool(t, "mariadbd")
	store := rdf4jtest.Start(t)
	for _, c := range []struct {
		name, dump string // of a synthetic site, or of a real one
		options    []string
	}{
		{"Stack Overflow", "", nil},
		{"tags of another site", "bicycles.meta.stackexchange.com", []string{"--languages", "discussion,support,feature-request,on-off-topic,site-promotion,tagging,election,status-completed"}},
		{"a whole site", "bicycles.meta.stackexchange.com", []string{"--whole-site"}},
		{"a whole site and tags", "bioinformatics.stackexchange.com", []string{"--whole-site", "--languages", "rna-seq,bam"}},
		{"a language and the others", "bioinformatics.stackexchange.com", []string{"--languages", "r", "--other"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, dump := filepath.Join(t.TempDir(), "build"), filepath.Join(t.TempDir(), "dump")
			if c.dump == "" {
				s2g(t, "sample", "--posts", "1500", "--out", dump)
			} else {
				dump = schematest.Dump(t, c.dump)
			}
			s2gExits(t, 0, append([]string{"build", "--dump", dump, "--out", out, "--stages", "ingest,graph,vectors,report"}, c.options...)...)
			page := readReport(t, out)

			found := s2g(t, shellWords(t, strings.Replace(page.command(t, "s2g search "), "OUT", out, 1))[1:]...)
			mustContain(t, found, "1. ", "/questions/")

			name := store.Name(t)
			store.CreateRepository(name, "empty")
			files, err := filepath.Glob(filepath.Join(out, "graph", "batch-*"))
			if err != nil || len(files) == 0 {
				t.Fatal(files, err)
			}
			store.AddFiles(name, "", files...)
			query := page.command(t, "PREFIX so:")
			if rows := store.Select(name, query); len(rows) == 0 || len(rows) > 10 {
				t.Errorf("%d rows of %s", len(rows), query)
			}

			m, err := manifest.Read(out)
			if err != nil {
				t.Fatal(err)
			}
			for unit, stage := range map[string]string{"triples": manifest.Graph, "points": manifest.Vectors} {
				if want := summary.Count(m.Stages[stage].Rows); page.tiles[unit] != want {
					t.Errorf("the report has %s %s, the summary %s", page.tiles[unit], unit, want)
				}
			}
			said, _ := s2gExits(t, 0, "stats", "--out", out, "--as", "json")
			if want := `"distinct": ` + strings.ReplaceAll(page.tiles["questions"], ",", ""); !strings.Contains(said, want) {
				t.Errorf("stats have no %s", want)
			}
		})
	}
}

// shellWords returns the words of a command as a shell splits them.
func shellWords(t *testing.T, command string) []string {
	t.Helper()
	words, err := exec.CommandContext(t.Context(), "sh", "-c", "printf '%s\\n' "+command).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(words), "\n"), "\n")
}

// reportPage is what a report shows.
type reportPage struct {
	tiles    map[string]string // numbers by unit
	commands []string
}

func readReport(t *testing.T, out string) reportPage {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(out, "report.html"))
	if err != nil {
		t.Fatal(err)
	}
	root, err := html.Parse(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	p := reportPage{tiles: map[string]string{}}
	unit := ""
	for n := range root.Descendants() {
		if n.FirstChild == nil || n.FirstChild.Type != html.TextNode {
			continue
		}
		switch first := n.FirstChild.Data; n.Data {
		case "dt":
			unit = first
		case "b":
			if _, err := strconv.Atoi(strings.ReplaceAll(first, ",", "")); err == nil {
				p.tiles[unit] = first
			}
		case "code":
			p.commands = append(p.commands, first)
		}
	}
	return p
}

// command returns the command that begins so.
func (p reportPage) command(t *testing.T, begin string) string {
	t.Helper()
	for _, c := range p.commands {
		if strings.HasPrefix(c, begin) {
			return c
		}
	}
	t.Fatalf("none of %q begins with %q", p.commands, begin)
	return ""
}

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// caseRow matches a row of testdata/cases/hostile.md: a case, what must happen, and the folder and the name of its test.
var caseRow = regexp.MustCompile("^\\| ([^|]+) \\| ([^|]+) \\| `([a-z0-9/]+)` (Test[A-Za-z0-9_]+) \\|$")

// tabled are the tests whose own table names its cases as the document does.
var tabled = []string{"TestHostileDocuments", "TestHostileFolders"}

// TestHostileCases holds that each case of the table has a test, in whose table, if it has one, the case is, and that the
// document has each of the hostile servers.
func TestHostileCases(t *testing.T) {
	table, err := os.ReadFile("testdata/cases/hostile.md")
	if err != nil {
		t.Fatal(err)
	}
	tests, servers := map[string]string{}, map[string]string{}
	for line := range strings.Lines(string(table)) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| case |") {
			continue
		}
		row := caseRow.FindStringSubmatch(line)
		if row == nil {
			t.Errorf("no row: %s", line)
			continue
		}
		if row[4] == "TestHostileServers" && row[3] == "cmd/s2g" {
			servers[row[1]] = row[2]
		}
		text, read := tests[row[3]]
		if !read {
			files, _ := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(row[3]), "*_test.go"))
			for _, f := range files {
				b, err := os.ReadFile(f)
				if err != nil {
					t.Fatal(err)
				}
				text += string(b)
			}
			tests[row[3]] = text
		}
		if !strings.Contains(text, "func "+row[4]+"(t *testing.T)") {
			t.Errorf("%s has no %s: %s", row[3], row[4], row[1])
		}
		if name := strings.TrimPrefix(row[1], "in the place of Posts.xml: "); slices.Contains(tabled, row[4]) && !strings.Contains(text, strconv.Quote(name)) {
			t.Errorf("%s of %s has no case %q", row[4], row[3], name)
		}
	}
	for _, h := range hostileServers {
		if want := fmt.Sprintf("exit codes %d, %d, %d", h.embed, h.graphDB, h.qdrant); servers[h.name] != want {
			t.Errorf("the server %q has %q in the table, in the test %s", h.name, servers[h.name], want)
		}
	}
	if len(servers) != len(hostileServers) {
		t.Errorf("%d servers in the table, %d in the test", len(servers), len(hostileServers))
	}
}

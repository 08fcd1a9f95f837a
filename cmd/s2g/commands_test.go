package main

import (
	"bytes"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"s2g/schema/schematest"
)

// commandRow matches a row of testdata/cases/commands.md: a command, its exit code and a part of what it prints.
var commandRow = regexp.MustCompile("^\\| `s2g ?(.*?)` \\| ([0-9]+) \\| (?:`(.*)`)? \\|$")

// A new user's commands have the exit codes and the messages of the table, in its order.
func TestCommandsOfANewUser(t *testing.T) {
	schematest.Long(t)
	table, err := os.ReadFile("testdata/cases/commands.md")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for _, line := range []string{"sample --posts 500 --out dump", "build --dump dump --out o"} {
		if code, printed := runLine(t, line); code != 0 {
			t.Fatalf("s2g %s: exit code %d: %s", line, code, printed)
		}
	}
	rows := 0
	for line := range strings.Lines(string(table)) {
		m := commandRow.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			if strings.HasPrefix(line, "| `") {
				t.Errorf("no row: %s", line)
			}
			continue
		}
		rows++
		code, printed := runLine(t, m[1])
		if want := strings.ReplaceAll(m[3], `\|`, "|"); strconv.Itoa(code) != m[2] || !strings.Contains(oneLine(printed), oneLine(want)) {
			t.Errorf("s2g %s: exit code %d, want %s with %q:\n%s", m[1], code, m[2], want, printed)
		}
	}
	if rows < 200 {
		t.Errorf("%d commands", rows)
	}
}

// runLine runs a command line, whose words may be in double quotes, and returns what it prints.
func runLine(t *testing.T, line string) (code int, printed string) {
	t.Helper()
	var args []string
	for _, word := range shellWord.FindAllString(line, -1) {
		args = append(args, strings.Trim(word, `"`))
	}
	var out bytes.Buffer
	code = run(t.Context(), args, &out, &out)
	return code, out.String()
}

// oneLine replaces runs of white space by a space.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

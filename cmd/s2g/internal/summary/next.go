package summary

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"s2g/cmd/s2g/internal/build"
	"s2g/cmd/s2g/internal/terminal"
	"s2g/schema/remote"
)

// WriteNext writes the next two commands, ready to paste, after a whole build in out. found is a text that a search
// finds there, if known.
func WriteNext(w io.Writer, outcomes []build.Outcome, out, found string) error {
	if !whole(outcomes) {
		return nil
	}
	out = terminal.ShellQuoted(out)
	_, err := fmt.Fprintf(w, "\nnext:\n%s\n  s2g load qdrant --out %s --url http://localhost:6334\n", searchLine(out, found), out)
	return err
}

// whole reports whether the outcomes are those of a whole build.
func whole(outcomes []build.Outcome) bool {
	return len(outcomes) > 0 && slices.ContainsFunc(outcomes, func(o build.Outcome) bool { return o.Stage == build.Verify })
}

// searchLine returns the command of a search for a text in out, with as many of its words as a line has room for, but at
// least three.
func searchLine(out, text string) string {
	words := strings.Fields(cmp.Or(text, "how do I read a file line by line"))
	for n := len(words); ; n-- {
		line := fmt.Sprintf("  s2g search --out %s \"%s\"", out, remote.Printable(strings.Join(words[:n], " ")))
		if n <= 3 || utf8.RuneCountInString(line) <= Width {
			return line
		}
	}
}

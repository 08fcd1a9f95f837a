// Package terminal prints what a terminal may show: no control characters, and marks only where it shows them.
package terminal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/term"

	"s2g/schema/remote"
)

// PrintableLine returns the printable characters of a text on one line.
func PrintableLine(text string) string {
	return strings.Join(strings.Fields(remote.Printable(text)), " ")
}

// WriteJSON writes values as JSON, each on a line of its own. It escapes what a terminal would interpret.
func WriteJSON[T any](w io.Writer, values ...T) error {
	var line bytes.Buffer
	for _, v := range values {
		line.Reset()
		if err := json.NewEncoder(&line).Encode(v); err != nil {
			return err
		}
		if _, err := w.Write(escapeUnprintable(line.Bytes())); err != nil {
			return err
		}
	}
	return nil
}

// escapeUnprintable replaces, in a line of JSON, the characters that [remote.Printable] removes by their escapes. In JSON
// they occur in strings alone.
func escapeUnprintable(line []byte) []byte {
	unprintable := func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }
	if !bytes.ContainsFunc(line, unprintable) {
		return line
	}
	var escaped []byte
	for _, r := range string(line) {
		switch {
		case !unprintable(r):
			escaped = utf8.AppendRune(escaped, r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			escaped = fmt.Appendf(escaped, `\u%04x\u%04x`, high, low)
		default:
			escaped = fmt.Appendf(escaped, `\u%04x`, r)
		}
	}
	return escaped
}

// ShowsMarks reports whether results are written with marks: only to a terminal, and not if NO_COLOR is set.
func ShowsMarks(w io.Writer) bool {
	f, isFile := w.(*os.File)
	return isFile && term.IsTerminal(int(f.Fd())) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

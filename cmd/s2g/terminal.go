package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/term"

	"s2g/schema/remote"
)

// printableLine returns the printable characters of a text on one line.
func printableLine(text string) string {
	return strings.Join(strings.Fields(remote.Printable(text)), " ")
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

// marksTerms reports whether results are printed with marks: only to a terminal, and not if NO_COLOR is set.
func (a *app) marksTerms() bool {
	results, ok := a.stdout.(*resultWriter)
	if !ok {
		return false
	}
	f, isFile := results.w.(*os.File)
	return isFile && term.IsTerminal(int(f.Fd())) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

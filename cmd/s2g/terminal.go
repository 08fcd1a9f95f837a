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
)

// printable removes from a text what a terminal would interpret: control characters other than line feeds and tabs, and
// characters that are invisible and change the order of others. It is for every text of a dump or a server that is printed
// for people.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if isHostile(r) {
			return -1
		}
		return r
	}, text)
}

// printableLine is printable for a text that must stay on one line.
func printableLine(text string) string { return strings.Join(strings.Fields(printable(text)), " ") }

// isHostile reports whether a character of a text is not to be printed: the control characters of ASCII and Latin-1, those
// of bidirectional text, line and paragraph separators, and tag characters, which hide text.
func isHostile(r rune) bool {
	switch {
	case r == '\n', r == '\t':
		return false
	case r < ' ', r >= 0x7f && r < 0xa0, r == '\u2028', r == '\u2029', r == '\ufeff', r >= 0xe0000 && r < 0xe0080:
		return true
	}
	return unicode.Is(unicode.Bidi_Control, r)
}

// escapeHostile replaces, in a line of JSON, the characters that printable removes by their escapes. In JSON they occur in
// strings alone.
func escapeHostile(line []byte) []byte {
	if !bytes.ContainsFunc(line, isHostile) {
		return line
	}
	var escaped []byte
	for _, r := range string(line) {
		switch {
		case !isHostile(r):
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

package terminal

import "strings"

// ShellQuoted quotes a word for a shell where it has other characters than the usual ones of paths and tags.
func ShellQuoted(word string) string {
	if word != "" && strings.IndexFunc(word, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("/._-+@%:,", r))
	}) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

package thread

import (
	"slices"
	"strings"

	"s2g/schema/vocab"
)

// said are the literals that a box shows, each where its node has it.
var said = []string{vocab.TagName, vocab.TagCount, vocab.Score, vocab.UpVotes, vocab.DownVotes, vocab.ViewCount, vocab.CreationDate}

// says is the text of a node's box, in lines of at most so many characters.
func (t *Thread) says(n *node, characters int) []string {
	lines := []string{cut(t.name(n.iri), characters)}
	if len(n.classes) == 0 {
		return append(lines, "(is in another graph)")
	}
	lines = append(lines, wrap("a so:"+strings.Join(n.classes, ", so:"), characters)...)
	for _, p := range []string{vocab.HasTitle, vocab.HasBody} {
		if v := n.values[p]; len(v) > 0 {
			lines = append(lines, wrap("so:"+p+` "`+strings.Join(strings.Fields(v[0]), " ")+`"`, characters)...)
			break
		}
	}
	var short []string
	for _, p := range said {
		if v := n.values[p]; len(v) > 0 {
			short = append(short, "so:"+p+" "+v[0])
		}
	}
	for _, p := range []string{vocab.Author, vocab.License} {
		if v := n.values[p]; len(v) > 0 && slices.Contains(n.classes, vocab.Question) {
			short = append(short, "so:"+p+" "+t.name(v[0]))
		}
	}
	return append(lines, fill(short, characters)...)
}

// fill puts statements into lines, as many as there is room for.
func fill(statements []string, characters int) (lines []string) {
	for _, s := range statements {
		last := len(lines) - 1
		if last >= 0 && len(lines[last])+len(" ; ")+len(s) <= characters {
			lines[last] += " ; " + s
			continue
		}
		lines = append(lines, cut(s, characters))
	}
	return lines
}

// wrap breaks a text at spaces into at most maxLines lines, and says by an
// ellipsis that it goes on.
func wrap(text string, characters int) (lines []string) {
	for _, word := range strings.Fields(text) {
		last := len(lines) - 1
		if last >= 0 && len([]rune(lines[last]+" "+word)) <= characters {
			lines[last] += " " + word
			continue
		}
		if len(lines) == maxLines {
			lines[last] = cut(lines[last]+" "+word, characters)
			return lines
		}
		lines = append(lines, cut(word, characters))
	}
	return lines
}

// cut shortens a text to so many characters.
func cut(text string, characters int) string {
	if r := []rune(text); len(r) > characters {
		return string(r[:characters-1]) + "…"
	}
	return text
}

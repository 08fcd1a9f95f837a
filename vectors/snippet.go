package vectors

import (
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A snippet has so many lines, each of so many characters, at most.
const (
	snippetLines = 6
	snippetRunes = 110
)

// snippet is the part of a text that has most of the query's words, the rare ones
// first: whole lines as they stand, long ones cut about a word of the query. Without
// any of them it is the beginning.
func (q *query) snippet(text string) string {
	lines := snippetOf(text)
	if len(lines) == 0 {
		return ""
	}
	found := make([]map[uint32]bool, len(lines))
	for i, line := range lines {
		found[i] = map[uint32]bool{}
		for _, w := range q.wordsOf(line) {
			found[i][w.term] = true
		}
	}
	best, bestWorth := 0, 0.0
	for i := range lines {
		seen, worth := map[uint32]bool{}, 0.0
		for j := i; j < min(i+snippetLines, len(lines)); j++ {
			for term := range found[j] {
				seen[term] = true
			}
		}
		for _, term := range q.terms { // in order: sums of floats depend on it
			if seen[term] {
				worth += q.worth[term]
			}
		}
		// a window that begins with a word of the query is the better one of two that have the same
		if len(found[i]) > 0 && worth > bestWorth {
			best, bestWorth = i, worth
		}
	}
	end := min(best+snippetLines, len(lines))
	var b strings.Builder
	for i, line := range lines[best:end] {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(q.cut(line))
	}
	if end < len(lines) {
		b.WriteString(" …")
	}
	return b.String()
}

// snippetOf returns the lines of a text that are not blank.
func snippetOf(text string) []string {
	return slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool { return strings.TrimSpace(line) == "" })
}

// place is a word of the query in a text.
type place struct {
	at   int // bytes
	term uint32
}

// wordsOf finds the words of the query in a line. Each word of it is asked for by
// itself, so that what counts as the same word is what the sparse embedder says.
func (q *query) wordsOf(line string) []place {
	var places []place
	letter := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }
	for i := 0; i < len(line); {
		start := strings.IndexFunc(line[i:], letter)
		if start < 0 {
			break
		}
		start += i
		end := len(line)
		if n := strings.IndexFunc(line[start:], func(r rune) bool { return !letter(r) }); n >= 0 {
			end = start + n
		}
		v, err := q.words.Query(context.Background(), line[start:end])
		if err == nil && len(v.Indices) == 1 {
			if _, ok := q.worth[v.Indices[0]]; ok {
				places = append(places, place{start, v.Indices[0]})
			}
		}
		i = end
	}
	return places
}

// cut shortens a long line to what stands about the first word of the query in it.
func (q *query) cut(line string) string {
	line = strings.TrimRight(line, " \t")
	if utf8.RuneCountInString(line) <= snippetRunes {
		return line
	}
	start := 0
	if places := q.wordsOf(line); len(places) > 0 {
		if before := utf8.RuneCountInString(line[:places[0].at]); before > snippetRunes/2 {
			start = before - snippetRunes/3
		}
	}
	runes := []rune(line)
	end := min(start+snippetRunes, len(runes))
	start = max(0, end-snippetRunes)
	head, tail := "", ""
	if start > 0 {
		head = "… "
		for start < end && !unicode.IsSpace(runes[start-1]) {
			start++
		}
	}
	if end < len(runes) {
		tail = " …"
		if space := lastSpace(runes[start:end]); space > (end-start)/2 {
			end = start + space
		}
	}
	return head + string(runes[start:end]) + tail
}

func lastSpace(runes []rune) int {
	for i := len(runes) - 1; i >= 0; i-- {
		if unicode.IsSpace(runes[i]) {
			return i
		}
	}
	return -1
}

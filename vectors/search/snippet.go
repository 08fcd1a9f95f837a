package search

import (
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The bounds of a snippet.
const (
	snippetLines = 6
	snippetRunes = 110 // of a line
)

// snippet returns the adjacent lines of a text that have most of the query's terms, where
// rare terms count more. It cuts a long line around a term of the query. Of a text without
// any term it returns the beginning.
func (q *Query) snippet(text string) string {
	lines := linesOf(text)
	if len(lines) == 0 {
		return ""
	}
	found := make([]map[uint32]bool, len(lines))
	for i, line := range lines {
		found[i] = map[uint32]bool{}
		for _, o := range q.occurrences(line) {
			found[i][o.term] = true
		}
	}
	best, bestWeight := 0, 0.0
	for i := range lines {
		seen, weight := map[uint32]bool{}, 0.0
		for j := i; j < min(i+snippetLines, len(lines)); j++ {
			for term := range found[j] {
				seen[term] = true
			}
		}
		for _, term := range q.terms { // in a fixed order: sums of floats depend on it
			if seen[term] {
				weight += q.termWeights[term]
			}
		}
		// a window begins with a line that has a term
		if len(found[i]) > 0 && weight > bestWeight {
			best, bestWeight = i, weight
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

// linesOf returns the lines of a text that are not blank.
func linesOf(text string) []string {
	return slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool { return strings.TrimSpace(line) == "" })
}

// occurrence is a term of the query in a line.
type occurrence struct {
	at, end int // bytes
	term    uint32
}

// occurrences returns the terms of the query in a line. BM25 analyses each word of the line
// as it does those of a document.
func (q *Query) occurrences(line string) []occurrence {
	var found []occurrence
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
		v, err := q.bm25.Query(context.Background(), line[start:end])
		if err == nil && len(v.Indices) == 1 {
			if _, ok := q.termWeights[v.Indices[0]]; ok {
				found = append(found, occurrence{start, end, v.Indices[0]})
			}
		}
		i = end
	}
	return found
}

// Snippet returns the lines of a text that match the query best, as those of a hit.
func (r *Result) Snippet(text string) string { return r.query.snippet(text) }

// Parts calls use with the parts of a text in their order: words of the query, and what is
// between them.
func (r *Result) Parts(text string, use func(part string, isTerm bool)) {
	done := 0
	for _, o := range r.query.occurrences(text) {
		use(text[done:o.at], false)
		use(text[o.at:o.end], true)
		done = o.end
	}
	use(text[done:], false)
}

// cut shortens a long line to the part around the first term of the query.
func (q *Query) cut(line string) string {
	line = strings.TrimRight(line, " \t")
	if utf8.RuneCountInString(line) <= snippetRunes {
		return line
	}
	start := 0
	if found := q.occurrences(line); len(found) > 0 {
		if before := utf8.RuneCountInString(line[:found[0].at]); before > snippetRunes/2 {
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

// lastSpace returns the position of the last space, or -1.
func lastSpace(runes []rune) int {
	for i := len(runes) - 1; i >= 0; i-- {
		if unicode.IsSpace(runes[i]) {
			return i
		}
	}
	return -1
}

package searchpage

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"s2g/vectors/search"
)

// A neighbour follows the question that led to it. A question without an accepted answer is not shown.
func TestPageGroupsNeighbours(t *testing.T) {
	neighbour := func(id, from int64, edge, direction string) search.Hit {
		return search.Hit{PostID: id, IRI: "http://e/q", Title: "n", CreationDate: "2015-01-02T00:00:00.000Z", Via: &search.Via{From: from, Edge: edge, Direction: direction, Post: id}}
	}
	found := &search.Result{Hits: []search.Hit{
		neighbour(7, 5, search.EdgeDuplicate, search.DirectionOut),
		{PostID: 1, IRI: "http://e/q/1", Title: "one\ntitle", CreationDate: "2015-01-02T00:00:00.000Z", Match: search.Match{PostID: 1, Snippet: "a\nb"}},
		neighbour(2, 1, search.EdgeDuplicate, search.DirectionIn), neighbour(3, 1, search.EdgeLinked, search.DirectionIn),
		neighbour(8, 6, search.EdgeLinked, search.DirectionOut),
	}}
	var b strings.Builder
	if err := New(found, "", 0).WriteText(&b, false); err != nil {
		t.Fatal(err)
	}
	var lines []string // those that name questions
	for line := range strings.Lines(b.String()) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "http:") && !strings.Contains(line, "votes") {
			lines = append(lines, line)
		}
	}
	want := []string{"5 a duplicate of 7: n", "1. one title", "a", "b", "1 duplicated by 2: n", "1 linked from 3: n", "6 links to 8: n"}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Error(diff)
	}
}

// What is no code in a cleaned text is no markup either, and a block of code that is cut is closed.
func TestMarkdownBody(t *testing.T) {
	for _, c := range []struct{ what, text, want string }{
		{"text", "a <b> & `<c>` d", "a &lt;b> &amp; `<c>` d"},
		{"an open backtick", "a ` <b>", "a ` &lt;b>"},
		{"a block", "```html\n<b>\n```\n<i>", "```html\n<b>\n```\n&lt;i>"},
		{"a fence within a longer one", "````\n```\n<b>\n````\n<i>", "````\n```\n<b>\n````\n&lt;i>"},
		{"an open block", "```\n<b>", "```\n<b>\n```"},
	} {
		if diff := cmp.Diff(c.want, markdownBody(c.text)); diff != "" {
			t.Errorf("%s: %s", c.what, diff)
		}
	}
	if got, want := markdownText("[a](b) *c* <d> `e` #f"), "\\[a\\](b) \\*c\\* \\<d\\> \\`e\\` \\#f"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

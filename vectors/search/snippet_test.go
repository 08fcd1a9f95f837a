package search

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"s2g/vectors/embed"
)

func TestSnippet(t *testing.T) {
	embedders := &embed.Pair{Sparse: embed.NewBM25()}
	long := strings.Repeat("nothing of note stands here, ", 20)
	for _, c := range []struct{ words, text, want string }{
		{"zebra", "First.\n\nSecond.", "First.\nSecond."},
		{"sorting tuples", "\n\n" + strings.Repeat("Filler.\n\n", 10) + "I sort them.\n\n```python\nsorted(tuple)\n  x\n```\n" + strings.Repeat("more\n", 9),
			"I sort them.\n```python\nsorted(tuple)\n  x\n```\nmore …"},
		{"zebras", long + "a zebra crosses " + long, "… nothing of note stands here, a zebra crosses nothing of note stands here, nothing of note stands here, …"},
		{"x", "", ""},
		{"x", "\n \n", ""},
	} {
		q, err := newQuery(t.Context(), embedders, c.words)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, q.snippet(c.text)); diff != "" {
			t.Errorf("%q: %s", c.words, diff)
		}
	}
}

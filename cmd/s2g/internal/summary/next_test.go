package summary

import (
	"strings"
	"testing"
)

func TestSearchLineFitsTheSummary(t *testing.T) {
	for _, c := range []struct{ out, text, want string }{
		{"build", "", `  s2g search --out build "how do I read a file line by line"`},
		{"build", "日本語", `  s2g search --out build "日本語"`},
		{"build", "What is the fastest way to calculate the number of unknown nucleotides", `  s2g search --out build "What is the fastest way to calculate the number of"`},
		{strings.Repeat("x", 90), "one two three four", "  s2g search --out " + strings.Repeat("x", 90) + ` "one two three"`},
	} {
		if got := searchLine(c.out, c.text); got != c.want {
			t.Errorf("%s", got)
		}
	}
}

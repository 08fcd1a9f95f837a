package text

import (
	"testing"

	"s2g/schema"
)

// Code that does not name its language has that of its question: the first of the table.
func TestCodeHasTheLanguageOfTheTags(t *testing.T) {
	languages, err := schema.ParseLanguages("c#,java,python")
	if err != nil {
		t.Fatal(err)
	}
	c := NewPostCleaner(languages, false)
	for tags, want := range map[string]string{"|python|java|": "java", "|pandas|python|": "python", "|pandas|": "", "": "", "|java|c#|": "c#"} {
		if got := c.CleanPost([]byte("<pre><code>x</code></pre>"), []byte(tags)); got != "```"+want+"\nx\n```" {
			t.Errorf("%q: %q, want the language %q", tags, got, want)
		}
	}
}

package searchpage

import (
	_ "embed"
	"html/template"
	"io"
	"strings"
)

//go:embed page.html
var pageHTML string

// WriteHTML writes the page as one HTML file without scripts. The template escapes all texts and checks the addresses of
// links.
func (p *Page) WriteHTML(w io.Writer) error {
	functions := template.FuncMap{
		"facts": facts, "edge": edge, "answerFacts": answerFacts, "mark": p.markHTML,
		"noGoodMatch": func() string { return noGoodMatch },
		"more":        func(n int) bool { return n > 0 },
	}
	t, err := template.New("search").Funcs(functions).Parse(pageHTML)
	if err != nil {
		return err
	}
	return t.Execute(w, p)
}

// markHTML escapes a text and marks the words of the query.
func (p *Page) markHTML(text string) template.HTML {
	var b strings.Builder
	p.found.Parts(strings.TrimSpace(text), func(part string, isTerm bool) {
		part = template.HTMLEscapeString(part)
		if isTerm {
			part = "<mark>" + part + "</mark>"
		}
		b.WriteString(part)
	})
	return template.HTML(b.String()) //nolint:gosec // each part is escaped
}

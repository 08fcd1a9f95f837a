package report

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"

	"s2g/schema/manifest"
	"s2g/schema/vocab"
)

//go:embed page.html
var pageHTML string

//go:embed page.css
var pageCSS string

// page is what the template shows. Everything in it is text, which the template
// escapes, but for the style, which is the program's own, and the picture of the
// thread, which picture.go escapes.
type page struct {
	Key, Policy  string
	Style        template.CSS
	Title        string
	Host         string
	Lead         string
	Tiles        []tile
	About, Empty string // of the languages
	Languages    []language
	Years        *columns
	Scores       *dots
	Answers      *columns
	Links        *matrix
	Thread       *threadFigure
	Paper        string
	Beside       []besideRow
	Distribution table
	Rejected     []counted
	Outside      []counted
	Cleaned      []counted
	Idle         string // the rules that dropped nothing
	Facts        table
	Inputs       table
	Stages       []stageLine
	Commands     []command
	SPARQL       string
}

// tile is a number to begin with.
type tile struct{ Number, Of, Note string }

// threadFigure is the drawn thread.
type threadFigure struct {
	Picture                           template.HTML
	Number, Language, Source, License string
	Better                            bool // one of the answers may be better than the accepted one
	Embedded                          bool // there are vectors, so that a search finds it
}

// style is the page's, with that of the thread.
func style() string { return pageCSS + threadCSS }

// policy allows the page its own style and nothing else: no script, no request.
func policy(style string) string {
	sum := sha256.Sum256([]byte(style))
	return fmt.Sprintf("default-src 'none'; style-src 'sha256-%s'; base-uri 'none'; form-action 'none'", base64.StdEncoding.EncodeToString(sum[:]))
}

func (r *Report) page() *page {
	css := style()
	p := &page{
		Key: r.key, Style: template.CSS(css), Policy: policy(css),
		Host: r.o.Site.Host(), Title: r.title(), Lead: r.lead(), Tiles: r.tiles(),
		About: r.aboutLanguages(), Empty: r.empty(), Languages: r.languages(),
		Years: r.years(), Scores: r.scores(), Answers: r.answers(), Links: r.links(),
		Paper: paperTitle, Beside: r.besidePaper(), Distribution: r.distribution(),
		Rejected: r.rejected(), Outside: r.outside(),
		Facts: r.facts(), Inputs: r.inputs(), Stages: r.stages(), Commands: r.commands(), SPARQL: r.sparql(),
	}
	p.Cleaned, p.Idle = idle(r.cleaned())
	if e := r.example; e != nil {
		p.Thread = &threadFigure{
			Picture: template.HTML(e.picture), Number: comma(e.question), Language: e.language.Name, Source: e.source, License: e.license, Better: e.better, Embedded: r.stage(manifest.Vectors).Rows > 0,
		}
	}
	return p
}

func (p *page) write(w io.Writer) error {
	t, err := template.New("page").Funcs(template.FuncMap{"counted": countedTable}).Parse(pageHTML)
	if err != nil {
		return err
	}
	return t.Execute(w, p)
}

// title says what there is.
func (r *Report) title() string {
	if r.stage(manifest.Vectors).Rows == 0 {
		return r.o.Site.Host() + " as a graph"
	}
	return r.o.Site.Host() + " as a graph and vectors"
}

// lead says in a sentence what the build is.
func (r *Report) lead() string {
	says := "A knowledge graph of " + r.o.Site.Host()
	switch n := len(r.order); n {
	case 0:
		says += ", which has no question of the selected languages"
	case 1:
		says += ", with one named graph, for " + r.stats.Graphs[r.order[0]].Name
	default:
		says += fmt.Sprintf(", one named graph for each of %d languages", n)
	}
	if r.stage(manifest.Vectors).Rows > 0 {
		says += ", and vectors of the same questions"
	}
	if newest := r.o.Manifest.Dump.Newest; newest != "" {
		says += "; from the dump that ends on " + day(newest)
	}
	return says + "."
}

// tiles are the numbers to begin with. Each post counts once.
func (r *Report) tiles() []tile {
	q, a := r.node(vocab.Question), r.node(vocab.Answer)
	tiles := []tile{
		{comma(q.Distinct), "questions", orNone(share(r.total(vocab.AnsweredQuestion), q.Distinct)) + " answered"},
		{comma(a.Distinct), "answers", orNone(share(r.total(vocab.AcceptedAnswer), a.Distinct)) + " accepted"},
		{comma(r.node(vocab.Comment).Distinct), "comments", "on both"},
		{comma(r.stats.Quads.Summed), "triples", comma(r.stats.Quads.Distinct) + " distinct"},
	}
	if s := r.stage(manifest.Vectors); s.Rows > 0 {
		tiles = append(tiles, tile{comma(s.Rows), "points", "two vectors each"})
	}
	return tiles
}

// total is how many distinct nodes have a derived class.
func (r *Report) total(class string) int64 {
	for _, g := range r.stats.Edges {
		for _, e := range g.Edges {
			if e.Name == class {
				return e.Distinct
			}
		}
	}
	return 0
}

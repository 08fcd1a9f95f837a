package report

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"

	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/vocab"
)

//go:embed page.html
var pageHTML string

//go:embed page.css
var pageCSS string

// page is the data of the template, which escapes all text except the style, which is the
// program's own, and the picture of the thread, whose text [escapeXML] has escaped.
type page struct {
	Key, Policy  string
	Style        template.CSS
	Title        string
	Host         string
	Lead         string
	Tiles        []tile
	About, Empty string // of the languages
	Languages    []language
	Years        *columnChart
	Scores       *dotChart
	Answers      *columnChart
	Links        *linkMatrix
	Thread       *threadFigure
	NoThread     string // the reason why there is no Thread
	Paper        paperSection
	Rejected     *countTable
	Outside      *countTable
	Cleaned      *countTable
	Idle         string // names the rules that dropped nothing
	Facts        table
	Inputs       table
	Stages       []stageLine
	Commands     []command
	SPARQL       string
}

// tile is a number at the top of the page.
type tile struct{ Number, Unit, Note string }

// threadFigure is the drawn thread.
type threadFigure struct {
	Picture                           template.HTML
	Number, Language, Source, License string
	Better                            bool // an answer is possibly better than the accepted one
	Embedded                          bool // there are vectors, so a search finds the question
}

// policy allows the page its own style and nothing else: no script, no request.
func policy(style string) string {
	sum := sha256.Sum256([]byte(style))
	return fmt.Sprintf("default-src 'none'; style-src 'sha256-%s'; base-uri 'none'; form-action 'none'", base64.StdEncoding.EncodeToString(sum[:]))
}

func (r *Report) page() *page {
	style := pageCSS + threadCSS
	p := &page{
		Key: r.key, Style: template.CSS(style), Policy: policy(style),
		Host: r.o.Site.Host(), Title: r.o.Site.Host() + " as a graph", Lead: r.lead(), Tiles: r.tiles(),
		About: r.aboutLanguages(), Empty: r.emptyGraphs(), Languages: r.languages(),
		Years: r.years(), Scores: r.scores(), Answers: r.answers(), Links: r.links(), NoThread: r.example.absent,
		Paper:    r.paper(),
		Rejected: r.rejected(), Outside: r.outside(),
		Facts: r.facts(), Inputs: r.inputs(), Stages: r.stages(), Commands: r.commands(), SPARQL: r.sparql(),
	}
	if r.hasVectors() {
		p.Title += " and vectors"
	}
	p.Cleaned, p.Idle = r.cleaned()
	if e := r.example; e.thread != nil {
		p.Thread = &threadFigure{
			Picture: template.HTML(e.thread.svg("")), Number: comma(e.question), Language: e.language.Name,
			Source: e.thread.question.iri, License: e.thread.license(), Better: e.thread.hasBetter(), Embedded: r.hasVectors(),
		}
	}
	return p
}

func (p *page) write(w io.Writer) error {
	t, err := template.New("page").Parse(pageHTML)
	if err != nil {
		return err
	}
	return t.Execute(w, p)
}

func (r *Report) hasVectors() bool { return r.stage(manifest.Vectors).Rows > 0 }

// lead describes the build in a sentence.
func (r *Report) lead() string {
	lead := "A knowledge graph of " + r.o.Site.Host()
	switch n := len(r.order); n {
	case 0:
		lead += ", which has no question of the selected languages"
	case 1:
		lead += ", with one named graph, for " + r.stats.Graphs[r.order[0]].Name
	default:
		lead += fmt.Sprintf(", one named graph for each of %d languages", n)
	}
	if r.hasVectors() {
		lead += ", and vectors of the same questions"
	}
	if newest := r.o.Manifest.Dump.Newest; newest != "" {
		lead += "; from the dump that ends on " + day(newest)
	}
	return lead + "."
}

// tiles returns the numbers at the top of the page. Each post counts once.
func (r *Report) tiles() []tile {
	q, a := r.stats.Node(vocab.Question), r.stats.Node(vocab.Answer)
	tiles := []tile{
		{comma(q.Distinct), "questions", orNone(share(r.stats.Edge(vocab.AnsweredQuestion).Distinct, q.Distinct)) + " answered"},
		{comma(a.Distinct), "answers", orNone(share(r.stats.Edge(vocab.AcceptedAnswer).Distinct, a.Distinct)) + " accepted"},
		{comma(r.stats.Node(vocab.Comment).Distinct), "comments", "on both"},
		{comma(r.stats.Quads.Summed), "triples", comma(r.stats.Quads.Distinct) + " distinct"},
	}
	if r.hasVectors() {
		tiles = append(tiles, tile{comma(r.stage(manifest.Vectors).Rows), "points", "two vectors each"})
	}
	return tiles
}

// command is a command line and its purpose.
type command struct{ Label, Text string }

// commands load and use the build. OUT is its folder.
func (r *Report) commands() []command {
	var list []command
	language, name := "python", "Python"
	if len(r.order) > 0 {
		g := r.stats.Graphs[r.order[0]]
		language, name = g.Tag, g.Name
		switch language {
		case "":
			language = schema.OtherSlug
		case schema.SiteTag:
			language = schema.SiteSlug
		}
	}
	if r.o.Manifest.Stages[manifest.Graph] != nil {
		list = append(list, command{"Load the graph into GraphDB, or any server with the RDF4J REST protocol (--offline DIR prints the faster way of a first load):", "s2g load graphdb --out OUT --url http://localhost:7200"})
	}
	if r.o.Manifest.Stages[manifest.Vectors] != nil {
		list = append(list,
			command{"Load the vectors into Qdrant, a collection for each language:", "s2g load qdrant --out OUT --url http://localhost:6334"},
			command{"Search in " + name + " without a server:", fmt.Sprintf("s2g search --out OUT --language %s %q", shellQuoted(language), "how do I merge two lists")})
	}
	return append(list, command{"Query the tables:", "s2g db --out OUT 'SELECT Id, Score, Title FROM Posts WHERE PostTypeId = 1 ORDER BY Score DESC LIMIT 10'"})
}

// shellQuoted quotes a word for a shell, if necessary.
func shellQuoted(word string) string {
	for _, c := range word {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '_' && c != '.' && c != '+' {
			return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	return word
}

// sparql returns an example query: the accepted answers that another answer exceeds most.
func (r *Report) sparql() string {
	tag := "python"
	if len(r.order) > 0 {
		tag = r.stats.Graphs[r.order[0]].Tag
	}
	return `PREFIX so: <` + vocab.NS + `>
SELECT ?title ?accepted ?better (?b - ?a AS ?ahead) {
  GRAPH <` + r.o.Site.Graph(tag) + `> {
    ?question so:hasTitle ?title ;
              so:HasAcceptedAnswer ?accepted ;
              so:HasPossibleBetterAnswer ?better .
    ?accepted so:score ?a .
    ?better so:score ?b .
  }
} ORDER BY DESC(?ahead) LIMIT 10`
}

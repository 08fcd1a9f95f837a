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
	Host         []string // the labels of the site's name
	Heading      string   // follows the host
	Lead         string
	Tiles        []tile
	Noun         string // of what has a graph: language or tag
	WholeSite    bool   // the whole site is the only graph
	About, Empty string // of the graphs
	Graphs       []graphLine
	Tags         *tagList
	Questions    []questionLine
	Times        *columnChart
	ByMonth      bool // else by year
	Scores       *dotChart
	Answers      *columnChart
	Links        *linkMatrix
	AboutLinks   string
	Thread       *threadFigure
	NoThread     string // the reason why there is no Thread
	Counts       countSection
	Rejected     *countTable
	Outside      *countTable
	Cleaned      *countTable
	Idle         string // names the rules that dropped nothing
	Facts        table
	Inputs       table
	Stages       []stageLine
	Commands     []command
	Query        *graphQuery // nil: no graph has a question
}

// tile is a number at the top of the page.
type tile struct{ Number, Unit, Note string }

// threadFigure is the drawn thread.
type threadFigure struct {
	Picture                        template.HTML
	Number, Graph, Source, License string
	Better                         bool // an answer is possibly better than the accepted one
	Embedded                       bool // there are vectors, so a search finds the question
}

// policy allows the page its own style and nothing else: no script, no request.
func policy(style string) string {
	sum := sha256.Sum256([]byte(style))
	return fmt.Sprintf("default-src 'none'; style-src 'sha256-%s'; base-uri 'none'; form-action 'none'", base64.StdEncoding.EncodeToString(sum[:]))
}

func (r *Report) page() *page {
	style := pageCSS + threadCSS
	heading := " as a graph"
	if r.hasVectors() {
		heading += " and vectors"
	}
	host := r.o.Site.Host()
	p := &page{
		Key: r.key, Style: template.CSS(style), Policy: policy(style),
		Title: host + heading, Host: strings.Split(host, "."), Heading: heading, Lead: r.lead(), Tiles: r.tiles(),
		Noun: r.noun(), WholeSite: r.isWholeSite(), About: r.aboutGraphs(), Empty: r.emptyGraphs(), Graphs: r.graphs(),
		Tags: r.tags(), Questions: r.questions(), Scores: r.scores(), Answers: r.answers(), NoThread: r.example.absent,
		Counts:   r.counts(),
		Rejected: r.rejected(), Outside: r.outside(),
		Facts: r.facts(), Inputs: r.inputs(), Stages: r.stages(), Commands: r.commands(), Query: r.query(),
	}
	p.Times, p.ByMonth = r.times()
	p.Links, p.AboutLinks = r.links()
	p.Cleaned, p.Idle = r.cleaned()
	if e := r.example; e.thread != nil {
		p.Thread = &threadFigure{
			Picture: template.HTML(e.thread.svg("")), Number: comma(e.question), Graph: graphName(e.language),
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
	tagged, rest := 0, false // the other graphs
	for _, g := range r.order {
		switch r.stats.Graphs[g].Tag {
		case "":
			rest = true
		case schema.SiteTag:
		default:
			tagged++
		}
	}
	noun := r.noun()
	switch {
	case len(r.order) == 0:
		lead += ", which has no question of the selected " + noun + "s"
	case r.isWholeSite():
		lead += ": all questions in one named graph"
	case r.whole:
		lead += ": all questions in one named graph, and one more for each of " + plural(int64(tagged), noun)
	case len(r.order) == 1:
		lead += ", with one named graph, of " + graphName(schema.Language{Tag: r.stats.Graphs[r.order[0]].Tag, Name: r.stats.Graphs[r.order[0]].Name})
	default:
		lead += ", one named graph for each of " + plural(int64(tagged), noun)
		if rest {
			lead += " and one for the other questions"
		}
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
	if len(r.stats.Graphs) == 1 {
		tiles[3].Note = "in one graph"
	}
	if r.hasVectors() {
		tiles = append(tiles, tile{comma(r.stage(manifest.Vectors).Rows), "points", "two vectors each"})
	}
	return tiles
}

// command is a command line and its purpose.
type command struct{ Label, Text string }

// graphName names a graph in a sentence.
func graphName(l schema.Language) string {
	switch l.Tag {
	case "":
		return "the other questions"
	case schema.SiteTag:
		return "the whole site"
	}
	return isolate(l.Name)
}

// commands load and use the build. OUT is its folder.
func (r *Report) commands() []command {
	var list []command
	if r.o.Manifest.Stages[manifest.Graph] != nil {
		list = append(list, command{"Load the graph into GraphDB, or any server with the RDF4J REST protocol (--offline DIR prints the faster way of a first load):", "s2g load graphdb --out OUT --url http://localhost:7200"})
	}
	if r.hasVectors() {
		label := "Load the vectors into Qdrant:"
		if len(r.o.Languages) > 1 || r.o.Other {
			label = "Load the vectors into Qdrant, a collection for each graph:"
		}
		list = append(list, command{label, "s2g load qdrant --out OUT --url http://localhost:6334"})
		if text := r.SearchText(); text != "" {
			list = append(list, command{"Search without a server:", `s2g search --out OUT "` + text + `"`})
		}
	}
	return append(list, command{"Query the tables:", "s2g db --out OUT 'SELECT Id, Score, Title FROM Posts WHERE PostTypeId = 1 ORDER BY Score DESC LIMIT 10'"})
}

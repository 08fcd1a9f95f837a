package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"s2g/cmd/s2g/internal/buildtest"
	"s2g/cmd/s2g/internal/stats"
	"s2g/graph"
	"s2g/graph/rdf4j/rdf4jtest"
	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/schematest"
	"s2g/schema/tables"
	"s2g/schema/tables/tablestest"
	"s2g/schema/vocab"
)

var server tablestest.Server

func TestMain(m *testing.M) { server.Main(m) }

// optionsOf returns the options of a build of all stages, whose graph has no files.
func optionsOf(t testing.TB) Options {
	t.Helper()
	stage := func(rows int64, counts map[string]int64) *manifest.Stage {
		return &manifest.Stage{
			Key: "k", Finished: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
			Summary: manifest.Summary{Rows: rows, BytesOut: 9_746_139, Seconds: 3.5, PeakRSS: 70_713_344, Counts: counts},
		}
	}
	stages := map[string]*manifest.Stage{
		manifest.Ingest:  stage(106_461, nil),
		manifest.Graph:   stage(592_211, map[string]int64{"files": 12, "comments_outside": 3042, "links_repeated": 2}),
		manifest.Vectors: stage(8544, map[string]int64{"dropped_log": 167, "dropped_stack_trace": 291}),
	}
	stages[manifest.Ingest].Errors = map[string]int64{"bad_date": 3, "no_id": 1}
	stages[manifest.Vectors].Embedders = &manifest.Embedders{Dense: "builtin/lsa-256-0123456789abcdef", Sparse: "qdrant/bm25"}
	return Options{
		Out: t.TempDir(), Site: vocab.StackOverflow, Languages: schema.DefaultLanguages(),
		Manifest: &manifest.Manifest{
			Tool: "test", Stages: stages,
			Dump: manifest.Dump{
				Name: "dump", Newest: "2024-03-31T19:49:02.409Z",
				Tables: map[string]manifest.DumpTable{"Posts": {File: "Posts.xml", Bytes: 29_583_757, SHA256: strings.Repeat("ab", 32), Rows: 20_000}},
			},
			Options: manifest.Options{GraphFormat: "trig", Compress: "gzip", Units: "question", Window: 512, Overlap: 64},
		},
	}
}

// render gathers a report and returns its page.
func render(t testing.TB, db *tables.DB, o Options) string {
	t.Helper()
	return pageOf(t, gather(t, db, o))
}

func pageOf(t testing.TB, r *Report) string {
	t.Helper()
	var page bytes.Buffer
	if err := r.WriteHTML(&page); err != nil {
		t.Fatal(err)
	}
	return page.String()
}

func TestPageOfASample(t *testing.T) {
	t.Parallel()
	db := server.Database(t)
	buildtest.Load(t, db, buildtest.Sample(t, 3000))
	o := optionsOf(t)
	if page := render(t, db, o); !strings.Contains(page, "The graph does not hold question") {
		t.Error("the page does not report that the graph is of other tables")
	}
	buildGraph(t, db, o, graph.Options{})
	page := render(t, db, o)
	if again := render(t, db, o); again != page {
		t.Error("the same build gives another page")
	}
	counted, done := o, o.Manifest.Stages[manifest.Graph]
	var err error
	if counted.Stats, err = stats.Read(o.Out, done, stats.Options{Site: o.Site, Languages: o.Languages}); err != nil {
		t.Fatal(err)
	}
	counted.Figures = done.Figures
	counted.Progress = func(what string, _, _ int64) {
		if strings.Contains(what, "rows") {
			t.Errorf("a report of a graph that has been counted reads %s", what)
		}
	}
	if has := render(t, db, counted); has != page {
		t.Error("the counts of the graph stage give another page than the rows")
	}
	checkMarkup(t, page)
	for _, want := range []string{
		"A question of several languages is in the graph of each", "Nodes and edges", "possibly better answers",
		"comments on posts in no graph", "stack-trace", "Nothing was dropped by the rules hex-dump", "bad date", "builtin/lsa-256-0123456789abcdef", "9.3 MiB", "3.5 s",
		`<svg class="thread"`, "so:HasAnswer, so:HasPossibleBetterAnswer", "31 March 2024", "s2g load graphdb", "so:HasPossibleBetterAnswer", "so:HasAcceptedAnswer",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	for _, bad := range []string{"NaN", "+Inf", "%!", "<no value>", "ZgotmplZ"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page says %s", bad)
		}
	}
}

// paperNumbers are what the page has of the paper's figures.
var paperNumbers = strings.Split("16.9 million|39 × 433,291|26.8 million|9.1 million|1.4 million|2.1 million|72.7 million|54.9 million|>9 million|371 thousand|117 million|275 million|"+
	"1,787|112,820|433,291|2,531,840|3,106|162,208|688,331|3,965,784|>28.3<|>36.5<|>37.3<|>52.1<|>1.15<|>1.57<|>1.54<|>2.14<|>2.75<|>4.04<|>4.14<|>6.66<", "|")

// TestPaperIsBesideAllOfStackOverflowAlone gives a small build the size of a whole one.
func TestPaperIsBesideAllOfStackOverflowAlone(t *testing.T) {
	t.Parallel()
	db := server.Database(t)
	buildtest.Load(t, db, "../oracle/testdata/mini")
	o := optionsOf(t)
	page := render(t, db, o)
	for _, n := range paperNumbers {
		if strings.Contains(page, n) {
			t.Errorf("the page of a sample has the paper's %s", n)
		}
	}
	o.Manifest.Dump.Tables = map[string]manifest.DumpTable{"Posts": {Rows: 59_819_048}, "Tags": {Rows: 65_675}}
	page = render(t, db, o)
	checkMarkup(t, page)
	for _, n := range paperNumbers {
		if !strings.Contains(page, n) {
			t.Errorf("the page of all of Stack Overflow lacks the paper's %s", n)
		}
	}
	o.Manifest.Options.WholeSite = true
	if page := render(t, db, o); strings.Contains(page, "433,291") {
		t.Error("the page of the whole site has the paper's figures, which are of languages")
	}
	o.Manifest.Options.WholeSite = false
	o.Site = "http://ru.stackoverflow.com"
	if page := render(t, db, o); strings.Contains(strings.ToLower(page), "paper") {
		t.Error("the page of another site mentions the paper")
	}
}

// TestPageOfAnIncompleteBuild checks that the page names what a build lacks, and divides
// nothing by 0.
func TestPageOfAnIncompleteBuild(t *testing.T) {
	t.Parallel()
	db := server.Database(t)
	buildtest.Load(t, db, "../oracle/testdata/mini")
	for _, c := range []struct {
		name   string
		change func(*Options)
		says   string
	}{
		{"no language", func(o *Options) { o.Languages = []schema.Language{{Tag: "cobol", Slug: "cobol", Name: "COBOL"}} }, "every graph is empty"},
		{"one language", func(o *Options) { o.Languages = []schema.Language{{Tag: "c++", Slug: "cpp", Name: "C++"}} }, "There is no link between posts"},
		{"remainder", func(o *Options) { o.Other = true }, "(other)"},
		{"ingest alone", func(o *Options) {
			o.Manifest.Stages = map[string]*manifest.Stage{manifest.Ingest: {}}
			o.Manifest.Dump = manifest.Dump{}
		}, "The dump had no bad row."},
		{"no graph", func(o *Options) { delete(o.Manifest.Stages, manifest.Graph) }, "The build has no graph to read a thread from."},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := optionsOf(t)
			c.change(&o)
			page := render(t, db, o)
			checkMarkup(t, page)
			if !strings.Contains(page, c.says) {
				t.Errorf("the page does not say %q", c.says)
			}
			if strings.Contains(page, "NaN") || strings.Contains(page, "Inf") {
				t.Error("a number was divided by nothing")
			}
		})
	}
	t.Run("materialized", func(t *testing.T) {
		o := optionsOf(t)
		plain, err := Gather(t.Context(), db, o)
		if err != nil {
			t.Fatal(err)
		}
		o.Manifest.Options.Materialize = true
		more, err := Gather(t.Context(), db, o)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := plain.stats.Quads.Summed, more.stats.Quads.Summed; b < 3*a/2 {
			t.Errorf("%d triples, and %d with those that follow from them", a, b)
		}
		checkMarkup(t, render(t, db, o))
	})
	t.Run("tables that are not there", func(t *testing.T) {
		dump := t.TempDir()
		posts, err := os.ReadFile("../oracle/testdata/mini/Posts.xml")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dump, "Posts.xml"), posts, 0o666); err != nil {
			t.Fatal(err)
		}
		db := server.Database(t)
		buildtest.Load(t, db, dump)
		checkMarkup(t, render(t, db, optionsOf(t)))
	})
}

// elements are the elements that the page can have.
var elements = regexp.MustCompile(`^(html|head|meta|title|style|body|header|h1|h2|p|dl|div|dt|dd|b|span|nav|a|main|section|table|caption|thead|tbody|tr|th|td|figure|figcaption|wbr|ul|li|details|summary|pre|code|cite|footer|svg|g|rect|line|circle|text|path|desc|defs|marker)$`)

// checkMarkup checks the elements and attributes of a page, and that its figures have names
// for readers who do not see them.
func checkMarkup(t *testing.T, page string) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	var refers []string
	styles := 0
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		if !elements.MatchString(n.Data) {
			t.Errorf("the page has an element %s", n.Data)
		}
		if n.Data == "style" {
			styles++
			if policyOf(root) != policy(n.FirstChild.Data) {
				t.Errorf("the policy %s is not that of the style", policyOf(root))
			}
		}
		named := false
		for _, a := range n.Attr {
			switch {
			case strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "src" || a.Key == "srcset":
				t.Errorf("%s has an attribute %s", n.Data, a.Key)
			case a.Key == "href" && !strings.HasPrefix(a.Val, "#") && !strings.HasPrefix(a.Val, "http"):
				t.Errorf("a link to %s", a.Val)
			case a.Key == "href" && strings.HasPrefix(a.Val, "#"):
				refers = append(refers, a.Val[1:])
			case a.Key == "aria-labelledby":
				refers = append(refers, strings.Fields(a.Val)...)
				named = true
			case a.Key == "id" && ids[a.Val]:
				t.Errorf("two elements have the id %s", a.Val)
			case a.Key == "id":
				ids[a.Val] = true
			case a.Key == "aria-hidden":
				named = true
			}
		}
		for child := range n.ChildNodes() {
			named = named || child.Data == "title"
		}
		if n.Data == "svg" && !named {
			t.Error("a picture has no name for those who do not see it")
		}
	}
	if styles != 1 {
		t.Errorf("%d styles", styles)
	}
	for _, id := range refers {
		if !ids[id] {
			t.Errorf("nothing has the id %s", id)
		}
	}
}

func policyOf(root *html.Node) string {
	for n := range root.Descendants() {
		for _, a := range n.Attr {
			if a.Key == "http-equiv" && a.Val == "Content-Security-Policy" {
				for _, b := range n.Attr {
					if b.Key == "content" {
						return b.Val
					}
				}
			}
		}
	}
	return ""
}

func TestFreshReportHasTheKeyOfItsBuild(t *testing.T) {
	o := optionsOf(t)
	file := filepath.Join(o.Out, FileName)
	fresh := func() bool {
		t.Helper()
		is, err := Fresh(o)
		if err != nil {
			t.Fatal(err)
		}
		return is
	}
	if fresh() {
		t.Error("a report that is not there is fresh")
	}
	key, err := Key(o)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := (&page{Key: key}).write(&text); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	if !fresh() {
		t.Error("the report of the build is not fresh")
	}
	o.Manifest.Stages[manifest.Graph].Key = "other"
	if fresh() {
		t.Error("the report of another graph is fresh")
	}
	if err := os.WriteFile(file, []byte("<p>mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Fresh(o); err == nil || !strings.Contains(err.Error(), "has not written") {
		t.Errorf("a file of somebody else: %v", err)
	}
}

func TestAlteredReportIsNotThatOfTheManifest(t *testing.T) {
	o := Options{Out: t.TempDir(), Manifest: &manifest.Manifest{}}
	sum := sha256.Sum256([]byte("a page"))
	for _, c := range []struct {
		content string
		named   bool // by the manifest
		want    bool
	}{
		{"a page", true, false},
		{"a page!", true, true},
		{"", true, true},
		{"a page!", false, false},
	} {
		if err := os.WriteFile(filepath.Join(o.Out, FileName), []byte(c.content), 0o666); err != nil {
			t.Fatal(err)
		}
		if o.Manifest.Report = ""; c.named {
			o.Manifest.Report = hex.EncodeToString(sum[:])
		}
		if altered, err := Altered(o); altered != c.want || err != nil {
			t.Errorf("%+v: %v, %v", c, altered, err)
		}
	}
	o.Manifest.Report = hex.EncodeToString(sum[:])
	if err := os.Remove(filepath.Join(o.Out, FileName)); err != nil {
		t.Fatal(err)
	}
	if altered, err := Altered(o); altered || err != nil {
		t.Errorf("a missing report: %v, %v", altered, err)
	}
}

// TestShownQueriesFindSomething runs the examples of queries on GraphDB's engine.
func TestShownQueriesFindSomething(t *testing.T) {
	schematest.Long(t)
	store := rdf4jtest.Start(t)
	t.Parallel()
	db := server.Database(t)
	buildtest.Load(t, db, buildtest.Sample(t, 800))
	batches, _ := buildtest.Graph(t, db, graph.Options{})
	r := gather(t, db, optionsOf(t))
	store.CreateRepository("report", "empty")
	store.AddFiles("report", "", batches...)
	for i, q := range graphQueries {
		rows := store.Select("report", r.query().Text)
		if len(rows) == 0 || len(rows) > 10 {
			t.Fatalf("%d rows", len(rows))
		}
		last := 1 << 30
		for _, row := range rows {
			number, err := strconv.Atoi(row[len(row)-1])
			if i < 3 && (err != nil || number > last || i == 0 && (number <= 0 || row[1] == row[2])) {
				t.Errorf("%s: %q after one with %d: %v", q.edge, row, last, err)
			}
			last = number
		}
		for g := range r.stats.Graphs { // the next example is for graphs without this edge
			delete(r.stats.Graphs[g].Terms, "so:"+q.edge)
		}
	}
	if q := r.query(); q != nil {
		t.Errorf("an example without results: %s", q.Text)
	}
}

package report

import (
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"s2g/cmd/s2g/internal/buildtest"
	"s2g/graph"
	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/tables"
)

// foreignTags are tags that are long, wide, or of other scripts.
var foreignTags = []string{
	"WWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWW", "日本語の文法と語彙の違いについての質問です", "русский-язык-и-литература-для-всех", "الأسئلة-اللغوية-الطويلة-جدا",
	"שאלות-על-עברית", "คำถามภาษาไทยที่ยาวมาก", "हिन्दी-व्याकरण-के-प्रश्न", "🚲🚲🚲🚲🚲🚲🚲🚲🚲🚲🚲🚲", "status-completed-by-the-moderators", "r", "한국어-문법-질문", "iiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiii", "ma",
}

// writeForeign writes a dump of a site with one year of threads in many scripts.
func writeForeign(t testing.TB) (dump string) {
	t.Helper()
	dump = t.TempDir()
	quoted := func(text string) string {
		var b strings.Builder
		if err := xml.EscapeText(&b, []byte(text)); err != nil {
			t.Fatal(err)
		}
		return `"` + b.String() + `"`
	}
	var posts, comments, links, tags []string
	for i, tag := range foreignTags {
		tags = append(tags, fmt.Sprintf("<row Id=\"%d\" TagName=%s Count=\"5\" />", i+1, quoted(tag)))
		for k := range len(foreignTags) - i + 2 {
			id := 1000*(i+1) + 10*k
			title := strings.Repeat(strings.ReplaceAll(tag, "-", " ")+" ", 4)
			posts = append(posts,
				fmt.Sprintf("<row Id=\"%d\" PostTypeId=\"1\" AcceptedAnswerId=\"%d\" CreationDate=\"2023-%02d-02T03:04:05.006\" Score=\"%d\" ViewCount=\"1000000\" Title=%s Body=%s Tags=%s OwnerUserId=\"5\" />",
					id, id+1, 3+k%9, 1000*i-k, quoted(title), quoted(strings.Repeat(tag, 9)), quoted("|"+tag+"|"+foreignTags[(i+k+1)%len(foreignTags)]+"|")),
				fmt.Sprintf("<row Id=\"%d\" PostTypeId=\"2\" ParentId=\"%d\" CreationDate=\"2023-11-03T03:04:05.006\" Score=\"1\" Body=%s />", id+1, id, quoted(strings.Repeat(tag, 9))),
				fmt.Sprintf("<row Id=\"%d\" PostTypeId=\"2\" ParentId=\"%d\" CreationDate=\"2023-11-04T03:04:05.006\" Score=\"9\" Body=%s />", id+2, id, quoted(title)))
			comments = append(comments, fmt.Sprintf("<row Id=\"%d\" PostId=\"%d\" Score=\"1\" CreationDate=\"2023-11-05T03:04:05.006\" Text=%s />", id, id, quoted(title)))
			links = append(links, fmt.Sprintf("<row Id=\"%d\" CreationDate=\"2023-11-05T03:04:05.006\" PostId=\"%d\" RelatedPostId=\"%d\" LinkTypeId=\"1\" />", id, id, 1000*((i+k)%len(foreignTags)+1)))
		}
	}
	for name, rows := range map[string][]string{"Posts": posts, "Comments": comments, "PostLinks": links, "Tags": tags} {
		root := strings.ToLower(name)
		text := "<" + root + ">\n" + strings.Join(rows, "\n") + "\n</" + root + ">"
		if err := os.WriteFile(filepath.Join(dump, name+".xml"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dump
}

// foreignOptions returns a build of writeForeign: of the tags, of the whole site, or of both.
func foreignOptions(t testing.TB, tags, whole bool) Options {
	t.Helper()
	o := optionsOf(t)
	o.Site, o.Languages = "http://questions.example.org", nil
	if tags {
		for _, tag := range foreignTags {
			o.Languages = append(o.Languages, schema.Language{Tag: tag, Slug: schema.Slug(tag), Name: tag})
		}
	}
	if o.Manifest.Options.WholeSite = whole; whole {
		o.Languages = append(o.Languages, schema.SiteLanguage())
	}
	o.Manifest.Dump = manifest.Dump{Name: "questions.example.org", Newest: "2023-11-05T03:04:05.006Z"}
	return o
}

// foreignPages renders a report for each kind of build of writeForeign.
func foreignPages(t *testing.T, use func(t *testing.T, name, page string, r *Report)) {
	db := server.Database(t)
	buildtest.Load(t, db, writeForeign(t))
	for name, kind := range map[string][2]bool{"tags": {true, false}, "whole site": {false, true}, "both": {true, true}} {
		t.Run(name, func(t *testing.T) {
			o := foreignOptions(t, kind[0], kind[1])
			buildGraph(t, db, o, graph.Options{})
			r := gather(t, db, o)
			use(t, name, pageOf(t, r), r)
		})
	}
}

// TestPageOfAnotherSite checks that the page of a site that is not Stack Overflow is about that site.
func TestPageOfAnotherSite(t *testing.T) {
	t.Parallel()
	foreignPages(t, func(t *testing.T, name, page string, r *Report) {
		checkMarkup(t, page)
		for _, word := range []string{"paper", "python", "languages", "NaN", "(whole site)", "merge two"} {
			if strings.Contains(strings.ToLower(page), word) {
				t.Errorf("the page has the word %s", word)
			}
		}
		for _, want := range []string{
			"questions.example.org has 13 tags on 117 questions", "<h2>Months</h2>", "March 2023", "WWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWW",
			"http://questions.example.org/questions/13000", "12,000", "s2g search --out OUT ",
			map[string]string{"tags": "for each of 13 tags", "whole site": "all questions in one named graph, and vectors", "both": "and one more for each of 13 tags"}[name],
		} {
			if !strings.Contains(page, want) {
				t.Errorf("the page lacks %q", want)
			}
		}
		if byMatrix := strings.Contains(page, "Links between tags"); byMatrix != (name != "whole site") {
			t.Errorf("links between tags are drawn: %t", byMatrix)
		}
		if text := r.SearchText(); text != "ma ma ma ma" {
			t.Errorf("the example of a search is %q", text)
		}
	})
}

// TestTimesAreMonthsUpToAYear checks the periods of charts by the time between the first
// post and the last.
func TestTimesAreMonthsUpToAYear(t *testing.T) {
	for _, c := range []struct {
		name    string
		months  []int
		columns int
		byMonth bool
	}{
		{"one month", []int{2023*12 + 4}, 1, true},
		{"a year", []int{2023 * 12, 2023*12 + 11}, 12, true},
		{"over the turn of a year", []int{2022*12 + 11, 2023*12 + 3}, 5, true},
		{"a year and a half", []int{2022 * 12, 2022*12 + maxMonths - 1}, 18, true},
		{"longer", []int{2022 * 12, 2022*12 + maxMonths}, 2, false},
		{"many years", []int{2008 * 12, 2024 * 12}, 17, false},
	} {
		r := &Report{o: Options{Manifest: &manifest.Manifest{}}, figures: &schema.Figures{Months: map[string]schema.PostCounts{}}}
		for _, m := range c.months {
			r.figures.Months[fmt.Sprintf("%04d-%02d", m/12, m%12+1)] = schema.PostCounts{Questions: 1, Answers: 2}
		}
		chart, byMonth := r.times()
		if len(chart.Columns) != c.columns || byMonth != c.byMonth || len(chart.Table.Rows) != c.columns {
			t.Errorf("%s: %d columns, by month %t", c.name, len(chart.Columns), byMonth)
		}
	}
	if chart, _ := (&Report{figures: &schema.Figures{}}).times(); chart != nil {
		t.Error("a chart without posts")
	}
}

// gather gathers a report.
func gather(t testing.TB, db *tables.DB, o Options) *Report {
	t.Helper()
	r, err := Gather(t.Context(), db, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestSearchTextIsSafeWithinDoubleQuotes checks the example of a search for titles that a shell would change.
func TestSearchTextIsSafeWithinDoubleQuotes(t *testing.T) {
	for title, want := range map[string]string{
		"":                                  "",
		"???":                               "",
		"--help me, it's C# -- not C++!":    "help me it's C# not C++",
		"`id` $(id) \"x\" \\ !! ${HOME} \n": "id id x HOME",
		"日本語の質問。":                           "日本語の質問",
		strings.Repeat("a ", 40):            strings.TrimSpace(strings.Repeat("a ", searchWords)),
	} {
		r := &Report{top: []topQuestion{{title: title}}}
		if got := r.SearchText(); got != want {
			t.Errorf("%q: %q, want %q", title, got, want)
		}
	}
	r := &Report{top: []topQuestion{{title: "one"}, {title: "two words"}, {title: "three good words"}, {title: "four words are better"}}}
	if got := r.SearchText(); got != "three good words" {
		t.Errorf("%q", got)
	}
}

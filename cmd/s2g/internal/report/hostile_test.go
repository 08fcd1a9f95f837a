package report

import (
	"encoding/json"
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"s2g/cmd/s2g/internal/buildtest"
	"s2g/graph"
	"s2g/ingest"
	"s2g/schema"
	"s2g/schema/manifest"
)

// hostile are texts that are markup, or end it, where they are not escaped.
var hostile = []string{
	`<script>document.title='taken'</script>`,
	`</title></desc></svg></style><script>document.title='taken'</script>`,
	`" onload="document.title='taken'" x="`,
	`' onmouseover='document.title=1' x='`,
	`<img src=x onerror="document.title='taken'">`,
	`]]><!-- <![CDATA[`,
	`{{.Key}} ${document} javascript:document.title=1`,
	`<a href="javascript:document.title=1">&amp;lt;b&gt;</a>`,
}

// writeHostile writes a dump of one thread whose every text is hostile.
func writeHostile(t *testing.T, text string) (dump string) {
	t.Helper()
	dump = t.TempDir()
	var escaped strings.Builder
	if err := xml.EscapeText(&escaped, []byte(text)); err != nil {
		t.Fatal(err)
	}
	e := escaped.String()
	write := func(table, root string, rows ...string) {
		body := "<" + root + ">\n" + strings.Join(rows, "\n") + "\n</" + root + ">"
		if err := os.WriteFile(filepath.Join(dump, table+".xml"), []byte(body), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("Posts", "posts",
		`<row Id="1" PostTypeId="1" AcceptedAnswerId="2" CreationDate="2010-01-02T03:04:05.006" Score="1" Body="`+e+`" Title="`+e+`" Tags="|python|`+e+`|" ContentLicense="`+e+`" OwnerDisplayName="`+e+`" />`,
		`<row Id="2" PostTypeId="2" ParentId="1" CreationDate="2010-01-03T03:04:05.006" Score="1" Body="`+e+`" />`,
		`<row Id="3" PostTypeId="2" ParentId="1" CreationDate="2010-01-04T03:04:05.006" Score="9" Body="`+e+`" />`)
	write("Comments", "comments", `<row Id="1" PostId="1" Score="1" CreationDate="2010-01-04T03:04:05.006" Text="`+e+`" />`)
	write("Tags", "tags", `<row Id="1" TagName="`+e+`" Count="1" />`)
	write("PostLinks", "postlinks", `<row Id="1" CreationDate="2010-01-04T03:04:05.006" PostId="1" RelatedPostId="3" LinkTypeId="1" />`)
	write("Votes", "votes", `<row Id="1" PostId="1" VoteTypeId="2" CreationDate="2010-01-04T00:00:00.000" />`)
	return dump
}

// hostileOptions returns a build whose manifest, rejects and languages are hostile, too.
func hostileOptions(t *testing.T, text string) Options {
	t.Helper()
	o := optionsOf(t)
	o.Languages = []schema.Language{{Tag: "python", Slug: "python", Name: text}}
	o.Manifest.Dump.Name, o.Manifest.Tool = text, text
	o.Manifest.Stages[manifest.Ingest].Errors = map[string]int64{text: 1, "bad_date": 1}
	o.Manifest.Stages[manifest.Vectors].Embedders.Dense = text
	o.Manifest.Options.GraphFormat = text
	line, err := json.Marshal(ingest.Reject{Table: "Posts", Class: "bad_date", ID: text, Column: text, Value: text})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(o.Out, ingest.RejectsFile), line, 0o666); err != nil {
		t.Fatal(err)
	}
	return o
}

func TestHostileTextIsText(t *testing.T) {
	t.Parallel()
	db := server.Database(t)
	for _, h := range hostile {
		t.Run(h, func(t *testing.T) {
			buildtest.Load(t, db, writeHostile(t, strings.ReplaceAll(h, "|", "")))
			o := hostileOptions(t, h)
			buildGraph(t, db, o, graph.Options{})
			page := render(t, db, o)
			checkMarkup(t, page)
			root, err := html.Parse(strings.NewReader(page))
			if err != nil {
				t.Fatal(err)
			}
			var text strings.Builder
			for n := range root.Descendants() {
				if n.Type == html.TextNode {
					text.WriteString(n.Data)
				}
			}
			if !strings.Contains(text.String(), h) || !strings.Contains(page, `<svg class="thread"`) {
				t.Error("the text is not shown as it is, or no thread is drawn")
			}
		})
	}
}

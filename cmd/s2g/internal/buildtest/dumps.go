package buildtest

import (
	"encoding/csv"
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"s2g/ingest/sample"
	"s2g/schema"
)

// Sample writes a synthetic dump and returns its folder.
func Sample(t testing.TB, posts int) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "sample")
	_, err := sample.Write(t.Context(), sample.Options{Posts: posts, Seed: 1, Out: folder})
	check(t, err)
	return folder
}

// awkwardTags are names that IRIs, prefixed names or CSV must escape, or that collations
// must distinguish.
var awkwardTags = []string{
	"c", "c#", "c++", ".net", "f#", "objective-c", "asp.net-mvc-3", "vb.net", "node.", "a.b..", "-x", "x-", "_x", "~x",
	"русский", "ёлка", "елка", "日本語", "ção", "cao", "straße", "strasse", "café", "cafe", "cafe\u0301", "😀",
	"c%23", "100%", "q&a", "it's", "(x)", "a=b", "a;b", "a+b", "a:b", "@a", "!a", "$a", "*a", `"q"`, "`b`", "a^b", "{a}", "[a]", `a\b`,
}

// TagDump writes a dump with awkwardTags and more than 64 tags, so that a set of their
// graphs takes more than one machine word. It returns the dump's folder, and a file for
// option languages that lists most of the tags.
func TagDump(t testing.TB) (folder, languages string) {
	t.Helper()
	folder = t.TempDir()
	tags := append([]string{}, awkwardTags...)
	for i := range 60 {
		tags = append(tags, fmt.Sprintf("tag-%d", i))
	}
	n := len(tags)
	var third []string // every third tag
	for i := 0; i < n; i += 3 {
		third = append(third, tags[i])
	}
	list := func(of ...string) string { return "<" + strings.Join(of, "><") + ">" }
	posts, comments, links, rows := xmlFile{}, xmlFile{}, xmlFile{}, xmlFile{}
	for i, tag := range tags {
		q, next := 10*(i+1), tags[(i+1)%n]
		of := list(tag, next, "in-no-list")
		if i == 7 {
			of = list(third...)
		}
		date := fmt.Sprintf("2019-01-02T00:%02d:%02d.000", i/60, i%60)
		posts.row("Id", q, "PostTypeId", 1, "AcceptedAnswerId", q+1, "CreationDate", date, "Score", i, "Title", "On "+tag, "Body", "of "+tag, "Tags", of)
		posts.row("Id", q+1, "PostTypeId", 2, "ParentId", q, "CreationDate", date, "Score", 3, "Body", "so")
		posts.row("Id", q+2, "PostTypeId", 2, "ParentId", q, "CreationDate", date, "Score", 3+i%2, "Body", "or so")
		posts.row("Id", q+3, "PostTypeId", 5, "CreationDate", date, "Body", "wiki of "+tag)
		comments.row("Id", q, "PostId", q+1, "CreationDate", date, "Text", tag)
		links.row("Id", q, "CreationDate", date, "PostId", q, "RelatedPostId", 10*((i*7)%n+1), "LinkTypeId", 1+2*(i%2))
		rows.row("Id", i+1, "TagName", tag, "Count", 2, "WikiPostId", q+3)
	}
	for name, f := range map[string]xmlFile{"Posts": posts, "Comments": comments, "PostLinks": links, "Tags": rows, "Votes": {}} {
		root := strings.ToLower(name)
		text := "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<" + root + ">\n" + f.text.String() + "</" + root + ">\n"
		check(t, os.WriteFile(filepath.Join(folder, name+".xml"), []byte(text), 0o600))
	}
	languages = filepath.Join(t.TempDir(), "languages.csv")
	f, err := os.Create(languages)
	check(t, err)
	defer f.Close()
	out := csv.NewWriter(f)
	for i, tag := range tags {
		if i%9 != 8 {
			check(t, out.Write([]string{tag}))
		}
	}
	out.Flush()
	check(t, out.Error())
	return folder, languages
}

// Languages parses a value of option languages.
func Languages(t testing.TB, value string) []schema.Language {
	t.Helper()
	table, err := schema.ParseLanguages(value)
	check(t, err)
	return table
}

// xmlFile holds the rows of a dump's file.
type xmlFile struct{ text strings.Builder }

// row adds a row. attributes are names and values by turns.
func (f *xmlFile) row(attributes ...any) {
	f.text.WriteString("  <row")
	for i := 0; i < len(attributes); i += 2 {
		fmt.Fprintf(&f.text, " %s=\"", attributes[i])
		_ = xml.EscapeText(&f.text, []byte(fmt.Sprint(attributes[i+1]))) // a strings.Builder returns no error
		f.text.WriteByte('"')
	}
	f.text.WriteString(" />\n")
}

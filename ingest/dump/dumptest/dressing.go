package dumptest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"s2g/schema"
)

// A Dressing is a form that a dump may come in.
type Dressing struct {
	Name     string
	Needs    string // the program that writes it, "" if none is needed
	Shuffled bool   // rows come in another order than in the dump it was made from

	rewrite func(table string, doc string) string
	encode  func(doc string) []byte
	pack    func(t testing.TB, docs map[string][]byte, site, to string) string
}

// Write writes the dump of the folder from, which holds plain .xml files, into
// the folder to, and returns the path to give to --dump. It fails the test
// where the program that it needs is not there.
func (d Dressing) Write(t testing.TB, from, to string) string {
	t.Helper()
	docs := make(map[string][]byte)
	for _, table := range schema.Tables() {
		doc, err := os.ReadFile(filepath.Join(from, table.Name+".xml"))
		if err != nil {
			t.Fatal(err)
		}
		text := strings.TrimPrefix(string(doc), bom)
		if d.rewrite != nil {
			text = d.rewrite(table.Name, text)
		}
		if d.encode != nil {
			docs[table.Name] = d.encode(text)
		} else {
			docs[table.Name] = []byte(text)
		}
	}
	pack := d.pack
	if pack == nil {
		pack = folder
	}
	site := strings.ToLower(filepath.Base(from))
	if !strings.HasSuffix(site, ".com") {
		site = "dumptest.stackexchange.com"
	}
	return pack(t, docs, site, to)
}

// Dressings returns the dressings, of which the first is the plainest.
func Dressings() []Dressing {
	return []Dressing{
		{Name: "byte order mark", encode: withBOM},
		{Name: "no byte order mark, CR LF", rewrite: crlf},
		{Name: "licence comment, comments between rows", rewrite: commented},
		{Name: "UTF-16LE, no indentation", rewrite: dense, encode: utf16LE},
		{Name: "UTF-16BE without byte order mark", rewrite: crlf, encode: utf16BE},
		{Name: "single quotes, attributes shuffled, rows over lines, end tags", rewrite: shuffledAttributes, encode: withBOM},
		{Name: "US-ASCII, character references", rewrite: ascii},
		{Name: "pipe tags", rewrite: pipeTags},
		{Name: "rows shuffled", rewrite: shuffledRows, Shuffled: true},
		{Name: "gz", pack: each(gz)},
		{Name: "gz of several members", pack: each(gzMembers)},
		{Name: "bz2", Needs: sevenZip, pack: each(bz2)},
		{Name: "zst", pack: each(zst)},
		{Name: "xz", pack: each(xz)},
		{Name: "each table in another format", Needs: sevenZip, encode: withBOM, pack: mixed},
		{Name: "site.7z, solid, with junk", Needs: sevenZip, encode: withBOM, pack: site7z("-ms=on")},
		{Name: "site.7z, not solid, UTF-16", Needs: sevenZip, encode: utf16LE, pack: site7z("-ms=off")},
		{Name: "site.7z, bzip2", Needs: sevenZip, pack: site7z("-m0=bzip2")},
		{Name: "site.7z, PPMd", Needs: sevenZip, pack: site7z("-m0=ppmd")},
		{Name: "folder of site-Table.7z", Needs: sevenZip, rewrite: pipeTags, pack: tables7z},
		{Name: "7z of site-Table.7z", Needs: sevenZip, rewrite: pipeTags, pack: nested(tables7z)},
		{Name: "7z of site.7z", Needs: sevenZip, pack: nested(site7z())},
	}
}

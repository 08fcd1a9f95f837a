package dumptest

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"unicode/utf16"
)

const bom = "\uFEFF"

func withBOM(doc string) []byte { return []byte(bom + doc) }

func utf16LE(doc string) []byte { return utf16Bytes(bom+declared(doc, "utf-16"), 0) }

func utf16BE(doc string) []byte { return utf16Bytes(declared(doc, "UTF-16BE"), 1) }

// utf16Bytes encodes a document with the low byte of each unit at index low.
func utf16Bytes(doc string, low int) []byte {
	units := utf16.Encode([]rune(doc))
	b := make([]byte, 2*len(units))
	for i, u := range units {
		b[2*i+low], b[2*i+1-low] = byte(u), byte(u>>8)
	}
	return b
}

var declaration = regexp.MustCompile(`^<\?xml[^>]*\?>`)

// declared gives a document a declaration of an encoding.
func declared(doc, encoding string) string {
	return `<?xml version="1.0" encoding="` + encoding + `"?>` + declaration.ReplaceAllString(doc, "")
}

// between matches the white space between two tags: no "<" can be in a value.
var between = regexp.MustCompile(`>\s+<`)

func crlf(_, doc string) string { return between.ReplaceAllString(doc, ">\r\n  <") }

func dense(_, doc string) string { return between.ReplaceAllString(doc, "><") }

func commented(_, doc string) string {
	head := declaration.FindString(doc)
	doc = strings.Replace(strings.TrimPrefix(doc, head), "/>", "/><!-- <row> the first -->", 1)
	return head + "\n<!--\n  The posts are their authors', under CC BY-SA.\n  <row Id=\"0\" /> </posts> is no row.\n-->" + doc
}

var (
	row       = regexp.MustCompile(`<row ([^<]*?)\s*/>`)
	attribute = regexp.MustCompile(`(\w+)="([^"]*)"`)
)

func shuffledAttributes(_, doc string) string {
	r := rand.New(rand.NewPCG(1, 2))
	return row.ReplaceAllStringFunc(doc, func(row string) string {
		var attributes []string
		for _, a := range attribute.FindAllStringSubmatch(row, -1) {
			attributes = append(attributes, a[1]+" =\n\t'"+strings.ReplaceAll(a[2], "'", "&apos;")+"'")
		}
		attributes = append(attributes, `Unknown="x > y"`)
		r.Shuffle(len(attributes), func(i, j int) { attributes[i], attributes[j] = attributes[j], attributes[i] })
		return "<row\n\t" + strings.Join(attributes, "\r\n\t") + "></row>"
	})
}

// ascii writes all that is not ASCII, and line feeds and quotes, as character
// references of several forms.
func ascii(_, doc string) string {
	doc = strings.NewReplacer("&#xA;", "&#10;", "&quot;", "&#x22;", "&apos;", "&#039;").Replace(doc)
	var b strings.Builder
	for i, c := range declared(doc, "us-ascii") {
		switch {
		case c < 0x80:
			b.WriteRune(c)
		case i%2 == 0:
			fmt.Fprintf(&b, "&#x%X;", c)
		default:
			fmt.Fprintf(&b, "&#%d;", c)
		}
	}
	return b.String()
}

var tagList = regexp.MustCompile(` Tags="&lt;([^"]*)&gt;"`)

func pipeTags(_, doc string) string {
	return tagList.ReplaceAllStringFunc(doc, func(s string) string {
		tags := tagList.FindStringSubmatch(s)[1]
		return ` Tags="|` + strings.ReplaceAll(tags, "&gt;&lt;", "|") + `|"`
	})
}

func shuffledRows(_, doc string) string {
	r := rand.New(rand.NewPCG(3, 4))
	rows := row.FindAllString(doc, -1)
	r.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	i := -1
	return row.ReplaceAllStringFunc(doc, func(string) string {
		i++
		return rows[i]
	})
}

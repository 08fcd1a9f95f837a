package sample

import (
	"bytes"
	"strconv"
	"strings"
)

// A phrase is a text with placeholders, prepared for each format: escaped for XML
// and, in a body, first for HTML. Writing a phrase copies its parts.
//
// In the source, {name} is a placeholder if [placeholders] has the name, `x` is code,
// **x** strong, *x* emphasis and [x](url) a link.
type phrase [formats]template

// A format is the markup of a text.
type format uint8

const (
	plain    format = iota // a title: markup is dropped
	markdown               // a comment: markup stays
	html                   // a post's body
	formats
)

// A template is a sequence of texts, each followed by a placeholder.
type template []part

type part struct {
	text        []byte
	placeholder placeholder // nil at the end
}

// newPhrase prepares prose.
func newPhrase(src string) phrase {
	var p phrase
	p[plain] = newTemplate(src, func(s string) string { return xmlEscape(unmarked.Replace(s)) })
	p[markdown] = newTemplate(src, xmlEscape)
	p[html] = newTemplate(toHTML(src), xmlEscape)
	return p
}

// newVerbatim prepares text without markup, such as an error message.
func newVerbatim(src string) phrase {
	return phrase{plain: newTemplate(src, xmlEscape), markdown: newTemplate(src, xmlEscape), html: newCode(src)}
}

// newCode prepares the inside of a code block.
func newCode(src string) template {
	return newTemplate(src, func(s string) string { return xmlEscape(htmlEscape(s)) })
}

var unmarked = strings.NewReplacer("`", "", "**", "", "*", "")

// newTemplate splits src at its placeholders and escapes the text between them.
func newTemplate(src string, escape func(string) string) template {
	var t template
	text := 0
	for i := 0; i < len(src); {
		p, n := placeholderAt(src[i:])
		if p == nil {
			i++
			continue
		}
		t = append(t, part{[]byte(escape(src[text:i])), p})
		i += n
		text = i
	}
	return append(t, part{[]byte(escape(src[text:])), nil})
}

// placeholderAt returns the placeholder that s begins with and its length; nil if there
// is none, because code contains other braces.
func placeholderAt(s string) (placeholder, int) {
	end := strings.IndexByte(s, '}')
	if s[0] != '{' || end < 0 {
		return nil, 0
	}
	return placeholders[s[1:end]], end + 1
}

// toHTML converts the markup of a phrase.
func toHTML(src string) string {
	s := htmlEscape(src)
	s = replacePairs(s, "`", "<code>", "</code>")
	s = replacePairs(s, "**", "<strong>", "</strong>")
	s = replacePairs(s, "*", "<em>", "</em>")
	return replaceLinks(s)
}

// replacePairs replaces marks by an opening and a closing tag in turn. A mark without a
// partner stays.
func replacePairs(s, mark, open, shut string) string {
	for {
		a, rest, ok := strings.Cut(s, mark)
		in, after, closed := strings.Cut(rest, mark)
		if !ok || !closed {
			return s
		}
		s = a + open + in + shut + after
	}
}

// replaceLinks replaces [text](url) by a link as Stack Exchange writes it.
func replaceLinks(s string) string {
	a, rest, ok := strings.Cut(s, "](")
	open := strings.LastIndexByte(a, '[')
	url, after, closed := strings.Cut(rest, ")")
	if !ok || open < 0 || !closed {
		return s
	}
	return a[:open] + `<a href="` + url + `" rel="nofollow noreferrer">` + a[open+1:] + "</a>" + replaceLinks(after)
}

var (
	htmlEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
	xmlEscapes  = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "\n", "&#xA;", "\r", "&#xD;")
)

// htmlEscape escapes text as Stack Exchange does in bodies.
func htmlEscape(s string) string { return htmlEscapes.Replace(s) }

// xmlEscape escapes an attribute as the dumps do: a tab and an apostrophe stay.
func xmlEscape(s string) string { return xmlEscapes.Replace(s) }

// capitalise makes the byte at i upper case if it is a letter and begins no URL.
func capitalise(b []byte, i int) {
	if i < len(b) && 'a' <= b[i] && b[i] <= 'z' && !bytes.HasPrefix(b[i:], []byte("http")) {
		b[i] -= 'a' - 'A'
	}
}

// A placeholder writes the words of the current post that replace {name} in a text.
type placeholder func(w *bodyWriter, m format)

// placeholders are the placeholders by name. Names of code are spelt as the language
// spells them; one that begins with a capital is in Pascal case. A clause whose name
// begins with a capital begins a sentence.
var placeholders = map[string]placeholder{
	"lang":    func(w *bodyWriter, m format) { w.write(w.thread.language.name[m], m) },
	"tag":     func(w *bodyWriter, m format) { w.buf = append(w.buf, w.thread.language.tag...) },
	"tagname": func(w *bodyWriter, m format) { w.buf = append(w.buf, w.tagName...) },
	"lib":     func(w *bodyWriter, m format) { w.write(w.language.libs[w.r.mostlyLow(len(w.language.libs))][m], m) },
	"version": (*bodyWriter).writeVersion,

	"act":     func(w *bodyWriter, m format) { w.writeStable(w.thread.act[m], m) },
	"error":   func(w *bodyWriter, m format) { w.writeStable(w.thread.message.text[m], m) },
	"errname": func(w *bodyWriter, m format) { w.writeStable(w.thread.message.name[m], m) },
	"symptom": func(w *bodyWriter, m format) { w.writeClause(w.thread.topic.symptom, 0, false, m) },
	"Symptom": func(w *bodyWriter, m format) { w.writeClause(w.thread.topic.symptom, 0, true, m) },
	"cause":   func(w *bodyWriter, m format) { w.writeClause(w.thread.topic.cause, w.variation, false, m) },
	"Cause":   func(w *bodyWriter, m format) { w.writeClause(w.thread.topic.cause, w.variation, true, m) },
	"fix":     func(w *bodyWriter, m format) { w.writeClause(w.thread.topic.fix, w.variation, false, m) },
	"Fix":     func(w *bodyWriter, m format) { w.writeClause(w.thread.topic.fix, w.variation, true, m) },
	"left":    func(w *bodyWriter, m format) { w.write(w.thread.topic.left[m], m) },
	"right":   func(w *bodyWriter, m format) { w.write(w.thread.topic.right[m], m) },
	"context": func(w *bodyWriter, m format) { w.write(w.thread.context[m], m) },
	"thing":   func(w *bodyWriter, m format) { w.write(w.thread.domain.thing[m], m) },
	"things":  func(w *bodyWriter, m format) { w.write(w.thread.domain.things[m], m) },
	"source":  func(w *bodyWriter, m format) { w.write(w.thread.domain.source[m], m) },

	"field": func(w *bodyWriter, m format) { w.buf = append(w.buf, w.thread.domain.field[w.localSpelling()]...) },
	"Field": func(w *bodyWriter, m format) { w.buf = append(w.buf, w.thread.domain.field[pascal]...) },
	"coll":  func(w *bodyWriter, m format) { w.buf = append(w.buf, w.thread.domain.coll[w.localSpelling()]...) },
	"item":  func(w *bodyWriter, m format) { w.buf = append(w.buf, w.thread.domain.item[w.localSpelling()]...) },
	"type":  func(w *bodyWriter, m format) { w.buf = append(w.buf, w.thread.domain.item[pascal]...) },
	"fn":    func(w *bodyWriter, m format) { w.buf = append(w.buf, w.thread.topic.fn[w.language.style]...) },
	"Fn":    func(w *bodyWriter, m format) { w.buf = append(w.buf, w.thread.topic.fn[pascal]...) },
	"FN":    func(w *bodyWriter, m format) { w.buf = append(w.buf, w.thread.topic.fn[upper]...) },
	"a":     func(w *bodyWriter, m format) { w.buf = append(w.buf, w.thread.topic.a[w.localSpelling()]...) },
	"b":     func(w *bodyWriter, m format) { w.buf = append(w.buf, w.thread.topic.b[w.localSpelling()]...) },

	"n":     func(w *bodyWriter, m format) { w.buf = strconv.AppendInt(w.buf, int64(2+w.r.logUniform(11)), 10) },
	"small": func(w *bodyWriter, m format) { w.buf = append(w.buf, byte('2'+w.r.below(8))) },
	"name":  func(w *bodyWriter, m format) { w.buf = append(w.buf, displayNames[w.r.below(len(displayNames))]...) },
	"moment": func(w *bodyWriter, m format) {
		w.buf = appendTime(w.buf, w.clock.at(w.thread.slot)-int64(w.r.below(day)))
	},
}

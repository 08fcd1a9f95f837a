package sample

import (
	"bytes"
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
	placeholder placeholder // placeholderNone at the end
}

// newPhrase prepares prose.
func newPhrase(src string) phrase {
	var p phrase
	p[plain] = parts(src, func(s string) string { return xmlEscape(unmarked.Replace(s)) })
	p[markdown] = parts(src, xmlEscape)
	p[html] = parts(toHTML(src), xmlEscape)
	return p
}

// newVerbatim prepares text without markup, such as an error message.
func newVerbatim(src string) phrase {
	return phrase{plain: parts(src, xmlEscape), markdown: parts(src, xmlEscape), html: newCode(src)}
}

// newCode prepares the inside of a code block.
func newCode(src string) template {
	return parts(src, func(s string) string { return xmlEscape(htmlEscape(s)) })
}

var unmarked = strings.NewReplacer("`", "", "**", "", "*", "")

// parts splits src at its placeholders and escapes the text between them.
func parts(src string, escape func(string) string) template {
	var t template
	text := 0
	for i := 0; i < len(src); {
		h, n := placeholderAt(src[i:])
		if n == 0 {
			i++
			continue
		}
		t = append(t, part{[]byte(escape(src[text:i])), h})
		i += n
		text = i
	}
	return append(t, part{[]byte(escape(src[text:])), placeholderNone})
}

// placeholderAt returns the placeholder that s begins with and its length, 0 if there
// is none: code contains other braces.
func placeholderAt(s string) (placeholder, int) {
	if s[0] != '{' {
		return placeholderNone, 0
	}
	end := strings.IndexByte(s, '}')
	if end < 0 {
		return placeholderNone, 0
	}
	h, ok := placeholders[s[1:end]]
	if !ok {
		return placeholderNone, 0
	}
	return h, end + 1
}

// toHTML converts the markup of a phrase.
func toHTML(src string) string {
	s := htmlEscape(src)
	s = pairs(s, "`", "<code>", "</code>")
	s = pairs(s, "**", "<strong>", "</strong>")
	s = pairs(s, "*", "<em>", "</em>")
	return anchors(s)
}

// pairs replaces marks by an opening and a closing tag in turn. A mark without a
// partner stays.
func pairs(s, mark, open, shut string) string {
	for {
		a, rest, ok := strings.Cut(s, mark)
		in, after, closed := strings.Cut(rest, mark)
		if !ok || !closed {
			return s
		}
		s = a + open + in + shut + after
	}
}

// anchors replaces [text](url) by a link as Stack Exchange writes it.
func anchors(s string) string {
	a, rest, ok := strings.Cut(s, "](")
	open := strings.LastIndexByte(a, '[')
	url, after, closed := strings.Cut(rest, ")")
	if !ok || open < 0 || !closed {
		return s
	}
	return a[:open] + `<a href="` + url + `" rel="nofollow noreferrer">` + a[open+1:] + "</a>" + anchors(after)
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

// A placeholder is a position in a text that is filled with the words of a post.
type placeholder uint8

const (
	placeholderNone placeholder = iota
	placeholderLanguage
	placeholderTag
	placeholderAct
	placeholderThing
	placeholderThings
	placeholderSource
	placeholderField
	placeholderFieldPascal
	placeholderColl
	placeholderItem
	placeholderType
	placeholderFn
	placeholderFnPascal
	placeholderFnUpper
	placeholderA
	placeholderB
	placeholderLib
	placeholderVersion
	placeholderError
	placeholderErrorName
	placeholderContext
	placeholderNumber
	placeholderSmall
	placeholderSymptom
	placeholderSymptomStart
	placeholderCause
	placeholderCauseStart
	placeholderFix
	placeholderFixStart
	placeholderLeft
	placeholderRight
	placeholderName
	placeholderMoment
	placeholderTagName
)

var placeholders = map[string]placeholder{
	"lang": placeholderLanguage, "tag": placeholderTag, "act": placeholderAct,
	"thing": placeholderThing, "things": placeholderThings, "source": placeholderSource,
	"field": placeholderField, "Field": placeholderFieldPascal, "coll": placeholderColl, "item": placeholderItem, "type": placeholderType,
	"fn": placeholderFn, "Fn": placeholderFnPascal, "FN": placeholderFnUpper, "a": placeholderA, "b": placeholderB,
	"lib": placeholderLib, "version": placeholderVersion, "error": placeholderError, "errname": placeholderErrorName,
	"context": placeholderContext, "n": placeholderNumber, "small": placeholderSmall,
	"symptom": placeholderSymptom, "Symptom": placeholderSymptomStart, "cause": placeholderCause, "Cause": placeholderCauseStart,
	"fix": placeholderFix, "Fix": placeholderFixStart, "left": placeholderLeft, "right": placeholderRight,
	"name": placeholderName, "moment": placeholderMoment, "tagname": placeholderTagName,
}

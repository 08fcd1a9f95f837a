package sample

import (
	"bytes"
	"strings"
)

// A phrase is a piece of text with holes in it, kept ready for each place that
// it can stand in, escaped for XML and, in a body, for HTML before that. To
// write one is to copy its parts.
//
// In the source, {name} is a hole when [holes] knows the name, `x` is code,
// **x** strong, *x* emphasis and [x](url) a link.
type phrase [modes]template

// mode is where a text stands.
type mode uint8

const (
	plain    mode = iota // a title: mark-up is dropped
	markdown             // a comment: mark-up stays as it is
	html                 // a post's body
	modes
)

// A template is text and holes in turn: text is written before its hole.
type template []part

type part struct {
	text []byte
	hole hole // holeNone at the end
}

// newPhrase prepares prose.
func newPhrase(src string) phrase {
	var p phrase
	p[plain] = parts(src, func(s string) string { return xmlEscape(unmarked.Replace(s)) })
	p[markdown] = parts(src, xmlEscape)
	p[html] = parts(prose(src), xmlEscape)
	return p
}

// newVerbatim prepares text without mark-up, such as an error message.
func newVerbatim(src string) phrase {
	return phrase{plain: parts(src, xmlEscape), markdown: parts(src, xmlEscape), html: newCode(src)}
}

// newCode prepares the inside of a code block.
func newCode(src string) template {
	return parts(src, func(s string) string { return xmlEscape(htmlEscape(s)) })
}

var unmarked = strings.NewReplacer("`", "", "**", "", "*", "")

// parts cuts src at its holes and passes the text between through escape.
func parts(src string, escape func(string) string) template {
	var t template
	text := 0
	for i := 0; i < len(src); {
		h, n := holeAt(src[i:])
		if n == 0 {
			i++
			continue
		}
		t = append(t, part{[]byte(escape(src[text:i])), h})
		i += n
		text = i
	}
	return append(t, part{[]byte(escape(src[text:])), holeNone})
}

// holeAt returns the hole that s begins with and the length of its name in
// braces, 0 where there is none: code is full of other braces.
func holeAt(s string) (hole, int) {
	if s[0] != '{' {
		return holeNone, 0
	}
	end := strings.IndexByte(s, '}')
	if end < 0 {
		return holeNone, 0
	}
	h, ok := holes[s[1:end]]
	if !ok {
		return holeNone, 0
	}
	return h, end + 1
}

// prose turns the mark-up of a phrase into HTML.
func prose(src string) string {
	s := htmlEscape(src)
	s = pairs(s, "`", "<code>", "</code>")
	s = pairs(s, "**", "<strong>", "</strong>")
	s = pairs(s, "*", "<em>", "</em>")
	return links(s)
}

// pairs replaces marks by an opening and a closing tag in turn. A mark without
// a partner stays.
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

// links replaces [text](url) by an anchor as Stack Exchange writes it.
func links(s string) string {
	a, rest, ok := strings.Cut(s, "](")
	open := strings.LastIndexByte(a, '[')
	url, after, closed := strings.Cut(rest, ")")
	if !ok || open < 0 || !closed {
		return s
	}
	return a[:open] + `<a href="` + url + `" rel="nofollow noreferrer">` + a[open+1:] + "</a>" + links(after)
}

var (
	htmlEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
	xmlEscapes  = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "\n", "&#xA;", "\r", "&#xD;")
)

// htmlEscape escapes text as Stack Exchange does in bodies.
func htmlEscape(s string) string { return htmlEscapes.Replace(s) }

// xmlEscape escapes an attribute as the dumps do: a tab and an apostrophe stay.
func xmlEscape(s string) string { return xmlEscapes.Replace(s) }

// capitalise makes the byte at i upper case, if it is a letter.
func capitalise(b []byte, i int) {
	if i < len(b) && 'a' <= b[i] && b[i] <= 'z' && !bytes.HasPrefix(b[i:], []byte("http")) {
		b[i] -= 'a' - 'A'
	}
}

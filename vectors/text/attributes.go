package text

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"
)

// language returns the language that a class of a <pre> or <code> names ("lang-py", "language-py", and
// "snippet-code-js" of Stack Snippets), or nothing.
func (c *Cleaner) language() string {
	for class := range bytes.FieldsSeq(c.markup.attribute("class")) {
		if lang := langClass(string(class)); lang != "" {
			return lang
		}
	}
	return ""
}

func langClass(class string) string {
	for _, prefix := range []string{"lang-", "language-", "snippet-code-"} {
		if lang, ok := strings.CutPrefix(class, prefix); ok && isLanguage(lang) {
			return strings.ToLower(lang)
		}
	}
	return ""
}

// isLanguage says whether a name can stand behind a fence.
func isLanguage(s string) bool {
	for _, r := range s {
		if r <= ' ' || r > '~' || r == '`' {
			return false
		}
	}
	return s != "" && len(s) <= 32
}

// comment takes the hints that posts have for Stack Overflow's highlighter: "language: lang-py" before a code
// block, "language-all: lang-py" once for all.
func (c *Cleaner) comment(b []byte) {
	key, value, ok := strings.Cut(strings.TrimSpace(string(b)), ":")
	if !ok {
		return
	}
	value = strings.TrimSpace(value)
	lang := strings.ToLower(strings.TrimPrefix(value, "lang-"))
	if !isLanguage(lang) {
		return
	}
	switch key {
	case "language":
		c.lang = lang
	case "language-all":
		c.langAll = lang
	}
}

// address returns where a link leads to, or nothing where that cannot stand in a text.
func (c *Cleaner) address() string {
	href := c.markup.attribute("href")
	if bytes.IndexFunc(href, func(r rune) bool { return r <= ' ' || r == 0x7F || r == utf8.RuneError }) >= 0 {
		return ""
	}
	return string(href)
}

// firstNumber returns the number that an ordered list begins with.
func (c *Cleaner) firstNumber() int {
	if n, err := strconv.Atoi(string(c.markup.attribute("start"))); err == nil && n >= 0 && n < 1e6 {
		return n
	}
	return 1
}

// placeholders are alternative texts that Stack Overflow's editor puts in, and say nothing.
var placeholders = map[string]bool{
	"enter image description here": true, "alt text": true, "image": true, "img": true, "screenshot": true,
}

// image takes the alternative text of an image.
func (c *Cleaner) image() {
	alt := bytes.TrimSpace(c.markup.attribute("alt"))
	switch {
	case c.skip != 0 || len(alt) == 0:
	case placeholders[strings.ToLower(string(alt))]:
		c.noise.drop(rulePlaceholder, alt)
	default:
		c.text(alt)
	}
}

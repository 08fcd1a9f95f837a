package text

import (
	"bytes"
	"cmp"
	"strings"
)

// codeBlock collects the code of a <pre>, or the inline code at the beginning of a paragraph, and its language.
type codeBlock struct {
	depth    int // of <pre>
	text     []byte
	language string // of this block, or of the next one
	ofPost   string // language of the blocks that name none
}

// reset begins another post, whose blocks are in language unless they or the post name another. It keeps the buffer.
func (b *codeBlock) reset(language string) { *b = codeBlock{text: b.text, ofPost: language} }

// hint reads a comment for Stack Overflow's highlighter: "language: lang-py" before a code block, "language-all: lang-py"
// for all blocks.
func (b *codeBlock) hint(comment []byte) {
	key, value, ok := strings.Cut(strings.TrimSpace(string(comment)), ":")
	if !ok {
		return
	}
	lang := strings.ToLower(strings.TrimPrefix(strings.TrimSpace(value), "lang-"))
	if !isLanguage(lang) {
		return
	}
	switch key {
	case "language":
		b.language = lang
	case "language-all":
		b.ofPost = lang
	}
}

// setLanguage sets the language of the block, unless lang is empty.
func (b *codeBlock) setLanguage(lang string) { b.language = cmp.Or(lang, b.language) }

// takeLanguage returns the language of the block, else the post's, and unsets that of the block.
func (b *codeBlock) takeLanguage() string {
	lang := cmp.Or(b.language, b.ofPost)
	b.language = ""
	if lang == "none" {
		return ""
	}
	return lang
}

// languageOf returns the language in the class of a <pre> or <code> ("lang-py", "language-py", and "snippet-code-js" of
// Stack Snippets), or "".
func languageOf(class []byte) string {
	for name := range bytes.FieldsSeq(class) {
		for _, prefix := range []string{"lang-", "language-", "snippet-code-"} {
			if lang, ok := strings.CutPrefix(string(name), prefix); ok && isLanguage(lang) {
				return strings.ToLower(lang)
			}
		}
	}
	return ""
}

// isLanguage reports whether a name can follow a fence.
func isLanguage(s string) bool {
	for _, r := range s {
		if r <= ' ' || r > '~' || r == '`' {
			return false
		}
	}
	return s != "" && len(s) <= 32
}

// fenceOf returns the shortest fence with which no line begins.
func fenceOf(lines [][]byte) string {
	fence := "```"
	for _, l := range lines {
		for bytes.HasPrefix(bytes.TrimLeft(l, " \t"), []byte(fence)) {
			fence += "`"
		}
	}
	return fence
}

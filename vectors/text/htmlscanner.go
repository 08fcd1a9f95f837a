package text

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// markup cuts HTML into texts, tags and comments where the tokenizer of x/net/html cuts it. That one goes byte by byte;
// here the forms in which posts have nearly all of their markup are found with bytes.IndexByte, which is many times
// faster:
//
//	text up to the next < that a tag or a comment can begin with
//	<name key="value" ...>, with " /" or "/" at its end or not
//	</name>
//	<!-- comment -->
//
// At the first other form (a quote or a blank elsewhere, an element whose content is no HTML, a tag that never ends),
// the tokenizer takes over for the rest of the post: what it makes of broken HTML is what browsers make of it.
// TestMarkup and FuzzMarkup hold that both cut alike.
type markup struct {
	rest []byte    // what has not been read
	raw  []byte    // the token that was read last
	tag  atom.Atom // of that tag, 0 where it is no element of HTML
	data []byte    // the attributes of that tag, or the text of that comment
	z    *html.Tokenizer
}

// reset begins with another document.
func (m *markup) reset(source []byte) { *m = markup{rest: source} }

// next reads the next token. Its raw text is valid until the next call.
func (m *markup) next() html.TokenType {
	if m.z == nil {
		if len(m.rest) == 0 {
			return html.ErrorToken
		}
		if n := textLength(m.rest); n > 0 {
			m.raw, m.rest = m.rest[:n], m.rest[n:]
			return html.TextToken
		}
		kind, n := m.plainToken()
		if n > 0 {
			m.raw, m.rest = m.rest[:n], m.rest[n:]
			return kind
		}
		m.z = html.NewTokenizer(bytes.NewReader(m.rest))
	}
	return m.slow()
}

// slow has the tokenizer read the next token.
func (m *markup) slow() html.TokenType {
	kind := m.z.Next()
	m.raw = m.z.Raw()
	switch kind {
	case html.StartTagToken, html.SelfClosingTagToken:
		m.tag = tagName(m.raw[len("<"):])
	case html.EndTagToken:
		m.tag = tagName(m.raw[len("</"):])
	case html.CommentToken:
		m.data = m.z.Text()
	}
	return kind
}

// textLength returns how far the text at the head of b goes: up to a < that begins something else.
func textLength(b []byte) int {
	for n := 0; ; n++ {
		i := bytes.IndexByte(b[n:], '<')
		if i < 0 {
			return len(b)
		}
		n += i
		if n+1 == len(b) {
			return n + 1
		}
		if c := b[n+1]; isLetter(c) || c == '/' || c == '!' || c == '?' {
			return n
		}
	}
}

// plainToken finds the tag or comment at the head of what is left, and says how long it is: 0 where it has none of the
// plain forms.
func (m *markup) plainToken() (kind html.TokenType, n int) {
	switch b := m.rest; {
	case len(b) < len("<a>"):
		return 0, 0
	case b[1] == '/':
		n = nameEnd(b, len("</"))
		if n == len(b) || b[n] != '>' || !isLetter(b[2]) {
			return 0, 0
		}
		m.tag = tagName(b[len("</"):n])
		return html.EndTagToken, n + 1
	case b[1] == '!':
		return m.plainComment()
	case isLetter(b[1]):
		return m.plainStart()
	}
	return 0, 0
}

// plainStart finds a start tag.
func (m *markup) plainStart() (kind html.TokenType, n int) {
	b := m.rest
	head := nameEnd(b, len("<"))
	m.tag = tagName(b[len("<"):head])
	if isRawText(m.tag) {
		return 0, 0
	}
	i := head
	for i+1 < len(b) && b[i] == ' ' && isLetter(b[i+1]) {
		for i++; i < len(b) && (isLetter(b[i]) || b[i] == '-'); {
			i++
		}
		if i+1 >= len(b) || b[i] != '=' || b[i+1] != '"' {
			return 0, 0
		}
		i += len(`="`)
		value := bytes.IndexByte(b[i:], '"')
		if value < 0 {
			return 0, 0
		}
		i += value + 1
	}
	end := i
	if i < len(b) && b[i] == ' ' {
		i++
	}
	if i < len(b) && b[i] == '/' {
		i++
	}
	if i >= len(b) || b[i] != '>' {
		return 0, 0
	}
	m.data = b[head:end]
	return html.StartTagToken, i + 1
}

// plainComment finds a comment that ends where the first two hyphens are, and has no entities.
func (m *markup) plainComment() (kind html.TokenType, n int) {
	text, ok := bytes.CutPrefix(m.rest, []byte("<!--"))
	if !ok {
		return 0, 0
	}
	n = bytes.Index(text, []byte("--"))
	if n <= 0 || n+2 >= len(text) || text[n+2] != '>' || text[0] == '>' || text[0] == '-' {
		return 0, 0
	}
	m.data = text[:n]
	if needsDecoding(m.data) {
		return 0, 0
	}
	return html.CommentToken, len("<!--") + n + len("-->")
}

// attribute returns the value of an attribute of the start tag that was read last, or nothing. It may be asked once
// for each tag.
func (m *markup) attribute(name string) []byte {
	z := m.z
	if z == nil {
		value := m.plainAttribute(name)
		if !needsDecoding(value) {
			return value
		}
		z = html.NewTokenizer(bytes.NewReader(m.raw))
		z.Next()
	}
	for more := true; more; {
		var key, value []byte
		if key, value, more = z.TagAttr(); string(key) == name {
			return value
		}
	}
	return nil
}

// plainAttribute is attribute for a tag of plain form, of which it returns the value as it is written.
func (m *markup) plainAttribute(name string) []byte {
	for b := m.data; len(b) > 0; {
		key := b[len(" "):bytes.IndexByte(b, '=')]
		b = b[len(" ")+len(key)+len(`="`):]
		end := bytes.IndexByte(b, '"')
		if len(key) == len(name) && bytes.EqualFold(key, []byte(name)) {
			return b[:end]
		}
		b = b[end+1:]
	}
	return nil
}

// needsDecoding says whether the tokenizer changes a value or a comment: entities, line ends, and NUL.
func needsDecoding(b []byte) bool {
	return bytes.IndexByte(b, '&') >= 0 || bytes.IndexByte(b, '\r') >= 0 || bytes.IndexByte(b, 0) >= 0
}

// isRawText says whether what an element holds is no HTML.
func isRawText(tag atom.Atom) bool {
	switch tag {
	case atom.Iframe, atom.Noembed, atom.Noframes, atom.Noscript, atom.Plaintext, atom.Script, atom.Style, atom.Textarea,
		atom.Title, atom.Xmp:
		return true
	}
	return false
}

// tagName reads the name at the head of a tag; it is 0 where it is no element of HTML, as <p-x> is none. (The tokenizer's
// TagName allocates a copy.)
func tagName(raw []byte) atom.Atom {
	var name [16]byte
	n := 0
	for n < len(raw) && n < len(name) && isASCIIWord(raw[n]) {
		name[n] = raw[n] | 0x20 // digits have this bit
		n++
	}
	if n < len(raw) && strings.IndexByte(" \t\n\r\f/>", raw[n]) < 0 {
		return 0
	}
	return atom.Lookup(name[:n])
}

// nameEnd returns where the letters and digits end that begin at i.
func nameEnd(b []byte, i int) int {
	for i < len(b) && isASCIIWord(b[i]) {
		i++
	}
	return i
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// common are the entities of nearly all posts. The rest go through the full table.
var common = [...]struct{ name, is string }{
	{"&lt;", "<"}, {"&gt;", ">"}, {"&amp;", "&"}, {"&quot;", `"`}, {"&#39;", "'"}, {"&nbsp;", "\u00a0"},
}

// unescape appends b to dst with its entities decoded, once, as browsers do.
func unescape(dst, b []byte) []byte {
	for {
		i := bytes.IndexByte(b, '&')
		if i < 0 {
			return append(dst, b...)
		}
		dst = append(dst, b[:i]...)
		b = b[i:]
		is, n := decode(b)
		dst = append(dst, is...)
		b = b[n:]
	}
}

// decode returns what the entity at the head of b stands for, and how long it is.
func decode(b []byte) (is string, n int) {
	for _, e := range &common {
		if len(b) >= len(e.name) && string(b[:len(e.name)]) == e.name {
			return e.is, len(e.name)
		}
	}
	for n = 1; n < len(b) && n < 40 && (isLetterOrDigit(b[n]) && b[n] < 0x80 || n == 1 && b[n] == '#'); {
		n++
	}
	if n == 1 {
		return "&", 1
	}
	if n < len(b) && b[n] == ';' {
		n++
	}
	return html.UnescapeString(string(b[:n])), n
}

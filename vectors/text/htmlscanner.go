package text

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// htmlScanner cuts HTML into texts, tags and comments exactly as the tokenizer of x/net/html does. The tokenizer reads byte by
// byte; the scanner finds the forms of nearly all markup of posts by bytes.IndexByte, which is many times faster
// (BenchmarkClean, BenchmarkCleanDump):
//
//	text up to the next < that a tag or a comment can begin with
//	<name key="value" ...>, with " /" or "/" at its end or not
//	</name>
//	<!-- comment -->
//
// At the first other form (a quote or a blank elsewhere, an element whose content is no HTML, a tag without an end) the
// tokenizer takes over for the rest of the post: it reads broken HTML as browsers do. TestHTMLScanner and FuzzHTMLScanner
// compare both.
type htmlScanner struct {
	rest      []byte          // not read yet
	raw       []byte          // the last token
	tag       atom.Atom       // of the last tag; 0: no element of HTML
	data      []byte          // the attributes of the last tag, or the text of the last comment
	tokenizer *html.Tokenizer // nil until the first form that is not plain
}

// reset begins another document.
func (s *htmlScanner) reset(source []byte) { *s = htmlScanner{rest: source} }

// next reads the next token. Its raw text is valid until the next call. html.ErrorToken is the end.
func (s *htmlScanner) next() html.TokenType {
	if s.tokenizer == nil {
		if len(s.rest) == 0 {
			return html.ErrorToken
		}
		if n := textLength(s.rest); n > 0 {
			s.raw, s.rest = s.rest[:n], s.rest[n:]
			return html.TextToken
		}
		if kind, n := s.plainToken(); n > 0 {
			s.raw, s.rest = s.rest[:n], s.rest[n:]
			return kind
		}
		s.tokenizer = html.NewTokenizer(bytes.NewReader(s.rest))
	}
	kind := s.tokenizer.Next()
	s.raw = s.tokenizer.Raw()
	switch kind {
	case html.StartTagToken, html.SelfClosingTagToken:
		s.tag = tagName(s.raw[len("<"):])
	case html.EndTagToken:
		s.tag = tagName(s.raw[len("</"):])
	case html.CommentToken:
		s.data = s.tokenizer.Text()
	}
	return kind
}

// textLength returns the length of the text at the head of b. It ends before a < that begins a tag or a comment.
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

// plainToken returns the kind and the length of the tag or comment at the head of the rest; 0 where its form is not plain.
func (s *htmlScanner) plainToken() (kind html.TokenType, n int) {
	switch b := s.rest; {
	case len(b) < len("<a>"):
		return 0, 0
	case b[1] == '/':
		n = nameEnd(b, len("</"))
		if n == len(b) || b[n] != '>' || !isLetter(b[2]) {
			return 0, 0
		}
		s.tag = tagName(b[len("</"):n])
		return html.EndTagToken, n + 1
	case b[1] == '!':
		return s.plainComment()
	case isLetter(b[1]):
		return s.plainStart()
	}
	return 0, 0
}

func (s *htmlScanner) plainStart() (kind html.TokenType, n int) {
	b := s.rest
	head := nameEnd(b, len("<"))
	s.tag = tagName(b[len("<"):head])
	if isRawText(s.tag) {
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
	s.data = b[head:end]
	return html.StartTagToken, i + 1
}

// plainComment accepts a comment without entities that ends at its first two hyphens.
func (s *htmlScanner) plainComment() (kind html.TokenType, n int) {
	text, ok := bytes.CutPrefix(s.rest, []byte("<!--"))
	if !ok {
		return 0, 0
	}
	n = bytes.Index(text, []byte("--"))
	if n <= 0 || n+2 >= len(text) || text[n+2] != '>' || text[0] == '>' || text[0] == '-' {
		return 0, 0
	}
	s.data = text[:n]
	if needsDecoding(s.data) {
		return 0, 0
	}
	return html.CommentToken, len("<!--") + n + len("-->")
}

// attribute returns the value of an attribute of the last start tag, or nil. It may be called once for each tag.
func (s *htmlScanner) attribute(name string) []byte {
	z := s.tokenizer
	if z == nil {
		value := s.plainAttribute(name)
		if !needsDecoding(value) {
			return value
		}
		z = html.NewTokenizer(bytes.NewReader(s.raw))
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

// plainAttribute returns the undecoded value of an attribute of a tag of plain form, or nil.
func (s *htmlScanner) plainAttribute(name string) []byte {
	for b := s.data; len(b) > 0; {
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

// needsDecoding reports whether the tokenizer would change a value or a comment: entities, line ends, and NUL.
func needsDecoding(b []byte) bool {
	return bytes.IndexByte(b, '&') >= 0 || bytes.IndexByte(b, '\r') >= 0 || bytes.IndexByte(b, 0) >= 0
}

// isRawText reports whether the content of an element is no HTML.
func isRawText(tag atom.Atom) bool {
	switch tag {
	case atom.Iframe, atom.Noembed, atom.Noframes, atom.Noscript, atom.Plaintext, atom.Script, atom.Style, atom.Textarea,
		atom.Title, atom.Xmp:
		return true
	}
	return false
}

// tagName returns the name at the head of a tag; 0 where it is no element of HTML, such as <p-x>. The tokenizer's TagName
// would allocate a copy (BenchmarkClean).
func tagName(raw []byte) atom.Atom {
	var name [16]byte
	n := 0
	for n < len(raw) && n < len(name) && isAlnum(raw[n]) {
		name[n] = raw[n] | 0x20 // digits have this bit
		n++
	}
	if n < len(raw) && strings.IndexByte(" \t\n\r\f/>", raw[n]) < 0 {
		return 0
	}
	return atom.Lookup(name[:n])
}

// nameEnd returns the end of the letters and digits that begin at i.
func nameEnd(b []byte, i int) int {
	for i < len(b) && isAlnum(b[i]) {
		i++
	}
	return i
}

// commonEntities are nearly all entities of posts. Their search is shorter than that in the full table (BenchmarkClean).
var commonEntities = [...]struct{ name, text string }{
	{"&lt;", "<"}, {"&gt;", ">"}, {"&amp;", "&"}, {"&quot;", `"`}, {"&#39;", "'"}, {"&nbsp;", "\u00a0"},
}

// unescape appends b to dst with its entities decoded once, as browsers decode them.
func unescape(dst, b []byte) []byte {
	for {
		i := bytes.IndexByte(b, '&')
		if i < 0 {
			return append(dst, b...)
		}
		dst = append(dst, b[:i]...)
		text, n := decodeEntity(b[i:])
		dst = append(dst, text...)
		b = b[i+n:]
	}
}

// decodeEntity returns the text and the length of the entity at the head of b.
func decodeEntity(b []byte) (text string, n int) {
	for _, e := range &commonEntities {
		if len(b) >= len(e.name) && string(b[:len(e.name)]) == e.name {
			return e.text, len(e.name)
		}
	}
	for n = 1; n < len(b) && n < 40 && (isAlnum(b[n]) || n == 1 && b[n] == '#'); {
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

package dump

import (
	"bytes"
	"strings"

	"s2g/schema"
)

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

// isRow reports whether b begins with a row.
func isRow(b []byte) bool {
	return len(b) > 4 && string(b[:4]) == "<row" && (isSpace(b[4]) || b[4] == '/' || b[4] == '>')
}

// isEndTag reports whether b begins with the end tag of an element.
func isEndTag(b []byte, name string) bool {
	n := len("</") + len(name)
	if len(b) <= n || b[0] != '<' || b[1] != '/' || string(b[2:n]) != name {
		return false
	}
	b = bytes.TrimLeft(b[n:], " \t\r\n")
	return len(b) > 0 && b[0] == '>'
}

// isMisc reports whether a comment, processing instruction or CDATA section
// begins at b[i]. One that does not stand directly behind another tag is none:
// it is text in a row whose "<" are not escaped.
func isMisc(b []byte, i int) bool {
	rest := b[i:]
	if len(rest) < 2 || rest[0] != '<' || rest[1] != '!' && rest[1] != '?' {
		return false
	}
	if open, _ := miscMarks(rest); open == "" {
		return false
	}
	for i--; i >= 0 && isSpace(b[i]); i-- {
	}
	return i < 0 || b[i] == '>'
}

// miscEnd returns the length of what isMisc found, negative if it is not whole.
func miscEnd(b []byte) int {
	open, end := miscMarks(b)
	i := bytes.Index(b[len(open):], []byte(end))
	if i < 0 {
		return -1
	}
	return len(open) + i + len(end)
}

func miscMarks(b []byte) (open, end string) {
	switch {
	case bytes.HasPrefix(b, []byte("<!--")):
		return "<!--", "-->"
	case bytes.HasPrefix(b, []byte("<?")):
		return "<?", "?>"
	case bytes.HasPrefix(b, []byte("<![CDATA[")):
		return "<![CDATA[", "]]>"
	}
	return "", ""
}

// skipMisc returns what stands behind white space, comments and processing
// instructions.
func skipMisc(b []byte) []byte {
	for {
		b = bytes.TrimLeft(b, " \t\r\n")
		n := -1
		if isMisc(b, 0) {
			n = miscEnd(b)
		}
		if n < 0 {
			return b
		}
		b = b[n:]
	}
}

// prolog reads what stands before the first row: the byte order mark, the XML
// declaration, comments, the start of the root element. It returns what is
// behind them. If it needs more bytes to see the root, it returns buf as it is.
func (s *splitter) prolog(buf []byte) ([]byte, error) {
	rest := bytes.TrimPrefix(buf, []byte("\xEF\xBB\xBF"))
	if name, fits := declaredEncoding(rest); !fits {
		return nil, schema.Faultf(schema.FaultInput, "convert it: iconv -f "+name+" -t UTF-8", "read %s: its encoding is %s, which is not read", s.c.Name, name)
	}
	rest = skipMisc(rest)
	if len(rest) > 0 && rest[0] != '<' {
		if len(buf) < len("BOM") && !s.eof {
			return buf, nil // it may be the beginning of a byte order mark
		}
		return nil, s.fault("it is not XML: it begins with %.20q", rest)
	}
	if isHTML(rest) {
		return nil, s.fault("it is an HTML page, as servers send it where they have no such file")
	}
	if bytes.HasPrefix(rest, []byte("<!DOCTYPE")) {
		return nil, s.fault("it has a DOCTYPE, which no dump has")
	}
	end := bytes.IndexByte(rest, '>')
	if end < 0 || isMisc(rest, 0) {
		if s.eof || len(buf) >= maxProlog {
			return nil, s.fault("there is no root element <%s>", s.c.Root)
		}
		return buf, nil
	}
	tag := strings.TrimSpace(string(rest[1:end]))
	tag, empty := strings.CutSuffix(tag, "/")
	if name, _, _ := strings.Cut(strings.Map(spaceToBlank, tag), " "); name != s.c.Root {
		return nil, s.fault("its root element is <%.40s>, not <%s>", name, s.c.Root)
	}
	s.started = true
	n := len(buf) - len(rest) + end + 1
	s.offset += int64(n)
	buf = append(buf[:0], buf[n:]...)
	if empty {
		return s.end(buf, 0)
	}
	return buf, nil
}

// isHTML reports whether b begins a page.
func isHTML(b []byte) bool {
	head := bytes.ToLower(b[:min(len(b), 20)])
	return bytes.HasPrefix(head, []byte("<!doctype html")) || bytes.HasPrefix(head, []byte("<html"))
}

func spaceToBlank(r rune) rune {
	if r == '\t' || r == '\r' || r == '\n' {
		return ' '
	}
	return r
}

package dump

import "bytes"

// The functions in this file recognise the XML around attribute values. "Misc" is a
// comment, a processing instruction or a CDATA section.

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

// isRow reports whether b begins with a row.
func isRow(b []byte) bool {
	return len(b) > 4 && string(b[:4]) == "<row" && (isSpace(b[4]) || b[4] == '/' || b[4] == '>')
}

// isEndTag reports whether b begins with the end tag of the element name.
func isEndTag(b []byte, name string) bool {
	n := len("</") + len(name)
	if len(b) <= n || b[0] != '<' || b[1] != '/' || string(b[2:n]) != name {
		return false
	}
	b = bytes.TrimLeft(b[n:], " \t\r\n")
	return len(b) > 0 && b[0] == '>'
}

// isMisc reports whether misc begins at b[i]. It must follow another tag directly:
// elsewhere it is the text of a row whose "<" are not escaped.
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

// miscLength returns the length of the misc that b begins with; complete is false
// if its end is not in b.
func miscLength(b []byte) (n int, complete bool) {
	open, end := miscMarks(b)
	i := bytes.Index(b[len(open):], []byte(end))
	return len(open) + i + len(end), i >= 0
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

// skipMisc returns b without the white space and misc that it begins with.
func skipMisc(b []byte) []byte {
	for {
		b = bytes.TrimLeft(b, " \t\r\n")
		if !isMisc(b, 0) {
			return b
		}
		n, complete := miscLength(b)
		if !complete {
			return b
		}
		b = b[n:]
	}
}

// isHTML reports whether b begins an HTML page.
func isHTML(b []byte) bool {
	head := bytes.ToLower(b[:min(len(b), 20)])
	return bytes.HasPrefix(head, []byte("<!doctype html")) || bytes.HasPrefix(head, []byte("<html"))
}

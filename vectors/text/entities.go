package text

import (
	"bytes"

	"golang.org/x/net/html"
)

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

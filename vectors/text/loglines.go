package text

import "bytes"

// logs drops lines of a log: of eight or more that follow each other it keeps the first two, the last, and the first
// four with the mark of an error.
func (n *noise) logs() {
	n.runs(8, isLogLine, func(i, j int) {
		errors := 0
		n.cut(ruleLog, i, j, func(k int) bool {
			if k < i+2 || k == j-1 {
				return true
			}
			if errors < 4 && hasError(n.lines[k]) {
				errors++
				return true
			}
			return false
		})
	})
}

// isLogLine says whether a line begins as those of logs do: with a time and a level within the first 100 bytes, a
// level in brackets or before a colon, Android's level and tag, syslog's date, or an HTTP server's address. A time
// alone is no mark: measurements have one.
func isLogLine(line []byte) bool {
	for len(line) > 0 && (line[0] == ' ' || line[0] == '\t' || line[0] == '[' || line[0] == '<' || line[0] == '(') {
		line = line[1:]
	}
	if len(line) < 8 || !beginsLog[line[0]] {
		return false
	}
	head := line[:min(len(line), 100)]
	switch c := line[0]; {
	case c >= '0' && c <= '9':
		return hasTime(head[:min(len(head), 40)]) && (level(head) || bytes.Contains(head, []byte(" - - ["))) ||
			bytes.Contains(head, []byte(" - - ["))
	case c >= 'A' && c <= 'Z':
		return levelFirst(line) || isSyslog(line) || line[1] == '/' && bytes.IndexByte(head, ':') > 2 && bytes.IndexByte([]byte("VDIWEF"), c) >= 0
	}
	return levelFirst(line)
}

var levels = [][]byte{[]byte("TRACE"), []byte("DEBUG"), []byte("INFO"), []byte("WARN"), []byte("ERROR"), []byte("FATAL"),
	[]byte("NOTICE"), []byte("SEVERE"), []byte("CRITICAL"), []byte("Debug"), []byte("Info"), []byte("Warn"), []byte("Error"),
	[]byte(" V/"), []byte(" D/"), []byte(" I/"), []byte(" W/"), []byte(" E/"), []byte(" V "), []byte(" D "), []byte(" I "),
	[]byte(" W "), []byte(" E "), []byte("[info]"), []byte("[debug]"), []byte("[warn"), []byte("[error]"), []byte("[notice]")}

// beginsLog says with which bytes a line of a log can begin: those of levels, dates and Android's levels.
var beginsLog = func() (t [256]bool) {
	for c := byte('0'); c <= '9'; c++ {
		t[c] = true
	}
	for _, c := range []byte("TDIWEFNSC" + "JFMASOND" + "VDIWEF") {
		t[c] = true
	}
	for _, c := range []byte("tdiwefnsc") {
		t[c] = true
	}
	return t
}()

// level says whether a level stands in the head of a line.
func level(head []byte) bool {
	for _, l := range levels {
		if bytes.Contains(head, l) {
			return true
		}
	}
	return false
}

// levelFirst says whether a line begins with a level that ends in a bracket, a colon or two blanks, or has a time
// behind it. (Prose begins with capitals, too.)
func levelFirst(line []byte) bool {
	for _, l := range levels[:13] {
		if l[0]|0x20 != line[0]|0x20 {
			continue
		}
		if rest, ok := cutPrefixFold(line, l); ok {
			rest = bytes.TrimPrefix(bytes.TrimPrefix(rest, []byte("ING")), []byte("ing"))
			return len(rest) > 1 && (rest[0] == ']' || rest[0] == ':' || rest[0] == ' ' && rest[1] == ' ') ||
				hasTime(rest[:min(len(rest), 30)])
		}
	}
	return false
}

func cutPrefixFold(b, prefix []byte) ([]byte, bool) {
	if len(b) < len(prefix) || !bytes.EqualFold(b[:len(prefix)], prefix) {
		return nil, false
	}
	return b[len(prefix):], true
}

// hasTime says whether "12:34:56" or "12:34." stands in b.
func hasTime(b []byte) bool {
	for i := 0; i+5 <= len(b); i++ {
		if b[i+2] == ':' && digits(b[i:i+2]) && digits(b[i+3:i+5]) {
			return true
		}
	}
	return false
}

func digits(b []byte) bool {
	for _, c := range b {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(b) > 0
}

// isSyslog takes "Jan 12 12:34:56 host program[1]: ...".
func isSyslog(line []byte) bool {
	if len(line) < 16 || line[3] != ' ' || !hasTime(line[6:16]) {
		return false
	}
	return bytes.Contains([]byte("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec "), line[:4])
}

func hasError(line []byte) bool {
	for _, w := range [][]byte{[]byte("rror"), []byte("ERROR"), []byte("FATAL"), []byte("SEVERE"), []byte("xception"), []byte("ailed"), []byte("enied"), []byte("efused"), []byte(" E/")} {
		if bytes.Contains(line, w) {
			return true
		}
	}
	return false
}

package text

import "bytes"

// dropLogs applies ruleLog: of eight or more lines of a log it keeps the first two, the last, and the first four with the
// mark of an error.
func (f *noiseFilter) dropLogs() {
	f.eachRun(8, isLogLine, func(i, j int) {
		errors := 0
		f.drop(ruleLog, i, j, func(k int) bool {
			if k < i+2 || k == j-1 {
				return true
			}
			if errors < 4 && hasError(f.lines[k]) {
				errors++
				return true
			}
			return false
		})
	})
}

// isLogLine reports whether a line begins as lines of logs do: with a time and a level within the first 100 bytes, a level in
// brackets or before a colon, the level and tag of Android, the date of syslog, or the address of an HTTP client. A time
// alone is no mark: measurements have one.
func isLogLine(line []byte) bool {
	for len(line) > 0 && (line[0] == ' ' || line[0] == '\t' || line[0] == '[' || line[0] == '<' || line[0] == '(') {
		line = line[1:]
	}
	if len(line) < 8 || !startsLog[line[0]] {
		return false
	}
	head := line[:min(len(line), 100)]
	switch c := line[0]; {
	case isDigit(c):
		return bytes.Contains(head, []byte(" - - [")) || hasTime(head[:min(len(head), 40)]) && hasLevel(head)
	case c >= 'A' && c <= 'Z':
		return startsWithLevel(line) || isSyslog(line) || line[1] == '/' && bytes.IndexByte(head, ':') > 2 && bytes.IndexByte([]byte("VDIWEF"), c) >= 0
	}
	return startsWithLevel(line)
}

// startsLog marks the bytes with which a line of a log can begin: those of levels, dates and Android's levels. It spares most
// lines the comparisons (BenchmarkCleanDump).
var startsLog = func() (t [256]bool) {
	for _, c := range []byte("0123456789" + "TDIWEFNSC" + "tdiwefnsc" + "JFMASOND" + "VDIWEF") {
		t[c] = true
	}
	return t
}()

// leadingLevels are the levels with which a line can begin, in any case of letters.
var leadingLevels = [][]byte{[]byte("TRACE"), []byte("DEBUG"), []byte("INFO"), []byte("WARN"), []byte("ERROR"), []byte("FATAL"),
	[]byte("NOTICE"), []byte("SEVERE"), []byte("CRITICAL")}

// levels are the marks of levels behind a time.
var levels = append([][]byte{[]byte("Debug"), []byte("Info"), []byte("Warn"), []byte("Error"),
	[]byte(" V/"), []byte(" D/"), []byte(" I/"), []byte(" W/"), []byte(" E/"), []byte(" V "), []byte(" D "), []byte(" I "),
	[]byte(" W "), []byte(" E "), []byte("[info]"), []byte("[debug]"), []byte("[warn"), []byte("[error]"), []byte("[notice]")}, leadingLevels...)

func hasLevel(head []byte) bool {
	for _, l := range levels {
		if bytes.Contains(head, l) {
			return true
		}
	}
	return false
}

// startsWithLevel reports whether a line begins with a level that a bracket, a colon, two blanks or a time follows. (Prose
// begins with capitals, too.)
func startsWithLevel(line []byte) bool {
	for _, l := range leadingLevels {
		if len(line) < len(l) || !bytes.EqualFold(line[:len(l)], l) {
			continue
		}
		rest := bytes.TrimPrefix(bytes.TrimPrefix(line[len(l):], []byte("ING")), []byte("ing"))
		return len(rest) > 1 && (rest[0] == ']' || rest[0] == ':' || rest[0] == ' ' && rest[1] == ' ') ||
			hasTime(rest[:min(len(rest), 30)])
	}
	return false
}

// hasTime reports whether b contains "12:34".
func hasTime(b []byte) bool {
	for i := 0; i+5 <= len(b); i++ {
		if b[i+2] == ':' && areDigits(b[i:i+2]) && areDigits(b[i+3:i+5]) {
			return true
		}
	}
	return false
}

// isSyslog matches "Jan 12 12:34:56 host program[1]: ...".
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

package text

import "bytes"

// classes of bytes
const (
	isDigit = 1 << iota
	isUpper
	isLower
	isHex     // also a digit or letter
	isPlus    // + and /
	isDense   // punctuation that minified code is full of
	isVisible // all of ASCII but blanks and controls

	isBase64 = isDigit | isUpper | isLower | isPlus
)

var classes = func() (t [256]uint8) {
	for c := byte('0'); c <= '9'; c++ {
		t[c] = isDigit | isHex
	}
	for c := byte('a'); c <= 'z'; c++ {
		t[c], t[c-'a'+'A'] = isLower, isUpper
	}
	for c := byte('a'); c <= 'f'; c++ {
		t[c] |= isHex
		t[c-'a'+'A'] |= isHex
	}
	t['+'], t['/'] = isPlus, isPlus
	for _, c := range []byte(";{}(),:=\"'[]") {
		t[c] |= isDense
	}
	for c := byte('!'); c <= '~'; c++ {
		t[c] |= isVisible
	}
	return t
}()

const (
	base64Run = 120 // a run in a line that is longer is cut
	hexRun    = 96
	shortest  = hexRun // lines up to here are never shortened
)

// encoded drops the lines of an encoded file: three or more of at least 60 base64 characters and nothing else.
// Sequences of nucleotides and amino acids are no such lines: they have capitals only.
func (n *noise) encoded() {
	n.runs(3, func(l []byte) bool {
		l = bytes.TrimRight(bytes.TrimSpace(l), "=")
		return len(l) >= 60 && base64Length(l) == len(l) && looksEncoded(l)
	}, func(i, j int) {
		if j < len(n.lines) && len(n.lines[j]) < len(n.lines[i]) && base64Length(bytes.TrimRight(n.lines[j], "=")) == len(bytes.TrimRight(n.lines[j], "=")) {
			j++ // the last, short line
		}
		n.cut(ruleBase64, i+1, j, nil)
	})
}

// base64Length returns how many bytes at the head of b are of base64's alphabet.
func base64Length(b []byte) int {
	for i, c := range b {
		if classes[c]&isBase64 == 0 {
			return i
		}
	}
	return len(b)
}

// looksEncoded says whether a run of base64's alphabet is as mixed as encoded bytes are: capitals, small letters and
// digits each at least a twentieth. Paths, identifiers and sequences are not.
func looksEncoded(b []byte) bool {
	var digits, upper, lower int
	for _, c := range b {
		switch k := classes[c]; {
		case k&isDigit != 0:
			digits++
		case k&isUpper != 0:
			upper++
		case k&isLower != 0:
			lower++
		}
	}
	return 20*min(digits, upper, lower) >= len(b)
}

// hexDumps drops what follows the second line of four or more lines of a hex dump.
func (n *noise) hexDumps() {
	n.runs(4, isHexLine, func(i, j int) { n.cut(ruleHex, i+2, j, nil) })
}

// isHexLine says whether a line holds bytes: at least eight groups of two, four or eight hexadecimal digits, with 0x
// or without, a quarter of them with a letter (so that a matrix of numbers is none), and up to there little else.
func isHexLine(line []byte) bool {
	if len(line) < 8*len("00 ")-1 {
		return false
	}
	groups, letters, other := 0, 0, 0
	for i := 0; i < len(line) && other <= 2; {
		if classes[line[i]]&(isDigit|isUpper|isLower) == 0 {
			i++
			continue
		}
		if line[i] == '0' && i+1 < len(line) && line[i+1] == 'x' {
			i += 2
		}
		every, some := uint8(isHex), uint8(0)
		j := i
		for ; j < len(line); j++ {
			k := classes[line[j]]
			if k&(isDigit|isUpper|isLower) == 0 {
				break
			}
			every, some = every&k, some|k
		}
		if size := j - i; every == 0 || size != 2 && size != 4 && size != 8 {
			other++
		} else {
			groups++
			if some&(isUpper|isLower) != 0 {
				letters++
			}
		}
		i = j
	}
	return groups >= 8 && 4*letters >= groups
}

// shortenCode cuts a long line of code: an encoded run in it, else its end.
func shortenCode(n *noise, line []byte) []byte {
	line = n.shortenRuns(line)
	switch {
	case len(line) > 400 && isMinified(line):
		return n.shorten(ruleMinified, line, 80)
	case len(line) > 1000:
		return n.shorten(ruleLongLine, line, 500)
	}
	return line
}

// isMinified says whether a line of code is packed: under 6 % blanks, over 4 % of the punctuation that programs and
// data are full of.
func isMinified(line []byte) bool {
	blanks, dense := 0, 0
	for _, c := range line {
		if c == ' ' || c == '\t' {
			blanks++
		} else if classes[c]&isDense != 0 {
			dense++
		}
	}
	return 100*blanks < 6*len(line) && 100*dense > 4*len(line)
}

// shortenProse cuts long words of a paragraph's line.
func shortenProse(n *noise, line []byte) []byte {
	line = n.shortenRuns(line)
	const longest = 200 // of ASCII: scripts that are written without spaces have long runs by nature
	e := edit{n: n, line: line, from: len(n.buf)}
	for start, end := runOver(line, 0, longest, isVisible); start >= 0; start, end = runOver(line, end, longest, isVisible) {
		e.cut(ruleLongLine, start+longest/2, end)
	}
	return e.done()
}

// runOver returns the first run of over size bytes of a class that begins at i or behind, or -1. It looks at few
// bytes where there is none: a run of that length cannot hide between two places that are size bytes apart.
func runOver(b []byte, i, size int, class uint8) (start, end int) {
	for i+size < len(b) {
		j := i + size
		for j >= i && classes[b[j]]&class != 0 {
			j--
		}
		if j >= i {
			i = j + 1
			continue
		}
		for j = i + size; j < len(b) && classes[b[j]]&class != 0; {
			j++
		}
		return i, j
	}
	return -1, -1
}

// shortenRuns cuts runs of base64 and of hexadecimal digits in a line.
func (n *noise) shortenRuns(line []byte) []byte {
	e := edit{n: n, line: line, from: len(n.buf)}
	for start, end := runOver(line, 0, hexRun, isBase64); start >= 0; start, end = runOver(line, end, hexRun, isBase64) {
		switch run := line[start:end]; {
		case len(run) > base64Run && looksEncoded(run):
			e.cut(ruleBase64, start+32, end)
		case allHex(run):
			e.cut(ruleHex, start+16, end)
		}
	}
	return e.done()
}

func allHex(b []byte) bool {
	letters := 0
	for _, c := range b {
		if classes[c]&isHex == 0 {
			return false
		}
		if classes[c]&isDigit == 0 {
			letters++
		}
	}
	return 10*letters > len(b) && letters < len(b)
}

// shorten drops the end of a line.
func (n *noise) shorten(rule string, line []byte, size int) []byte {
	e := edit{n: n, line: line, from: len(n.buf)}
	e.cut(rule, upTo(line, size), len(line))
	return e.done()
}

// edit is a line from which parts are cut, from its head to its end. It is built at the end of the noise's buffer.
type edit struct {
	n    *noise
	line []byte
	from int // where it begins in the buffer
	next int // how much of the line has been taken
}

// cut puts "..." for what is between i and j.
func (e *edit) cut(rule string, i, j int) {
	e.n.drop(rule, e.line[i:j])
	e.n.buf = append(append(e.n.buf, e.line[e.next:i]...), elision...)
	e.next = j
}

// done returns the line that is left.
func (e *edit) done() []byte {
	if e.next == 0 {
		return e.line
	}
	e.n.buf = append(e.n.buf, e.line[e.next:]...)
	return e.n.buf[e.from:len(e.n.buf):len(e.n.buf)]
}

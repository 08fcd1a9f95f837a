package text

import "unicode/utf8"

// Lengths of runs in a line, in bytes; longer ones are cut.
const (
	base64Run = 120
	hexRun    = 96

	shortLine = hexRun // lines up to this length are never shortened
)

// shortenCode shortens a line of code: the encoded runs in it, then its end.
func (f *noiseFilter) shortenCode(line []byte) []byte {
	line = f.shortenRuns(line)
	switch {
	case len(line) > 400 && isMinified(line):
		return f.shortenEnd(ruleMinified, line, 80)
	case len(line) > 1000:
		return f.shortenEnd(ruleLongLine, line, 500)
	}
	return line
}

// isMinified reports whether a line of code is dense: under 6 % blanks, over 4 % of the punctuation that programs and data
// are full of.
func isMinified(line []byte) bool {
	blanks, dense := 0, 0
	for _, c := range line {
		if c == ' ' || c == '\t' {
			blanks++
		} else if byteClasses[c]&classDense != 0 {
			dense++
		}
	}
	return 100*blanks < 6*len(line) && 100*dense > 4*len(line)
}

// shortenProse shortens the encoded runs and the long words in a line of a paragraph. Only words of ASCII are long: scripts
// without spaces have long runs by nature.
func (f *noiseFilter) shortenProse(line []byte) []byte {
	line = f.shortenRuns(line)
	const longest = 200
	e := newLineEditor(f, line)
	for start, end := indexRun(line, 0, longest, classVisible); start >= 0; start, end = indexRun(line, end, longest, classVisible) {
		e.cut(ruleLongLine, start+longest/2, end)
	}
	return e.result()
}

// shortenRuns shortens runs of base64 and of hexadecimal digits in a line.
func (f *noiseFilter) shortenRuns(line []byte) []byte {
	e := newLineEditor(f, line)
	for start, end := indexRun(line, 0, hexRun, classBase64); start >= 0; start, end = indexRun(line, end, hexRun, classBase64) {
		switch run := line[start:end]; {
		case len(run) > base64Run && looksEncoded(run):
			e.cut(ruleBase64, start+32, end)
		case isHexRun(run):
			e.cut(ruleHex, start+16, end)
		}
	}
	return e.result()
}

// isHexRun reports whether a run is of hexadecimal digits, of which over a tenth, but not all, are letters.
func isHexRun(b []byte) bool {
	letters := 0
	for _, c := range b {
		if byteClasses[c]&classHex == 0 {
			return false
		}
		if byteClasses[c]&classDigit == 0 {
			letters++
		}
	}
	return 10*letters > len(b) && letters < len(b)
}

// shortenEnd drops the end of a line after at most size bytes, at the end of a character.
func (f *noiseFilter) shortenEnd(rule string, line []byte, size int) []byte {
	for size > 0 && !utf8.RuneStart(line[size]) {
		size--
	}
	e := newLineEditor(f, line)
	e.cut(rule, size, len(line))
	return e.result()
}

// indexRun returns the first run of over size bytes of a class that begins at i or behind; start is -1 where there is none.
// It reads one byte in size where the line has no such run, which cannot lie between two bytes of other classes that are
// size bytes apart (BenchmarkCleanDump).
func indexRun(b []byte, i, size int, class uint8) (start, end int) {
	for i+size < len(b) {
		j := i + size
		for j >= i && byteClasses[b[j]]&class != 0 {
			j--
		}
		if j >= i {
			i = j + 1
			continue
		}
		for j = i + size; j < len(b) && byteClasses[b[j]]&class != 0; {
			j++
		}
		return i, j
	}
	return -1, -1
}

// lineEditor cuts parts out of a line, from its head to its end. It appends the result to the filter's buffer.
type lineEditor struct {
	filter *noiseFilter
	line   []byte
	from   int // start of the result in the buffer
	next   int // start of the part of the line that is not copied yet
}

func newLineEditor(f *noiseFilter, line []byte) lineEditor {
	return lineEditor{filter: f, line: line, from: len(f.buf)}
}

// cut replaces the bytes from i to j with "...".
func (e *lineEditor) cut(rule string, i, j int) {
	e.filter.record(rule, e.line[i:j])
	e.filter.buf = append(append(e.filter.buf, e.line[e.next:i]...), ellipsis...)
	e.next = j
}

// result returns the line without the parts that were cut.
func (e *lineEditor) result() []byte {
	if e.next == 0 {
		return e.line
	}
	e.filter.buf = append(e.filter.buf, e.line[e.next:]...)
	return e.filter.buf[e.from:len(e.filter.buf):len(e.filter.buf)]
}

package text

import "unicode/utf8"

// shortLine is the length, in bytes, up to which lines are never shortened.
const shortLine = hexRun

// shortenCode shortens a line of code: the encoded runs in it, then the end of a line that is still long. It keeps 80 bytes
// of a minified line of over 400, and 500 bytes of any other of over 1,000.
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

// shortenProse shortens the encoded runs in a line of a paragraph, and its words of over 200 bytes, of which it keeps half.
// Only words of ASCII are shortened: scripts without spaces have long runs by nature.
func (f *noiseFilter) shortenProse(line []byte) []byte {
	line = f.shortenRuns(line)
	const longest = 200
	e := newLineEditor(f, line)
	for start, end := indexRun(line, 0, longest, classVisible); start >= 0; start, end = indexRun(line, end, longest, classVisible) {
		e.cut(ruleLongLine, start+longest/2, end)
	}
	return e.result()
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

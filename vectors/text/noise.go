package text

import "bytes"

// The names of the rules that drop text. "..." replaces dropped lines, and the dropped part of a line.
const (
	ruleTrace       = "stack-trace"
	ruleHex         = "hex-dump"
	ruleBase64      = "base64"
	ruleRepeated    = "repeated"
	ruleLog         = "log"
	ruleMinified    = "minified"
	ruleLongLine    = "long-line"
	rulePlaceholder = "placeholder"
)

// noiseRules are the rules and what each drops, in the order of their application.
var noiseRules = []struct{ name, drops string }{
	{ruleTrace, "frames of stack traces but the first of the asker's own"},
	{ruleHex, "lines of a hex dump after the second"},
	{ruleBase64, "encoded files after the first line"},
	{ruleRepeated, "a line that occurs four times or more in a row, after the first"},
	{ruleLog, "lines of a log but the first two, the last and a few with errors"},
	{ruleMinified, "the rest of a dense line of code"},
	{ruleLongLine, "the rest of a very long line or word"},
	{rulePlaceholder, "the editor's own description of an image"},
}

// NoiseRules returns the names of all rules, in the order of their application.
func NoiseRules() []string {
	names := make([]string, len(noiseRules))
	for i, r := range noiseRules {
		names[i] = r.name
	}
	return names
}

// NoiseRuleMeaning returns what a rule drops, in words for people; "" for an unknown rule.
func NoiseRuleMeaning(rule string) string {
	for _, r := range noiseRules {
		if r.name == rule {
			return r.drops
		}
	}
	return ""
}

// Drop is a piece of text that a rule dropped.
type Drop struct {
	Rule string // one of NoiseRules
	Text string
}

var ellipsis = []byte("...")

// noiseFilter applies the rules to the lines of a block.
type noiseFilter struct {
	drops []Drop // of this post

	lines   [][]byte // of this block
	gone    []bool   // of each line: a rule has dropped it
	rustEnd int      // where the Rust backtrace ends whose heading is above the current line
	buf     []byte   // of lines that were shortened
	out     [][]byte // the lines that stay
}

// record stores dropped text.
func (f *noiseFilter) record(rule string, text []byte) {
	f.drops = append(f.drops, Drop{rule, string(text)})
}

// prose returns the lines of a paragraph without noise. Soft breaks end its lines if a rule then drops some of them, and
// are blanks otherwise. The result is valid until the next call.
func (f *noiseFilter) prose(b []byte) [][]byte {
	if bytes.Count(b, []byte{softBreak})+bytes.Count(b, []byte{'\n'}) >= 3 {
		f.split(b, "\n\v")
		if f.dropLines() {
			return f.keptLines(f.shortenProse)
		}
	}
	f.split(b, "\n")
	return f.keptLines(f.shortenProse)
}

// code returns the lines of a code block without noise, blank lines at its ends and trailing white space. The result is
// valid until the next call.
func (f *noiseFilter) code(b []byte) [][]byte {
	f.split(tidyCode(b), "\n")
	f.dropLines()
	return f.keptLines(f.shortenCode)
}

// split cuts a block into lines at the bytes of ends. It trims white space at the ends of lines, and keeps one of several
// blank lines.
func (f *noiseFilter) split(b []byte, ends string) {
	f.lines, f.gone = f.lines[:0], f.gone[:0]
	for len(b) > 0 {
		line := b
		if i := bytes.IndexAny(b, ends); i < 0 {
			b = nil
		} else {
			line, b = b[:i], b[i+1:]
		}
		for len(line) > 0 && (line[len(line)-1] == ' ' || line[len(line)-1] == '\t' || line[len(line)-1] == '\r') {
			line = line[:len(line)-1]
		}
		if last := len(f.lines) - 1; len(line) == 0 && (last < 0 || len(f.lines[last]) == 0) {
			continue
		}
		f.lines = append(f.lines, line)
	}
	if last := len(f.lines) - 1; last >= 0 && len(f.lines[last]) == 0 {
		f.lines = f.lines[:last]
	}
	for range f.lines {
		f.gone = append(f.gone, false)
	}
}

// dropLines applies the rules that drop whole lines, and returns whether any did.
func (f *noiseFilter) dropLines() bool {
	if len(f.lines) < 4 {
		return false
	}
	before := len(f.drops)
	f.dropTraces()
	f.dropHexDumps()
	f.dropEncodedFiles()
	f.dropRepeated()
	f.dropLogs()
	return len(f.drops) > before
}

// drop drops the lines from i to j that are not gone, except those for which keep returns true. A nil keep keeps none.
func (f *noiseFilter) drop(rule string, i, j int, keep func(line int) bool) {
	var text []byte
	for k := i; k < j; k++ {
		if f.gone[k] || keep != nil && keep(k) {
			continue
		}
		f.gone[k] = true
		if len(text) > 0 {
			text = append(text, '\n')
		}
		text = append(text, f.lines[k]...)
	}
	if text != nil {
		f.record(rule, text)
	}
}

// eachRun calls use for each longest run of at least least lines that match and are not gone.
func (f *noiseFilter) eachRun(least int, matches func(line []byte) bool, use func(i, j int)) {
	for i := 0; i < len(f.lines); i++ {
		j := i
		for j < len(f.lines) && !f.gone[j] && matches(f.lines[j]) {
			j++
		}
		if j-i >= least {
			use(i, j)
		}
		i = max(i, j-1)
	}
}

// dropRepeated applies ruleRepeated to a line that occurs four times or more in a row: the first one stays.
func (f *noiseFilter) dropRepeated() {
	for i := 0; i < len(f.lines); {
		j := i + 1
		for j < len(f.lines) && !f.gone[j] && bytes.Equal(f.lines[i], f.lines[j]) {
			j++
		}
		if j-i >= 4 && !f.gone[i] {
			f.drop(ruleRepeated, i+1, j, nil)
		}
		i = j
	}
}

// keptLines returns the lines that are not gone, the long ones shortened, and an ellipsis for each gap.
func (f *noiseFilter) keptLines(shorten func(line []byte) []byte) [][]byte {
	f.buf, f.out = f.buf[:0], f.out[:0]
	for i, line := range f.lines {
		switch {
		case !f.gone[i]:
			if len(line) > shortLine {
				line = shorten(line)
			}
			f.out = append(f.out, line)
		case i == 0 || !f.gone[i-1]:
			f.out = append(f.out, ellipsis)
		}
	}
	return f.out
}

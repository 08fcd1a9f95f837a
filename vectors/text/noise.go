package text

import (
	"bytes"
	"unicode/utf8"
)

// The rules by which text is dropped, as Counts and Drops name them. Where lines are dropped a line "..." stands
// for them, where the end of a line is, "..." ends it.
const (
	ruleTrace       = "stack-trace" // frames of a trace but the first of the asker's own: see trace.go
	ruleHex         = "hex-dump"    // lines of a hex dump after the second; a run of over 96 digits after the 16th
	ruleBase64      = "base64"      // lines of an encoded file after the first; a run of over 120 characters after the 32nd
	ruleRepeated    = "repeated"    // a line that stands four times or more, after the first
	ruleLog         = "log"         // lines of a log but the first two, the last and a few with errors: see logs.go
	ruleMinified    = "minified"    // a dense line of code of over 400 bytes after the 80th
	ruleLongLine    = "long-line"   // any line of code of over 1,000 bytes after the 500th, a word of over 200 after the 100th
	rulePlaceholder = "placeholder" // the alternative text of an image that the editor put in
)

// NoiseRules names all rules, in the order they are tried.
func NoiseRules() []string {
	return []string{ruleTrace, ruleHex, ruleBase64, ruleRepeated, ruleLog, ruleMinified, ruleLongLine, rulePlaceholder}
}

var elision = []byte("...")

// noise applies the rules to the lines of a block.
type noise struct {
	counts map[string]int64
	drops  []Drop

	buf   []byte   // lines that were shortened
	lines [][]byte // of this block
	gone  []bool   // by line
	rust  int      // up to this line a number and a path are a frame of Rust
	out   [][]byte
}

func (n *noise) drop(rule string, text []byte) {
	if n.counts == nil {
		n.counts = make(map[string]int64)
	}
	n.counts[rule]++
	n.drops = append(n.drops, Drop{rule, string(text)})
}

// prose returns the lines of a paragraph, less noise. Its soft breaks count as line ends only for the rules, and
// only where they found something.
func (n *noise) prose(b []byte) [][]byte {
	n.start()
	if bytes.Count(b, []byte{softBreak})+bytes.Count(b, []byte{'\n'}) >= 3 {
		n.split(b, true)
		if n.blocks() {
			n.keep(shortenProse)
			return n.out
		}
	}
	n.split(b, false)
	n.keep(shortenProse)
	return n.out
}

// code returns the lines of a code block, less noise, blank lines at its ends and trailing white space.
func (n *noise) code(b []byte) [][]byte {
	n.start()
	n.split(tidy(b), false)
	n.blocks()
	n.keep(shortenCode)
	return n.out
}

func (n *noise) start() {
	n.buf, n.out = n.buf[:0], n.out[:0]
}

// split cuts a block into lines. Of blank lines that follow each other one is kept.
func (n *noise) split(b []byte, soft bool) {
	n.lines, n.gone = n.lines[:0], n.gone[:0]
	for len(b) > 0 {
		var i int
		if soft {
			i = bytes.IndexAny(b, "\n\v")
		} else {
			i = bytes.IndexByte(b, '\n')
		}
		line := b
		if i < 0 {
			b = nil
		} else {
			line, b = b[:i], b[i+1:]
		}
		for len(line) > 0 && (line[len(line)-1] == ' ' || line[len(line)-1] == '\t' || line[len(line)-1] == '\r') {
			line = line[:len(line)-1]
		}
		if last := len(n.lines) - 1; len(line) == 0 && (last < 0 || len(n.lines[last]) == 0) {
			continue
		}
		n.lines = append(n.lines, line)
	}
	if last := len(n.lines) - 1; last >= 0 && len(n.lines[last]) == 0 {
		n.lines = n.lines[:last]
	}
	for range n.lines {
		n.gone = append(n.gone, false)
	}
}

// blocks applies the rules that drop whole lines, and says whether any did.
func (n *noise) blocks() bool {
	if len(n.lines) < 4 {
		return false
	}
	before := len(n.drops)
	n.traces()
	n.hexDumps()
	n.encoded()
	n.repeated()
	n.logs()
	return len(n.drops) > before
}

// cut drops the lines from i to j that no rule before has dropped, except those that keep asks for.
func (n *noise) cut(rule string, i, j int, keep func(line int) bool) {
	var text []byte
	for k := i; k < j; k++ {
		if n.gone[k] || keep != nil && keep(k) {
			continue
		}
		n.gone[k] = true
		if len(text) > 0 {
			text = append(text, '\n')
		}
		text = append(text, n.lines[k]...)
	}
	if text != nil {
		n.drop(rule, text)
	}
}

// runs calls f for each longest run of at least least lines that is takes and no rule has dropped.
func (n *noise) runs(least int, is func(line []byte) bool, f func(i, j int)) {
	for i := 0; i < len(n.lines); i++ {
		j := i
		for j < len(n.lines) && !n.gone[j] && is(n.lines[j]) {
			j++
		}
		if j-i >= least {
			f(i, j)
		}
		i = max(i, j-1)
	}
}

// repeated applies the rule of its name.
func (n *noise) repeated() {
	for i := 0; i < len(n.lines); {
		j := i + 1
		for j < len(n.lines) && !n.gone[j] && bytes.Equal(n.lines[i], n.lines[j]) {
			j++
		}
		if j-i >= 4 && !n.gone[i] {
			n.cut(ruleRepeated, i+1, j, nil)
		}
		i = j
	}
}

// keep collects the lines that are left, each shortened where it has to be.
func (n *noise) keep(shorten func(n *noise, line []byte) []byte) {
	for i, line := range n.lines {
		switch {
		case !n.gone[i]:
			if len(line) > shortest {
				line = shorten(n, line)
			}
			n.out = append(n.out, line)
		case i == 0 || !n.gone[i-1]:
			n.out = append(n.out, elision)
		}
	}
}

// upTo returns where to cut b so that at most size bytes stay, at the end of a character.
func upTo(b []byte, size int) int {
	for size > 0 && !utf8.RuneStart(b[size]) {
		size--
	}
	return size
}

// tidy takes control and invisible characters out of code, in place; white space stays as it is.
func tidy(b []byte) []byte {
	n := plainCode(b)
	if n == len(b) {
		return b
	}
	out := b[:n]
	for b = b[n:]; len(b) > 0; b = b[n:] {
		kind, size := special(b)
		switch {
		case b[0] == '\r' && len(b) > 1 && b[1] == '\n':
		case kind == lineEnd || b[0] == '\r':
			out = append(out, '\n')
		case kind == blank:
			out = append(out, ' ')
		}
		b = b[size:]
		n = plainCode(b)
		out = append(out, b[:n]...)
	}
	return out
}

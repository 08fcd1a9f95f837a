package text

import (
	"bytes"
)

// softBreak stands in a paragraph for white space with a line feed: shown as a space, but where a stack trace or
// a log was not marked as code it is where its lines end. No text has it, control characters are dropped.
const softBreak = '\v'

// inline collects the text of one paragraph, with white space collapsed.
type inline struct {
	b       []byte
	pending byte // white space owed before the next text: 0, ' ' or softBreak
	code    int  // where inline code began, 0 where there is none, else plus 1
	coded   int  // where the code ended that the paragraph begins with
	sup     bool // the next text is a superscript
	link    int  // where a link's text began, plus 1; 0 where there is none
	href    string
	strike  int // where a text that is struck out began; 0 where there is none
}

// take returns the paragraph and begins the next one. What it returns is valid until text is added.
func (p *inline) take() []byte {
	b := bytes.TrimRight(p.b, " \n\v")
	*p = inline{b: p.b[:0]}
	return b
}

// text adds text of the HTML.
func (p *inline) text(b []byte) {
	for len(b) > 0 {
		n := plainText(b)
		if n > 0 {
			p.owed()
			if p.sup {
				p.superscript(b[:n])
			} else {
				p.b = append(p.b, b[:n]...)
			}
			p.sup = false
			b = b[n:]
			continue
		}
		kind, size := special(b)
		switch kind {
		case blank:
			if p.pending == 0 {
				p.pending = ' '
			}
		case lineEnd:
			p.pending = softBreak
		}
		b = b[size:]
	}
}

// raw adds markup of the clean text.
func (p *inline) raw(s string) {
	p.pending = 0
	p.b = append(p.b, s...)
}

func (p *inline) space() {
	if p.pending == 0 {
		p.pending = ' '
	}
}

func (p *inline) lineBreak() {
	p.pending = 0
	if len(p.b) > 0 && p.code == 0 {
		p.b = append(bytes.TrimRight(p.b, " \v"), '\n')
	} else {
		p.space()
	}
}

// owed writes the white space before a text, but not at the beginning of a line.
func (p *inline) owed() {
	if n := len(p.b); p.pending != 0 && n > 0 && p.b[n-1] != '\n' && p.b[n-1] != ' ' && p.code != n && p.strike != n {
		if p.code != 0 {
			p.pending = ' '
		}
		p.b = append(p.b, p.pending)
	}
	p.pending = 0
}

// inWord says whether the last character is of a word.
func (p *inline) inWord() bool {
	n := len(p.b)
	return n > 0 && (isLetterOrDigit(p.b[n-1]) || p.b[n-1] == ')')
}

func isLetterOrDigit(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80
}

// superscript adds a text that is set higher: a number as an exponent, "10^6", "m^2", "(a+b)^2"; but where it is the mark
// of a footnote, behind a longer word, the end of a clause or at the head of a line, "word[1]", "clause,[2]" and "[1] note".
func (p *inline) superscript(b []byte) {
	n := len(p.b)
	short := len(b) <= 2 && digits(b)
	switch {
	case short && (n == 0 || p.b[n-1] == '\n'):
		p.b = append(append(append(p.b, '['), b...), "] "...)
		return
	case short && (n >= 4 && letters(p.b[n-4:]) || endsClause(p.b)):
		p.b = append(append(append(p.b, '['), b...), ']')
		return
	case (b[0] >= '0' && b[0] <= '9' || b[0] == '-' || b[0] == '+') && p.inWord():
		p.b = append(p.b, '^')
	}
	p.b = append(p.b, b...)
}

// endsClause says whether a text ends with a mark of punctuation that an exponent does not stand behind, or with such a
// mark and a quote.
func endsClause(b []byte) bool {
	for _, quote := range []string{`"`, "'", "\u201D", "\u2019"} {
		b = bytes.TrimSuffix(b, []byte(quote))
	}
	n := len(b)
	return n > 1 && bytes.IndexByte([]byte(".,:;!?"), b[n-1]) >= 0
}

func letters(b []byte) bool {
	for _, c := range b {
		if c|0x20 < 'a' || c|0x20 > 'z' {
			return false
		}
	}
	return true
}

// startStrike begins a text that its author has struck out: it says what no longer holds, so that is marked.
func (p *inline) startStrike() {
	if p.strike == 0 && p.code == 0 {
		p.owed()
		p.b = append(p.b, "~~"...)
		p.strike = len(p.b)
	}
}

func (p *inline) endStrike() {
	switch at := p.strike; {
	case at == 0 || p.code != 0:
		return
	case at == len(p.b):
		p.b = p.b[:at-2]
	default:
		p.b = append(p.b, "~~"...)
	}
	p.strike = 0
}

// close ends what has been left open.
func (p *inline) close() {
	p.endCode()
	p.endLink()
	p.endStrike()
}

// startLink begins a link whose address is kept.
func (p *inline) startLink(href string) {
	p.endLink()
	if href == "" || p.code != 0 {
		return
	}
	p.owed()
	p.link, p.href = len(p.b)+1, href
}

// endLink puts the address behind the link's text, unless there is no text or it is the address.
func (p *inline) endLink() {
	if p.link == 0 {
		return
	}
	at := p.link - 1
	p.link = 0
	if p.code != 0 || at >= len(p.b) || string(p.b[at:]) == p.href {
		return
	}
	p.b = append(p.b, ' ')
	copy(p.b[at+1:], p.b[at:])
	p.b[at] = '['
	p.b = append(append(append(p.b, "]("...), p.href...), ')')
}

// startCode begins inline code, and says whether the paragraph begins with it.
func (p *inline) startCode() (first bool) {
	if p.code != 0 {
		return false
	}
	p.owed()
	p.b = append(p.b, '`')
	p.code = len(p.b)
	return p.inFirstCode()
}

// endCode closes inline code: two backticks around what has one, and nothing around nothing.
func (p *inline) endCode() {
	if p.code == 0 {
		return
	}
	first := p.inFirstCode()
	switch code := p.b[p.code:]; {
	case len(code) == 0:
		p.b = p.b[:p.code-1]
	case bytes.IndexByte(code, '`') >= 0:
		n := len(p.b)
		p.b = append(p.b, "     "...)
		copy(p.b[p.code+2:], p.b[p.code:n])
		copy(p.b[p.code:], "` ")
		copy(p.b[n+2:], " ``")
	default:
		p.b = append(p.b, '`')
	}
	p.code = 0
	if first {
		p.coded = len(p.b)
	}
}

// inFirstCode says whether what comes is of the code that the paragraph begins with.
func (p *inline) inFirstCode() bool { return p.code == 1 }

// isCode says whether the paragraph is nothing but code.
func (p *inline) isCode() bool { return p.coded > 0 && p.coded == len(bytes.TrimRight(p.b, " \n\v")) }

// maths tidies the formulas of a paragraph, which stand between dollars as MathJax has them, in place: it takes out
// their colours, which say nothing ("\color{red}x" is x), and lets a formula between two dollars that is written in
// several lines keep them. Inline code has no formulas, and dollars of other kinds have no such commands.
func maths(b []byte) []byte {
	if bytes.IndexByte(b, '\\') < 0 || bytes.IndexByte(b, '$') < 0 {
		return b
	}
	out := b[:0]
	for len(b) > 0 {
		i := bytes.IndexAny(b, "`$")
		if i < 0 {
			return append(out, b...)
		}
		mark := 1 // so many of the character open, and close
		for i+mark < len(b) && b[i+mark] == b[i] {
			mark++
		}
		n := bytes.Index(b[i+mark:], b[i:i+mark])
		if n < 0 || b[i] == '$' && (mark > 2 || bytes.IndexByte(b[i+mark:i+mark+n], '`') >= 0) {
			out, b = append(out, b[:i+mark]...), b[i+mark:]
			continue
		}
		out = append(out, b[:i+mark]...)
		inner := b[i+mark : i+mark+n]
		if b[i] == '`' {
			out = append(out, inner...)
			b = b[i+mark+n:]
			out, b = append(out, b[:mark]...), b[mark:]
			continue
		}
		if mark == 2 && bytes.IndexByte(inner, '\\') >= 0 {
			for k, c := range inner {
				if c == softBreak {
					inner[k] = '\n'
				}
			}
		}
		out = uncoloured(out, inner)
		if mark == 1 { // what closed may as well open: a lone dollar before it was none of a formula
			b = b[i+mark+n:]
			if bytes.IndexByte(inner, '\\') >= 0 {
				out, b = append(out, '$'), b[1:]
			}
			continue
		}
		out, b = append(out, "$$"...), b[i+2*mark+n:]
	}
	return out
}

// uncoloured appends a formula less the commands that colour it.
func uncoloured(out, formula []byte) []byte {
	for {
		i, end := colour(formula)
		if i < 0 {
			return append(out, formula...)
		}
		out = append(out, formula[:i]...)
		formula = formula[end:]
		// a command and a letter behind it were parted by what is gone
		if len(formula) > 0 && letters(formula[:1]) && endsInCommand(out) {
			out = append(out, ' ')
		}
	}
}

// colour finds the first "\color{name}", "\textcolor{name}" or the like, or returns -1.
func colour(b []byte) (start, end int) {
	for from := 0; ; {
		i := bytes.Index(b[from:], []byte("color"))
		if i < 0 {
			return -1, 0
		}
		i += from
		from = i + len("color")
		start := i - 1
		if bytes.HasSuffix(b[:i], []byte(`\text`)) {
			start = i - len(`\text`)
		}
		if start < 0 || b[start] != '\\' {
			continue
		}
		rest := bytes.TrimLeft(b[from:], " ")
		if len(rest) > 0 && rest[0] == '[' {
			rest = rest[bytes.IndexByte(rest, ']')+1:]
		}
		if n := bytes.IndexByte(rest, '}'); n > 0 && rest[0] == '{' {
			return start, len(b) - len(rest) + n + 1
		}
	}
}

// endsInCommand says whether a formula ends with a command of letters: "\alpha".
func endsInCommand(b []byte) bool {
	i := len(b)
	for i > 0 && letters(b[i-1:i]) {
		i--
	}
	return i < len(b) && i > 0 && b[i-1] == '\\'
}

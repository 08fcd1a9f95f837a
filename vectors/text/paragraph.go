package text

import "bytes"

// softBreak replaces white space with a line feed in a paragraph. A blockWriter writes it as a space. It ends a line only in a
// stack trace, a log or the like that is not marked as code. No text contains it, because control characters are dropped.
const softBreak = '\v'

// paragraph collects the inline text of a block, with collapsed white space.
type paragraph struct {
	out         []byte
	pending     byte // white space before the next text: 0, ' ' or softBreak
	codeStart   int  // start of the open inline code, behind its backtick; 0: none is open
	firstCode   int  // end of the inline code at the head of the paragraph; 0: there is none
	superscript bool // the next text is one
	linkStart   int  // start of the open link's text, plus 1; 0: none is open
	href        string
	strikeStart int // start of the open struck-out text, behind its mark; 0: none is open
}

// take returns the paragraph, and begins the next one. The result is valid until text is added.
func (p *paragraph) take() []byte {
	b := bytes.TrimRight(p.out, " \n\v")
	*p = paragraph{out: p.out[:0]}
	return b
}

// text adds text of the HTML.
func (p *paragraph) text(b []byte) {
	for len(b) > 0 {
		n := plainText(b)
		if n > 0 {
			p.writePending()
			if p.superscript {
				p.writeSuperscript(b[:n])
			} else {
				p.out = append(p.out, b[:n]...)
			}
			p.superscript = false
			b = b[n:]
			continue
		}
		kind, size := special(b)
		switch kind {
		case blank:
			p.space()
		case lineEnd:
			p.pending = softBreak
		}
		b = b[size:]
	}
}

// markup adds marks of the clean text.
func (p *paragraph) markup(s string) {
	p.pending = 0
	p.out = append(p.out, s...)
}

func (p *paragraph) space() {
	if p.pending == 0 {
		p.pending = ' '
	}
}

func (p *paragraph) lineBreak() {
	p.pending = 0
	if len(p.out) > 0 && p.codeStart == 0 {
		p.out = append(bytes.TrimRight(p.out, " \v"), '\n')
	} else {
		p.space()
	}
}

// writePending writes the white space before a text, except at the beginning of a line, of code and of struck-out text.
func (p *paragraph) writePending() {
	if n := len(p.out); p.pending != 0 && n > 0 && p.out[n-1] != '\n' && p.out[n-1] != ' ' && p.codeStart != n && p.strikeStart != n {
		if p.codeStart != 0 {
			p.pending = ' '
		}
		p.out = append(p.out, p.pending)
	}
	p.pending = 0
}

// writeSuperscript writes a superscript. One or two digits are the mark of a footnote at the beginning of a line, behind a
// word of four letters or more and behind a clause: "[1] note", "word[1]", "clause,[2]". Any other number behind a term is an
// exponent: "10^6", "m^2", "(a+b)^2". Other texts have no mark.
func (p *paragraph) writeSuperscript(b []byte) {
	n := len(p.out)
	short := len(b) <= 2 && areDigits(b)
	switch {
	case short && (n == 0 || p.out[n-1] == '\n'):
		p.out = append(append(append(p.out, '['), b...), "] "...)
		return
	case short && (n >= 4 && areLetters(p.out[n-4:]) || endsClause(p.out)):
		p.out = append(append(append(p.out, '['), b...), ']')
		return
	case (isDigit(b[0]) || b[0] == '-' || b[0] == '+') && n > 0 && (isAlnum(p.out[n-1]) || p.out[n-1] >= 0x80 || p.out[n-1] == ')'):
		p.out = append(p.out, '^')
	}
	p.out = append(p.out, b...)
}

// endsClause reports whether a text ends with punctuation that no exponent follows, or with such punctuation and a quote.
func endsClause(b []byte) bool {
	for _, quote := range []string{`"`, "'", "\u201D", "\u2019"} {
		b = bytes.TrimSuffix(b, []byte(quote))
	}
	n := len(b)
	return n > 1 && bytes.IndexByte([]byte(".,:;!?"), b[n-1]) >= 0
}

// startStrike begins struck-out text, which is marked because it no longer holds.
func (p *paragraph) startStrike() {
	if p.strikeStart == 0 && p.codeStart == 0 {
		p.writePending()
		p.out = append(p.out, "~~"...)
		p.strikeStart = len(p.out)
	}
}

func (p *paragraph) endStrike() {
	switch at := p.strikeStart; {
	case at == 0 || p.codeStart != 0:
		return
	case at == len(p.out):
		p.out = p.out[:at-2]
	default:
		p.out = append(p.out, "~~"...)
	}
	p.strikeStart = 0
}

// startLink begins a link whose address is kept.
func (p *paragraph) startLink(href string) {
	p.endLink()
	if href == "" || p.codeStart != 0 {
		return
	}
	p.writePending()
	p.linkStart, p.href = len(p.out)+1, href
}

// endLink writes the address behind the link's text, unless there is no text or the text is the address.
func (p *paragraph) endLink() {
	if p.linkStart == 0 {
		return
	}
	at := p.linkStart - 1
	p.linkStart = 0
	if p.codeStart != 0 || at >= len(p.out) || string(p.out[at:]) == p.href {
		return
	}
	p.out = append(p.out, ' ')
	copy(p.out[at+1:], p.out[at:])
	p.out[at] = '['
	p.out = append(append(append(p.out, "]("...), p.href...), ')')
}

// startCode begins inline code. It returns whether the paragraph begins with this code.
func (p *paragraph) startCode() (first bool) {
	if p.codeStart != 0 {
		return false
	}
	p.writePending()
	p.out = append(p.out, '`')
	p.codeStart = len(p.out)
	return p.inFirstCode()
}

// endCode ends inline code. It puts two backticks around code that contains one, and deletes empty code.
func (p *paragraph) endCode() {
	if p.codeStart == 0 {
		return
	}
	first := p.inFirstCode()
	switch code := p.out[p.codeStart:]; {
	case len(code) == 0:
		p.out = p.out[:p.codeStart-1]
	case bytes.IndexByte(code, '`') >= 0:
		n := len(p.out)
		p.out = append(p.out, "     "...)
		copy(p.out[p.codeStart+2:], p.out[p.codeStart:n])
		copy(p.out[p.codeStart:], "` ")
		copy(p.out[n+2:], " ``")
	default:
		p.out = append(p.out, '`')
	}
	p.codeStart = 0
	if first {
		p.firstCode = len(p.out)
	}
}

// inFirstCode reports whether inline code at the head of the paragraph is open.
func (p *paragraph) inFirstCode() bool { return p.codeStart == 1 }

// isCode reports whether the paragraph is nothing but code.
func (p *paragraph) isCode() bool {
	return p.firstCode > 0 && p.firstCode == len(bytes.TrimRight(p.out, " \n\v"))
}

// closeAll ends open code, links and struck-out text.
func (p *paragraph) closeAll() {
	p.endCode()
	p.endLink()
	p.endStrike()
}

// tidyFormulas edits the formulas of a paragraph, which are between dollars as in MathJax, in place: it deletes their
// colours ("\color{red}x" becomes x), and keeps the lines of a formula between two dollars. It edits neither inline code
// nor text between dollars without such commands.
func tidyFormulas(b []byte) []byte {
	if bytes.IndexByte(b, '\\') < 0 || bytes.IndexByte(b, '$') < 0 {
		return b
	}
	out := b[:0]
	for len(b) > 0 {
		i := bytes.IndexAny(b, "`$")
		if i < 0 {
			return append(out, b...)
		}
		mark := 1 // number of the characters that open and close
		for i+mark < len(b) && b[i+mark] == b[i] {
			mark++
		}
		n := bytes.Index(b[i+mark:], b[i:i+mark])
		if n < 0 || b[i] == '$' && (mark > 2 || bytes.IndexByte(b[i+mark:i+mark+n], '`') >= 0) {
			out, b = append(out, b[:i+mark]...), b[i+mark:]
			continue
		}
		if b[i] == '`' {
			out, b = append(out, b[:i+2*mark+n]...), b[i+2*mark+n:]
			continue
		}
		out = append(out, b[:i+mark]...)
		inner := b[i+mark : i+mark+n]
		if mark == 2 && bytes.IndexByte(inner, '\\') >= 0 {
			for k, c := range inner {
				if c == softBreak {
					inner[k] = '\n'
				}
			}
		}
		out = appendUncoloured(out, inner)
		if mark == 1 { // text without a command is no formula, and the second dollar may open one
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

// appendUncoloured appends a formula without the commands that colour it.
func appendUncoloured(out, formula []byte) []byte {
	for {
		i, end := indexColour(formula)
		if i < 0 {
			return append(out, formula...)
		}
		out = append(out, formula[:i]...)
		formula = formula[end:]
		// the deleted command separated a command and a letter
		if len(formula) > 0 && isLetter(formula[0]) && endsInCommand(out) {
			out = append(out, ' ')
		}
	}
}

// indexColour returns the place of the first command such as "\color{name}" or "\textcolor{name}"; start is -1 if there is
// none.
func indexColour(b []byte) (start, end int) {
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

// endsInCommand reports whether a formula ends with a command of letters: "\alpha".
func endsInCommand(b []byte) bool {
	i := len(b)
	for i > 0 && isLetter(b[i-1]) {
		i--
	}
	return i < len(b) && i > 0 && b[i-1] == '\\'
}

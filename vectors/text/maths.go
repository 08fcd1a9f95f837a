package text

import "bytes"

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

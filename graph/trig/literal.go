package trig

// object reads an object.
func (r *Reader) object(t *Term) bool {
	t.Datatype, t.Language = t.Datatype[:0], t.Language[:0] // of the previous object
	c := r.in.space()
	switch {
	case c == '"' || c == '\'':
		return r.quoted(t)
	case c == '<':
		return r.iri(t)
	case c == '_':
		return r.blank(t)
	case classes[c]&isDigit != 0 || c == '+' || c == '-' || c == '.':
		return r.number(t)
	}
	if !r.prefix() {
		return false
	}
	if r.in.peek(0) == ':' {
		return r.local(t)
	}
	if s := string(r.name); s == "true" || s == "false" {
		r.literal(t, append(t.Value[:0], s...), xsdBoolean)
		return true
	}
	return r.fail("expected an object")
}

// literal stores a literal without a language.
func (r *Reader) literal(t *Term, v []byte, datatype string) {
	t.Kind, t.Value, t.Language = Literal, v, t.Language[:0]
	t.Datatype = append(t.Datatype[:0], datatype...)
}

// quoted reads a string in quotes and its language tag or datatype, if any.
func (r *Reader) quoted(t *Term) bool {
	quote := r.in.peek(0)
	long := r.format == TriG && r.in.peek(1) == quote && r.in.peek(2) == quote
	v := t.Value[:0]
	var ok bool
	if long {
		r.in.pos += 3
		v, ok = r.long(v, quote)
	} else {
		r.in.pos++
		v, ok = r.short(v, quote)
	}
	if !ok || !r.valid(v) {
		return false
	}
	r.literal(t, v, xsdString)
	switch r.in.peek(0) {
	case '@':
		return r.language(t)
	case '^':
		return r.datatype(t)
	}
	return true
}

// short reads a string up to a quote on the same line.
func (r *Reader) short(v []byte, quote byte) (_ []byte, ok bool) {
	for {
		v = r.in.text(v, quote)
		switch c := r.in.peek(0); {
		case c == quote:
			r.in.pos++
			return v, true
		case c == '\\':
			if v, ok = r.escape(v); !ok {
				return v, false
			}
		case r.in.pos == r.in.end:
			return v, r.fail("the text ends inside a string")
		default:
			return v, r.fail("a string must end on its line, unless it has three quotes")
		}
	}
}

// long reads a string up to three quotes.
func (r *Reader) long(v []byte, quote byte) (_ []byte, ok bool) {
	for {
		v = r.in.run(v, inLong)
		switch c := r.in.peek(0); {
		case c == '\\':
			if v, ok = r.escape(v); !ok {
				return v, false
			}
		case r.in.pos == r.in.end:
			return v, r.fail("the text ends inside a long string")
		case c == quote && r.in.peek(1) == quote && r.in.peek(2) == quote:
			r.in.pos += 3
			return v, true
		default:
			v = append(v, c)
			r.in.pos++
		}
	}
}

// escape reads an escape in a string.
func (r *Reader) escape(v []byte) (_ []byte, ok bool) {
	c := r.in.peek(1)
	if c == 'u' || c == 'U' {
		return r.unicode(v)
	}
	unescaped := escapes[c]
	if unescaped == 0 {
		return v, r.fail("unknown escape in a string")
	}
	r.in.pos += 2
	return append(v, unescaped), true
}

// escapes holds the character of each byte after a backslash.
var escapes = [256]byte{'n': '\n', 'r': '\r', 't': '\t', '"': '"', '\\': '\\', '\'': '\'', 'b': '\b', 'f': '\f'}

// language reads @tag.
func (r *Reader) language(t *Term) bool {
	r.in.pos++
	t.Language = r.in.run(t.Language[:0], inName)
	if !isLanguage(t.Language) {
		return r.fail("expected a language tag after @, as en or pt-BR")
	}
	t.Datatype = append(t.Datatype[:0], rdfLangString...)
	return true
}

// isLanguage reports whether a tag consists of parts joined by hyphens, the first of
// letters, the others of letters and digits (LANGTAG).
func isLanguage(tag []byte) bool {
	part, first := 0, true
	for _, c := range tag {
		switch {
		case isLetter(c), !first && '0' <= c && c <= '9':
			part++
		case c == '-' && part > 0:
			part, first = 0, false
		default:
			return false
		}
	}
	return part > 0
}

// datatype reads ^^ and an IRI.
func (r *Reader) datatype(t *Term) bool {
	if r.in.peek(1) != '^' {
		return r.fail("expected ^^")
	}
	r.in.pos += 2
	d := Term{Value: t.Datatype}
	ok := r.in.peek(0) == '<' || r.format == TriG || r.fail("expected the IRI of a datatype")
	ok = ok && r.node(&d, "datatype")
	if ok && d.Kind != IRI {
		return r.fail("expected the IRI of a datatype")
	}
	t.Datatype = d.Value
	return ok
}

// number reads an integer, decimal or double. A dot without a digit or exponent after
// it ends the statement.
func (r *Reader) number(t *Term) bool {
	in, v, datatype := &r.in, t.Value[:0], xsdInteger
	if c := in.peek(0); c == '+' || c == '-' {
		v = append(v, c)
		in.pos++
	}
	sign := len(v)
	v = in.run(v, isDigit)
	digits := len(v) > sign
	if in.peek(0) == '.' && (classes[in.peek(1)]&isDigit != 0 || digits && r.exponent(1)) {
		v = append(v, '.')
		in.pos++
		v = in.run(v, isDigit)
		datatype, digits = xsdDecimal, true
	}
	if digits && r.exponent(0) {
		v = append(v, in.peek(0))
		in.pos++
		if c := in.peek(0); c == '+' || c == '-' {
			v = append(v, c)
			in.pos++
		}
		v = in.run(v, isDigit)
		datatype = xsdDouble
	}
	if !digits {
		return r.fail("expected a number")
	}
	r.literal(t, v, datatype)
	return true
}

// exponent reports whether an exponent begins i bytes ahead.
func (r *Reader) exponent(i int) bool {
	if c := r.in.peek(i); c != 'e' && c != 'E' {
		return false
	}
	if c := r.in.peek(i + 1); c == '+' || c == '-' {
		i++
	}
	return classes[r.in.peek(i+1)]&isDigit != 0
}

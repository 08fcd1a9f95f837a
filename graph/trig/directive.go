package trig

import "unicode/utf8"

// directive reads what follows an @: prefix or base, up to and with the dot.
func (r *Reader) directive() bool {
	if !r.prefix() {
		return false
	}
	var ok bool
	switch string(r.name) {
	case "prefix":
		ok = r.definePrefix()
	case "base":
		ok = r.defineBase()
	default:
		return r.fail("expected prefix or base after @")
	}
	if ok && r.in.space() != '.' {
		return r.fail("expected . after a directive")
	}
	r.in.pos++
	return ok
}

// definePrefix reads `name: <iri>`.
func (r *Reader) definePrefix() bool {
	r.in.space()
	if !r.prefix() {
		return false
	}
	if r.in.peek(0) != ':' {
		return r.fail("expected a prefix and :")
	}
	name := string(r.name)
	if name != "" && !isLetter(name[0]) && name[0] < utf8.RuneSelf {
		return r.fail("a prefix must begin with a letter")
	}
	r.in.pos++
	var t Term
	if r.in.space() != '<' {
		return r.fail("expected the IRI of a prefix")
	}
	if !r.iri(&t) {
		return false
	}
	r.prefixes.define(name, t.Value)
	return true
}

// defineBase reads `<iri>`.
func (r *Reader) defineBase() bool {
	var t Term
	if r.in.space() != '<' {
		return r.fail("expected the IRI of a base")
	}
	if !r.iri(&t) {
		return false
	}
	r.base = t.Value
	return true
}

// resolve makes a relative IRI whole, by the base in force.
func (r *Reader) resolve(t *Term) bool {
	if r.base == nil {
		return r.fail("relative IRI <" + string(t.Value) + "> without a base")
	}
	t.Value = append(t.Value[:0], resolve(string(r.base), string(t.Value))...)
	return true
}

// absolute reports whether an IRI begins with a scheme.
func absolute(iri []byte) bool {
	for i, c := range iri {
		switch {
		case c == ':':
			return i > 0
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z':
		case i > 0 && ('0' <= c && c <= '9' || c == '+' || c == '-' || c == '.'):
		default:
			return false
		}
	}
	return false
}

package trig

import "strings"

// resolve makes a reference whole, by RFC 3986, section 5.2. It works on the
// characters as they are: IRIs are equal only where they are spelled the same, so
// nothing is decoded, encoded or brought into another form.
func resolve(base, ref string) string {
	b, r := splitIRI(base), splitIRI(ref)
	whole := parts{b.scheme, b.authority, b.path, r.query, r.fragment}
	switch {
	case r.scheme != "":
		return ref
	case r.authority != "":
		whole.authority, whole.path = r.authority, withoutDots(r.path)
	case r.path == "":
		if r.query == "" {
			whole.query = b.query
		}
	case r.path[0] == '/':
		whole.path = withoutDots(r.path)
	case b.authority != "" && b.path == "":
		whole.path = withoutDots("/" + r.path)
	default:
		whole.path = withoutDots(b.path[:strings.LastIndexByte(b.path, '/')+1] + r.path)
	}
	return whole.scheme + whole.authority + whole.path + whole.query + whole.fragment
}

// parts are those of an IRI, each with the characters that mark it, so that one
// that is there is not empty: "http:", "//host", "/path", "?query", "#fragment".
type parts struct{ scheme, authority, path, query, fragment string }

// splitIRI is the regular expression of RFC 3986, appendix B.
func splitIRI(iri string) (p parts) {
	if i := strings.IndexByte(iri, '#'); i >= 0 {
		iri, p.fragment = iri[:i], iri[i:]
	}
	if i := strings.IndexByte(iri, '?'); i >= 0 {
		iri, p.query = iri[:i], iri[i:]
	}
	if i := strings.IndexAny(iri, ":/"); i > 0 && iri[i] == ':' {
		p.scheme, iri = iri[:i+1], iri[i+1:]
	}
	if strings.HasPrefix(iri, "//") {
		end := strings.IndexByte(iri[2:], '/')
		if end < 0 {
			end = len(iri) - 2
		}
		p.authority, iri = iri[:2+end], iri[2+end:]
	}
	p.path = iri
	return p
}

// withoutDots takes the segments . and .. out of a path: section 5.2.4.
func withoutDots(path string) string {
	out := make([]byte, 0, len(path))
	up := func() { // drops the last segment
		for len(out) > 0 {
			last := out[len(out)-1]
			out = out[:len(out)-1]
			if last == '/' {
				return
			}
		}
	}
	for path != "" {
		switch {
		case strings.HasPrefix(path, "../"):
			path = path[3:]
		case strings.HasPrefix(path, "./"):
			path = path[2:]
		case strings.HasPrefix(path, "/./"):
			path = path[2:]
		case path == "/.":
			path = "/"
		case strings.HasPrefix(path, "/../"):
			path = path[3:]
			up()
		case path == "/..":
			path = "/"
			up()
		case path == ".", path == "..":
			path = ""
		default:
			end := strings.IndexByte(path[1:], '/') + 1
			if end == 0 {
				end = len(path)
			}
			out, path = append(out, path[:end]...), path[end:]
		}
	}
	return string(out)
}

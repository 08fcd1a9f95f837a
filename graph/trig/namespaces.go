package trig

// namespaces are the prefixes that a text has defined. A few are looked up at
// every name, so each is kept at a place that its own bytes tell.
type namespaces struct {
	all    map[string][]byte
	recent [32]namespace
}

type namespace struct{ name, iri []byte }

func (n *namespaces) define(name string, iri []byte) {
	if n.all == nil {
		n.all = map[string][]byte{}
	}
	n.all[name] = iri
	n.recent = [32]namespace{}
}

func (n *namespaces) find(name []byte) (iri []byte, ok bool) {
	place := 0
	if len(name) > 0 {
		place = (int(name[0]) + 7*len(name)) % len(n.recent)
	}
	at := &n.recent[place]
	if at.iri != nil && string(at.name) == string(name) {
		return at.iri, true
	}
	if iri, ok = n.all[string(name)]; ok {
		at.name, at.iri = append(at.name[:0], name...), iri
	}
	return iri, ok
}

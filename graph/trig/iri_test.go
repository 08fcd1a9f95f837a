package trig

import "testing"

// The examples of RFC 3986, section 5.4, and IRIs that a URL library would change.
func TestResolve(t *testing.T) {
	const base = "http://a/b/c/d;p?q"
	for ref, want := range map[string]string{
		"g:h": "g:h", "g": "http://a/b/c/g", "./g": "http://a/b/c/g", "g/": "http://a/b/c/g/", "/g": "http://a/g", "//g": "http://g",
		"?y": "http://a/b/c/d;p?y", "g?y": "http://a/b/c/g?y", "#s": "http://a/b/c/d;p?q#s", "g#s": "http://a/b/c/g#s",
		"g?y#s": "http://a/b/c/g?y#s", ";x": "http://a/b/c/;x", "g;x": "http://a/b/c/g;x", "g;x?y#s": "http://a/b/c/g;x?y#s",
		"": base, ".": "http://a/b/c/", "./": "http://a/b/c/", "..": "http://a/b/", "../": "http://a/b/", "../g": "http://a/b/g",
		"../..": "http://a/", "../../": "http://a/", "../../g": "http://a/g",
		"../../../g": "http://a/g", "../../../../g": "http://a/g", "/./g": "http://a/g", "/../g": "http://a/g",
		"g.": "http://a/b/c/g.", ".g": "http://a/b/c/.g", "g..": "http://a/b/c/g..", "..g": "http://a/b/c/..g",
		"./../g": "http://a/b/g", "./g/.": "http://a/b/c/g/", "g/./h": "http://a/b/c/g/h", "g/../h": "http://a/b/c/h",
		"g;x=1/./y": "http://a/b/c/g;x=1/y", "g;x=1/../y": "http://a/b/c/y",
		"g?y/./x": "http://a/b/c/g?y/./x", "g?y/../x": "http://a/b/c/g?y/../x", "g#s/./x": "http://a/b/c/g#s/./x", "g#s/../x": "http://a/b/c/g#s/../x",

		"é日": "http://a/b/c/é日", "a%7e": "http://a/b/c/a%7e", "bar#": "http://a/b/c/bar#", "g?": "http://a/b/c/g?", "a|": "http://a/b/c/a|",
	} {
		if got := resolveReference(base, ref); got != want {
			t.Errorf("%q: got %q, want %q", ref, got, want)
		}
	}
	for base, want := range map[string]string{
		"http://host": "http://host/x", "http://host?q": "http://host/x", "urn:a:b": "urn:x", "file:///a/b": "file:///a/x", "http://é/ü/": "http://é/ü/x",
	} {
		if got := resolveReference(base, "x"); got != want {
			t.Errorf("base %q: got %q, want %q", base, got, want)
		}
	}
}

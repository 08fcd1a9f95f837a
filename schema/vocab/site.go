package vocab

import (
	"net/url"
	"strconv"
	"strings"

	"s2g/schema"
)

// StackOverflow is the site of the paper. No build has it by default: see
// manifest.Options.BuildSite.
const StackOverflow Site = "http://stackoverflow.com"

// Site is the base of all instance IRIs: scheme and host, without a final slash.
type Site string

// ParseSite parses the value of option site, a host or a URL; the default scheme is
// http. A host of one word without a scheme is a usage fault, because it is
// probably cut short; so is a path, query or fragment, because the paths of IRIs begin
// at the host.
func ParseSite(value string) (Site, error) {
	text := strings.TrimRight(value, "/")
	if !strings.Contains(text, "://") {
		if !strings.ContainsAny(text, ".:") && text != "localhost" && text != "" {
			return "", schema.Faultf(schema.FaultUsage, "give the whole host, as "+text+".stackexchange.com or stackoverflow.com; a host of one word begins with http://", "%q is not the base of a site", value)
		}
		text = "http://" + text
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.User != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Path != "" || u.RawQuery != "" || u.Fragment != "" || strings.ContainsAny(u.Host, "<>\"{}|^`\\ ") {
		return "", schema.Faultf(schema.FaultUsage, "give a host or a URL, as stackoverflow.com or https://ru.stackoverflow.com", "%q is not the base of a site", value)
	}
	return Site(u.Scheme + "://" + strings.ToLower(u.Host)), nil
}

// Check returns a usage fault if the site is unknown: the IRIs of a build begin with it,
// and none is guessed.
func (s Site) Check() error {
	if s == "" {
		return schema.Faultf(schema.FaultUsage, "give option site HOST, as bioinformatics.stackexchange.com", "the site is unknown, and the IRIs of the build begin with it")
	}
	return nil
}

// Host returns the site's host, as "stackoverflow.com".
func (s Site) Host() string {
	_, host, _ := strings.Cut(string(s), "://")
	return host
}

// Prefix returns the prefix of the names of the site's repositories and
// collections. It is "so" for Stack Overflow, else the host without
// .stackexchange.com, .com or .net, with a hyphen for each character other than a
// letter or digit, as "bioinformatics", "ru-stackoverflow", "askubuntu".
func (s Site) Prefix() string {
	host := s.Host()
	if host == StackOverflow.Host() {
		return "so"
	}
	for _, end := range []string{".stackexchange.com", ".com", ".net"} {
		if name, ok := strings.CutSuffix(host, end); ok {
			host = name
			break
		}
	}
	return strings.Map(func(c rune) rune {
		if 'a' <= c && c <= 'z' || '0' <= c && c <= '9' {
			return c
		}
		return '-'
	}, host)
}

// Language returns the natural language of the site's posts, by ISO 639-1. Stack Overflow in another language has it as
// the first part of its host, as ru.stackoverflow.com and ru.meta.stackoverflow.com. Sites about a language have posts in
// English beside those in that language, except for rus.stackexchange.com. (cs.stackexchange.com is about computer
// science.)
func (s Site) Language() string {
	first, rest, _ := strings.Cut(s.Host(), ".")
	switch {
	case len(first) == 2 && (rest == "stackoverflow.com" || rest == "meta.stackoverflow.com"):
		return first
	case first == "rus" && (rest == "stackexchange.com" || rest == "meta.stackexchange.com"):
		return "ru"
	}
	return "en"
}

// Question returns the IRI of a question.
func (s Site) Question(id int64) string { return s.numbered("/questions/", id) }

// Answer returns the IRI of an answer.
func (s Site) Answer(id int64) string { return s.numbered("/a/", id) }

// Comment returns the IRI of a comment.
func (s Site) Comment(id int64) string { return s.numbered("/posts/comments/", id) }

// Post returns the IRI of a tag wiki or of a tag wiki's excerpt.
func (s Site) Post(id int64) string { return s.numbered("/posts/", id) }

// User returns the IRI of an author; -1 is the site itself.
func (s Site) User(id int64) string { return s.numbered("/users/", id) }

// Tag returns the IRI of a tag.
func (s Site) Tag(name string) string {
	return string(AppendSegment([]byte(s+"/tags/"), name))
}

// Graph returns the IRI of a language's graph. The empty tag has [Site.OtherGraph],
// schema.SiteTag has [Site.SiteGraph].
func (s Site) Graph(tag string) string {
	switch tag {
	case "":
		return s.OtherGraph()
	case schema.SiteTag:
		return s.SiteGraph()
	}
	return string(AppendSegment([]byte(s+"/"), tag))
}

// SchemaGraph returns the IRI of the graph of the ontology.
func (s Site) SchemaGraph() string { return string(s) + "/s2g/schema" }

// VoidGraph returns the IRI of the graph that describes the dataset.
func (s Site) VoidGraph() string { return string(s) + "/s2g/void" }

// OtherGraph returns the IRI of the remainder graph: the questions without a
// selected language. A tag has no slash, so no language graph has this name.
func (s Site) OtherGraph() string { return string(s) + "/s2g/other" }

// SiteGraph returns the IRI of the graph of all questions of the site.
func (s Site) SiteGraph() string { return string(s) + "/s2g/site" }

func (s Site) numbered(path string, id int64) string {
	return string(s) + path + strconv.FormatInt(id, 10)
}

// AppendSegment appends a name as a segment of an IRI's path. It percent-encodes
// every byte that is not an unreserved character of RFC 3986, with upper-case digits.
func AppendSegment(dst []byte, name string) []byte {
	const digits = "0123456789ABCDEF"
	for i := range len(name) {
		if c := name[i]; unreserved(c) {
			dst = append(dst, c)
		} else {
			dst = append(dst, '%', digits[c>>4], digits[c&15])
		}
	}
	return dst
}

// unreserved reports whether c is an unreserved character (RFC 3986, section 2.3).
func unreserved(c byte) bool {
	switch {
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		return true
	}
	return c == '-' || c == '.' || c == '_' || c == '~'
}

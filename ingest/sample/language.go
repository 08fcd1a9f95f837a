package sample

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// A language is what a question's first tag can be: one of the 39, or a tool
// such as git.
type language struct {
	tag      string
	tagID    int
	name     phrase
	class    string // of code blocks: lang-py
	style    style
	weight   int
	pairs    []*language
	tags     []int
	libs     []phrase
	versions []phrase
	about    phrase
	code     []template
	topics   []*topic
	errors   []fault
	trace    *trace
	groups   []string // of topics
	domain   *domain  // what questions are always about; nil for most
}

// addLanguages reads the languages and tools.
func (c *corpus) addLanguages(files map[string]string) error {
	recs := slices.Concat(records("languages.txt", files["languages.txt"]), records("tools.txt", files["tools.txt"]))
	faults, traces := faultsOf(files["errors.txt"])
	code := make(map[string][]string)
	for _, f := range []string{"code-1.txt", "code-2.txt", "code-3.txt"} {
		maps.Copy(code, sections(files[f]))
	}
	byTag := make(map[string]*language)
	sum := 0
	for _, r := range recs { // before any other tag, so that theirs are the first wikis
		l, err := c.newLanguage(r, code)
		if err != nil {
			return err
		}
		l.errors, l.trace = faults[r.one("family")], traces[r.one("family")]
		if len(l.errors) == 0 {
			return fmt.Errorf("%s: %s: no errors of family %q", r.file, l.tag, r.one("family"))
		}
		sum += l.weight
		byTag[l.tag] = l
		c.languages, c.odds = append(c.languages, l), append(c.odds, sum)
	}
	for i, r := range recs {
		l := c.languages[i]
		l.tags = c.tagIDs(r.words("tags"))
		for _, p := range r.words("pairs") {
			if byTag[p] == nil {
				return fmt.Errorf("%s: %s: pairs: no language %s", r.file, l.tag, p)
			}
			l.pairs = append(l.pairs, byTag[p])
		}
	}
	return nil
}

// newLanguage makes a language of its record and its code.
func (c *corpus) newLanguage(r record, code map[string][]string) (*language, error) {
	if err := r.need("language", "name", "weight", "family", "style", "groups", "about", "libs", "versions"); err != nil {
		return nil, err
	}
	tag := r.one("language")
	weight, err := strconv.Atoi(r.one("weight"))
	if err != nil {
		return nil, fmt.Errorf("%s: %s: weight: %w", r.file, tag, err)
	}
	style, ok := styleNames[r.one("style")]
	if !ok || len(code[tag]) == 0 {
		return nil, fmt.Errorf("%s: %s: no code, or style %q is not known", r.file, tag, r.one("style"))
	}
	l := &language{
		tag: tag, tagID: c.tag(tag), name: newPhrase(r.one("name")), class: r.one("class"), style: style, weight: weight,
		libs: phrases(r.words("libs")), versions: phrases(r.list("versions")), about: newPhrase(r.one("about")), groups: r.words("groups"),
	}
	for _, s := range code[tag] {
		l.code = append(l.code, newCode(s))
	}
	if name := r.one("domain"); name != "" {
		i := slices.IndexFunc(c.domains, func(d *domain) bool { return d.name == name })
		if i < 0 {
			return nil, fmt.Errorf("%s: %s: no domain %s", r.file, tag, name)
		}
		l.domain = c.domains[i]
	}
	return l, nil
}

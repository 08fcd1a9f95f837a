package sample

import (
	"embed"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

//go:embed text
var texts embed.FS

// A corpus is the embedded texts, ready for writing. It is read once a sample
// and shared.
type corpus struct {
	languages []*language // by weight, as in languages.txt
	odds      []int       // running sum of their weights
	domains   []*domain
	tags      []string            // every tag; a tag's number is its place
	say       map[string][]phrase // by section of prose.txt
	log       []template
}

// newCorpus reads the embedded texts. An error is a mistake in them.
func newCorpus() (*corpus, error) {
	c := &corpus{say: make(map[string][]phrase)}
	files, err := readTexts()
	if err != nil {
		return nil, err
	}
	if err := c.addDomains(files["domains.txt"]); err != nil {
		return nil, err
	}
	if err := c.addLanguages(files); err != nil {
		return nil, err
	}
	if err := c.addTopics(files); err != nil {
		return nil, err
	}
	prose := sections(files["prose.txt"])
	for name, lines := range prose {
		c.say[name] = phrases(lines)
	}
	for _, name := range saySections {
		if len(c.say[name]) == 0 {
			return nil, fmt.Errorf("prose.txt: no section %s", name)
		}
	}
	for _, line := range prose["log"] {
		c.log = append(c.log, newCode(line))
	}
	return c, nil
}

func readTexts() (map[string]string, error) {
	entries, err := texts.ReadDir("text")
	if err != nil {
		return nil, fmt.Errorf("reading the embedded texts: %w", err)
	}
	files := make(map[string]string)
	for _, e := range entries {
		b, err := texts.ReadFile("text/" + e.Name())
		if err != nil {
			return nil, fmt.Errorf("reading the embedded texts: %w", err)
		}
		files[e.Name()] = string(b)
	}
	return files, nil
}

// phrases prepares each of the lines.
func phrases(lines []string) []phrase {
	p := make([]phrase, len(lines))
	for i, s := range lines {
		p[i] = newPhrase(s)
	}
	return p
}

// tag returns the number of a tag, a new one where it is new.
func (c *corpus) tag(name string) int {
	i := slices.Index(c.tags, name)
	if i < 0 {
		i = len(c.tags)
		c.tags = append(c.tags, name)
	}
	return i
}

func (c *corpus) tagIDs(names []string) []int {
	ids := make([]int, len(names))
	for i, n := range names {
		ids[i] = c.tag(n)
	}
	return ids
}

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

// A fault is an error message and the name it begins with.
type fault struct{ name, message phrase }

// A trace is how a language prints a stack.
type trace struct {
	head, tail template
	frames     []template
}

// faultsOf reads the error messages and the stack traces of each family.
func faultsOf(src string) (map[string][]fault, map[string]*trace) {
	faults, traces := make(map[string][]fault), make(map[string]*trace)
	for _, r := range records("errors.txt", src) {
		family := r.one("family")
		for _, e := range r.all("error") {
			name, message, ok := strings.Cut(e, " | ")
			if !ok {
				name, _, _ = strings.Cut(e, ":")
				message = e
			}
			faults[family] = append(faults[family], fault{newVerbatim(name), newVerbatim(message)})
		}
		if r.one("head") == "" {
			continue
		}
		t := &trace{head: newCode(r.one("head") + "\n")}
		if tail := r.one("tail"); tail != "" {
			t.tail = newCode(tail + "\n")
		}
		for _, f := range r.all("frame") {
			t.frames = append(t.frames, newCode(strings.ReplaceAll(f, `\n`, "\n")+"\n"))
		}
		traces[family] = t
	}
	return faults, traces
}

// saySections are the sections that prose.txt must have.
var saySections = []string{
	"context", "log", "title.how", "title.why", "title.error", "title.diff", "open.how", "open.why", "open.error", "open.diff",
	"data", "error", "symptom", "link.question", "tried", "tried.item", "detail", "expect", "close", "edit",
	"short", "cause", "quote", "fix", "advice", "explain", "steps", "steps.item", "alternative", "link.answer", "docs", "caveat",
	"long.log", "long.trace", "long.code", "comment.question", "comment.answer", "comment.more", "comment.address",
	"excerpt", "wiki.open", "wiki.more", "wiki.item",
}

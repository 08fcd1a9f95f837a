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

// A corpus is the embedded texts, prepared for writing.
type corpus struct {
	languages  []*language // by weight, as in languages.txt
	cumulative []int       // running sum of the weights of languages
	domains    []*domain
	tags       []string            // all tags; the number of a tag is its index
	prose      map[string][]phrase // by section of prose.txt
	log        []template
}

// newCorpus reads the embedded texts. It returns an error if they are malformed.
func newCorpus() (*corpus, error) {
	c := &corpus{prose: make(map[string][]phrase)}
	files, err := readTexts()
	if err != nil {
		return nil, err
	}
	if err := c.readDomains(files["domains.txt"]); err != nil {
		return nil, err
	}
	if err := c.readLanguages(files); err != nil {
		return nil, err
	}
	if err := c.readTopics(files); err != nil {
		return nil, err
	}
	prose := sections(files["prose.txt"])
	for name, lines := range prose {
		c.prose[name] = phrases(lines)
	}
	for _, name := range proseSections {
		if len(c.prose[name]) == 0 {
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
		return nil, fmt.Errorf("read the embedded texts: %w", err)
	}
	files := make(map[string]string)
	for _, e := range entries {
		b, err := texts.ReadFile("text/" + e.Name())
		if err != nil {
			return nil, fmt.Errorf("read the embedded texts: %w", err)
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

// tagID returns the number of a tag, which it adds if it is new.
func (c *corpus) tagID(name string) int {
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
		ids[i] = c.tagID(n)
	}
	return ids
}

// A language is the first tag of a question: one of the 39 languages, or a tool such
// as git.
type language struct {
	tag      string
	tagID    int
	name     phrase
	class    string // of code blocks: lang-py
	style    spelling
	weight   int
	pairs    []*language
	tags     []int
	libs     []phrase
	versions []phrase
	about    phrase
	code     []template
	topics   []*topic
	errors   []errorMessage
	trace    *stackTrace
	groups   []string // of topics
	domain   *domain  // of all its questions; nil for most
}

// readLanguages reads the languages and tools.
func (c *corpus) readLanguages(files map[string]string) error {
	recs := slices.Concat(records("languages.txt", files["languages.txt"]), records("tools.txt", files["tools.txt"]))
	messages, traces := readErrors(files["errors.txt"])
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
		l.errors, l.trace = messages[r.first("family")], traces[r.first("family")]
		if len(l.errors) == 0 {
			return fmt.Errorf("%s: %s: no errors of family %q", r.file, l.tag, r.first("family"))
		}
		sum += l.weight
		byTag[l.tag] = l
		c.languages, c.cumulative = append(c.languages, l), append(c.cumulative, sum)
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

// newLanguage builds a language from its record and its code.
func (c *corpus) newLanguage(r record, code map[string][]string) (*language, error) {
	if err := r.require("language", "name", "weight", "family", "style", "groups", "about", "libs", "versions"); err != nil {
		return nil, err
	}
	tag := r.first("language")
	weight, err := strconv.Atoi(r.first("weight"))
	if err != nil {
		return nil, fmt.Errorf("%s: %s: weight: %w", r.file, tag, err)
	}
	style, ok := spellingNames[r.first("style")]
	if !ok || len(code[tag]) == 0 {
		return nil, fmt.Errorf("%s: %s: no code, or style %q is not known", r.file, tag, r.first("style"))
	}
	l := &language{
		tag: tag, tagID: c.tagID(tag), name: newPhrase(r.first("name")), class: r.first("class"), style: style, weight: weight,
		libs: phrases(r.words("libs")), versions: phrases(r.list("versions")), about: newPhrase(r.first("about")), groups: r.words("groups"),
	}
	for _, s := range code[tag] {
		l.code = append(l.code, newCode(s))
	}
	if name := r.first("domain"); name != "" {
		i := slices.IndexFunc(c.domains, func(d *domain) bool { return d.name == name })
		if i < 0 {
			return nil, fmt.Errorf("%s: %s: no domain %s", r.file, tag, name)
		}
		l.domain = c.domains[i]
	}
	return l, nil
}

// An errorMessage is the text of an error and the name that it begins with.
type errorMessage struct{ name, text phrase }

// A stackTrace is the form in which a language prints a stack.
type stackTrace struct {
	head, tail template
	frames     []template
}

// readErrors reads the error messages and the stack trace of each family.
func readErrors(src string) (map[string][]errorMessage, map[string]*stackTrace) {
	messages, traces := make(map[string][]errorMessage), make(map[string]*stackTrace)
	for _, r := range records("errors.txt", src) {
		family := r.first("family")
		for _, e := range r.values("error") {
			name, message, ok := strings.Cut(e, " | ")
			if !ok {
				name, _, _ = strings.Cut(e, ":")
				message = e
			}
			messages[family] = append(messages[family], errorMessage{newVerbatim(name), newVerbatim(message)})
		}
		if r.first("head") == "" {
			continue
		}
		t := &stackTrace{head: newCode(r.first("head") + "\n")}
		if tail := r.first("tail"); tail != "" {
			t.tail = newCode(tail + "\n")
		}
		for _, f := range r.values("frame") {
			t.frames = append(t.frames, newCode(strings.ReplaceAll(f, `\n`, "\n")+"\n"))
		}
		traces[family] = t
	}
	return messages, traces
}

// proseSections are the sections that prose.txt must have.
var proseSections = []string{
	"context", "log", "title.how", "title.why", "title.error", "title.diff", "open.how", "open.why", "open.error", "open.diff",
	"data", "error", "symptom", "link.question", "tried", "tried.item", "detail", "expect", "close", "edit",
	"short", "cause", "quote", "fix", "advice", "explain", "steps", "steps.item", "alternative", "link.answer", "docs", "caveat",
	"long.log", "long.trace", "long.code", "comment.question", "comment.answer", "comment.more", "comment.address",
	"excerpt", "wiki.open", "wiki.more", "wiki.item",
}

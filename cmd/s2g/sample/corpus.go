package sample

import (
	"embed"
	"fmt"
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
	contexts  []phrase
	tags      []string // every tag; a tag's number is its place
	say       map[string][]phrase
	log       []template
}

// A language is what a question's first tag can be: one of the 39, or a tool
// such as git.
type language struct {
	tag, family string
	tagID       int
	name        phrase
	class       string // of code blocks: lang-py
	style       style
	weight      int
	pairs       []*language
	tags        []int
	libs        []phrase
	versions    []phrase
	about       phrase
	code        []template
	topics      []*topic
	errors      []fault
	trace       *trace
}

// A topic is what a question is about, in words that fit any language of its
// groups. Questions of one topic differ in their words, so that duplicates of a
// question exist.
type topic struct {
	name        string
	tags        []int
	act         []phrase // "merge two dictionaries", after "how do I"
	symptom     []phrase // "the nested values are lost"
	cause       []phrase // "the copy is shallow"
	fix         []phrase // "copy the values too", after "you can"
	left, right phrase   // what a question about the difference compares
	fn, a, b    names
}

// A domain is what the asker's program works on.
type domain struct {
	thing, things, source phrase
	coll, item, field     names
}

// A fault is an error message and the name it begins with.
type fault struct{ name, message phrase }

// A trace is how a language prints a stack.
type trace struct {
	head, tail template
	frames     []template
}

// style is how a language spells names of more than one word.
type style uint8

const (
	snake style = iota
	camel
	pascal
	kebab
	upper
	styles
)

var styleNames = map[string]style{"snake": snake, "camel": camel, "pascal": pascal, "kebab": kebab, "upper": upper}

// names is an identifier in each style.
type names [styles][]byte

// newNames spells words in each style.
func newNames(words string) names {
	w := strings.Fields(words)
	var titled []string
	for _, s := range w {
		titled = append(titled, strings.ToUpper(s[:1])+s[1:])
	}
	p := strings.Join(titled, "")
	return names{
		snake:  []byte(strings.Join(w, "_")),
		camel:  []byte(strings.ToLower(p[:1]) + p[1:]),
		pascal: []byte(p),
		kebab:  []byte(strings.Join(w, "-")),
		upper:  []byte(strings.ToUpper(strings.Join(w, "-"))),
	}
}

// newCorpus reads the embedded texts. An error is a mistake in them.
func newCorpus() (*corpus, error) {
	c := &corpus{say: make(map[string][]phrase)}
	files, err := readTexts()
	if err != nil {
		return nil, err
	}
	if err := c.addLanguages(files); err != nil {
		return nil, err
	}
	if err := c.addTopics(files); err != nil {
		return nil, err
	}
	if err := c.addDomains(files["domains.txt"]); err != nil {
		return nil, err
	}
	for name, lines := range sections(files["prose.txt"]) {
		c.say[name] = phrases(lines)
	}
	for _, name := range saySections {
		if len(c.say[name]) == 0 {
			return nil, fmt.Errorf("prose.txt: no section %s", name)
		}
	}
	c.contexts = c.say["context"]
	for _, line := range sections(files["prose.txt"])["log"] {
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

func (c *corpus) addLanguages(files map[string]string) error {
	faults, traces := errorsOf(files["errors.txt"])
	recs := records("languages.txt", files["languages.txt"])
	code := sections(files["code-1.txt"])
	for _, f := range []string{"code-2.txt", "code-3.txt"} {
		for name, snippets := range sections(files[f]) {
			code[name] = append(code[name], snippets...)
		}
	}
	byTag := make(map[string]*language)
	sum := 0
	for _, r := range recs { // languages first, so that they have the first tags and wikis
		if err := r.need("language", "name", "weight", "family", "style", "groups", "about", "libs", "versions"); err != nil {
			return err
		}
		weight, err := strconv.Atoi(r.one("weight"))
		if err != nil {
			return fmt.Errorf("languages.txt: %s: weight: %w", r.one("language"), err)
		}
		tag := r.one("language")
		l := &language{
			tag: tag, family: r.one("family"), tagID: c.tag(tag), name: newPhrase(r.one("name")), class: r.one("class"), style: styleNames[r.one("style")],
			weight: weight, about: newPhrase(r.one("about")), libs: phrases(r.words("libs")), versions: phrases(r.list("versions")),
			errors: faults[r.one("family")], trace: traces[r.one("family")],
		}
		for _, s := range code[tag] {
			l.code = append(l.code, newCode(s))
		}
		if len(l.code) == 0 || len(l.errors) == 0 {
			return fmt.Errorf("languages.txt: %s: no code or no errors", tag)
		}
		sum += weight
		byTag[tag] = l
		c.languages, c.odds = append(c.languages, l), append(c.odds, sum)
	}
	for i, r := range recs {
		c.languages[i].tags = c.tagIDs(r.words("tags"))
		for _, p := range r.words("pairs") {
			if byTag[p] == nil {
				return fmt.Errorf("languages.txt: %s: pairs: no language %s", r.one("language"), p)
			}
			c.languages[i].pairs = append(c.languages[i].pairs, byTag[p])
		}
	}
	return nil
}

// errorsOf reads the error messages and the stack traces of each family.
func errorsOf(src string) (map[string][]fault, map[string]*trace) {
	faults, traces := make(map[string][]fault), make(map[string]*trace)
	for _, r := range records("errors.txt", src) {
		family := r.one("family")
		for _, e := range r.all("error") {
			name, _, _ := strings.Cut(e, ":")
			faults[family] = append(faults[family], fault{newPhrase(name), newPhrase(e)})
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

// addTopics reads the topics and gives each language those of its groups.
func (c *corpus) addTopics(files map[string]string) error {
	groups := make(map[string][]*topic)
	for _, f := range []string{"topics-1.txt", "topics-2.txt", "topics-3.txt"} {
		for _, r := range records(f, files[f]) {
			if err := r.need("topic", "groups", "tags", "fn", "args", "act", "symptom", "cause", "fix", "pair"); err != nil {
				return err
			}
			args, pair := r.words("args"), r.list("pair")
			if len(args) != 2 || len(pair) != 2 {
				return fmt.Errorf("%s: %s: two args and a pair are needed", f, r.one("topic"))
			}
			t := &topic{
				name: r.one("topic"), tags: c.tagIDs(r.words("tags")), act: phrases(r.all("act")), symptom: phrases(r.all("symptom")),
				cause: phrases(r.all("cause")), fix: phrases(r.all("fix")), left: newPhrase(pair[0]), right: newPhrase(pair[1]),
				fn: newNames(r.one("fn")), a: newNames(args[0]), b: newNames(args[1]),
			}
			for _, g := range r.words("groups") {
				groups[g] = append(groups[g], t)
			}
		}
	}
	for i, r := range records("languages.txt", files["languages.txt"]) {
		l := c.languages[i]
		for _, g := range r.words("groups") {
			for _, t := range groups[g] {
				if !slices.Contains(l.topics, t) {
					l.topics = append(l.topics, t)
				}
			}
		}
		if len(l.topics) == 0 {
			return fmt.Errorf("languages.txt: %s: no topics", l.tag)
		}
	}
	return nil
}

func (c *corpus) addDomains(src string) error {
	for _, r := range records("domains.txt", src) {
		if err := r.need("thing", "things", "source", "coll", "item", "field"); err != nil {
			return err
		}
		c.domains = append(c.domains, &domain{
			thing: newPhrase(r.one("thing")), things: newPhrase(r.one("things")), source: newPhrase(r.one("source")),
			coll: newNames(r.one("coll")), item: newNames(r.one("item")), field: newNames(r.one("field")),
		})
	}
	return nil
}

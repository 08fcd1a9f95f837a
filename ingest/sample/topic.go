package sample

import (
	"fmt"
	"slices"
	"strings"
)

// A topic is what a question is about, in words that fit any language of its
// groups. Questions of one topic differ in their words, so that duplicates of a
// question exist.
type topic struct {
	name        string
	tags        []int
	act         [][]phrase // tasks in several wordings: "merge two dictionaries", after "how do I"
	symptom     []phrase   // "the nested values are lost"
	cause       []phrase   // "the copy is shallow"
	fix         []phrase   // "copy the values too", after "you can"
	left, right phrase     // what a question about the difference compares
	fn, a, b    names
}

// A domain is what the asker's program works on.
type domain struct {
	name                  string
	thing, things, source phrase
	coll, item, field     names
}

// addTopics reads the topics and gives each language those of its groups.
func (c *corpus) addTopics(files map[string]string) error {
	groups := make(map[string][]*topic)
	for _, f := range []string{"topics-1.txt", "topics-2.txt", "topics-3.txt", "topics-4.txt"} {
		for _, r := range records(f, files[f]) {
			t, err := c.newTopic(r)
			if err != nil {
				return err
			}
			for _, g := range r.words("groups") {
				groups[g] = append(groups[g], t)
			}
		}
	}
	for _, l := range c.languages {
		for _, g := range l.groups {
			for _, t := range groups[g] {
				if !slices.Contains(l.topics, t) {
					l.topics = append(l.topics, t)
				}
			}
		}
		if len(l.topics) == 0 {
			return fmt.Errorf("%s: no topics in the groups %v", l.tag, l.groups)
		}
	}
	return nil
}

func (c *corpus) newTopic(r record) (*topic, error) {
	if err := r.need("topic", "groups", "tags", "fn", "args", "act", "symptom", "cause", "fix", "pair"); err != nil {
		return nil, err
	}
	args, pair := r.words("args"), r.list("pair")
	if len(args) != 2 || len(pair) != 2 {
		return nil, fmt.Errorf("%s: %s: two args and a pair are needed", r.file, r.one("topic"))
	}
	t := &topic{
		name: r.one("topic"), tags: c.tagIDs(r.words("tags")),
		symptom: phrases(r.all("symptom")), cause: phrases(r.all("cause")), fix: phrases(r.all("fix")),
		left: newPhrase(pair[0]), right: newPhrase(pair[1]),
		fn: newNames(r.one("fn")), a: newNames(args[0]), b: newNames(args[1]),
	}
	for _, act := range r.all("act") {
		t.act = append(t.act, phrases(strings.Split(act, " | ")))
	}
	return t, nil
}

func (c *corpus) addDomains(src string) error {
	for _, r := range records("domains.txt", src) {
		if err := r.need("thing", "things", "source", "coll", "item", "field"); err != nil {
			return err
		}
		c.domains = append(c.domains, &domain{
			name: r.one("thing"), thing: newPhrase(r.one("thing")), things: newPhrase(r.one("things")), source: newPhrase(r.one("source")),
			coll: newNames(r.one("coll")), item: newNames(r.one("item")), field: newNames(r.one("field")),
		})
	}
	return nil
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

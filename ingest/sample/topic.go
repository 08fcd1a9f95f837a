package sample

import (
	"fmt"
	"slices"
	"strings"
)

// A topic is the subject matter of a question, in words that fit any language of its
// groups. Questions of one topic differ in their words, so that duplicates exist.
type topic struct {
	name        string
	tags        []int
	act         [][]phrase // tasks in several wordings: "merge two dictionaries", after "how do I"
	symptom     []phrase   // "the nested values are lost"
	cause       []phrase   // "the copy is shallow"
	fix         []phrase   // "copy the values too", after "you can"
	left, right phrase     // the two sides of a question about a difference
	fn, a, b    identifier
}

// A domain is the data that the program in a question processes.
type domain struct {
	name                  string
	thing, things, source phrase
	coll, item, field     identifier
}

// readTopics reads the topics and assigns them to the languages of their groups.
func (c *corpus) readTopics(files map[string]string) error {
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
	if err := r.require("topic", "groups", "tags", "fn", "args", "act", "symptom", "cause", "fix", "pair"); err != nil {
		return nil, err
	}
	args, pair := r.words("args"), r.list("pair")
	if len(args) != 2 || len(pair) != 2 {
		return nil, fmt.Errorf("%s: %s: two args and a pair are needed", r.file, r.first("topic"))
	}
	t := &topic{
		name: r.first("topic"), tags: c.tagIDs(r.words("tags")),
		symptom: phrases(r.values("symptom")), cause: phrases(r.values("cause")), fix: phrases(r.values("fix")),
		left: newPhrase(pair[0]), right: newPhrase(pair[1]),
		fn: newIdentifier(r.first("fn")), a: newIdentifier(args[0]), b: newIdentifier(args[1]),
	}
	for _, act := range r.values("act") {
		t.act = append(t.act, phrases(strings.Split(act, " | ")))
	}
	return t, nil
}

func (c *corpus) readDomains(src string) error {
	for _, r := range records("domains.txt", src) {
		if err := r.require("thing", "things", "source", "coll", "item", "field"); err != nil {
			return err
		}
		c.domains = append(c.domains, &domain{
			name: r.first("thing"), thing: newPhrase(r.first("thing")), things: newPhrase(r.first("things")), source: newPhrase(r.first("source")),
			coll: newIdentifier(r.first("coll")), item: newIdentifier(r.first("item")), field: newIdentifier(r.first("field")),
		})
	}
	return nil
}

// A spelling is the form of names of more than one word in a language.
type spelling uint8

const (
	snake spelling = iota
	camel
	pascal
	kebab
	upper
	spellings
)

var spellingNames = map[string]spelling{"snake": snake, "camel": camel, "pascal": pascal, "kebab": kebab, "upper": upper}

// An identifier is a name in each spelling.
type identifier [spellings][]byte

// newIdentifier spells words in each spelling.
func newIdentifier(words string) identifier {
	w := strings.Fields(words)
	var titled []string
	for _, s := range w {
		titled = append(titled, strings.ToUpper(s[:1])+s[1:])
	}
	p := strings.Join(titled, "")
	return identifier{
		snake:  []byte(strings.Join(w, "_")),
		camel:  []byte(strings.ToLower(p[:1]) + p[1:]),
		pascal: []byte(p),
		kebab:  []byte(strings.Join(w, "-")),
		upper:  []byte(strings.ToUpper(strings.Join(w, "-"))),
	}
}

package sample

import (
	"embed"
	"fmt"
	"slices"
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

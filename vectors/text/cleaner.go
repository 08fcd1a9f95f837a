// Package text turns the HTML of a post into the text that is embedded: clean paragraphs and marked code,
// cut into windows that an embedding model can take.
package text

// Cleaner turns the HTML of posts into clean text. The zero value works; it is made to be reused, and is
// not safe for concurrent use.
type Cleaner struct {
	counts map[string]int64
	drops  []Drop
}

// Drop is a piece of text that a rule took out.
type Drop struct {
	Rule string // the rule's name
	Text string // what was dropped
}

// Clean returns the text of a post's HTML.
func (c *Cleaner) Clean(html string) string { c.drops = c.drops[:0]; return html }

// Counts returns how often each rule dropped something, over all calls of Clean so far.
func (c *Cleaner) Counts() map[string]int64 { return c.counts }

// Drops returns what the last call of Clean dropped, in the order of the text.
func (c *Cleaner) Drops() []Drop { return c.drops }

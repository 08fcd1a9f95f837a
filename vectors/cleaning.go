package vectors

import (
	"slices"

	"s2g/schema"
	"s2g/vectors/text"
)

// Cleaning is how a build turns the HTML of posts into text.
type Cleaning struct {
	Languages []schema.Language // of the build
	Links     bool              // keep the addresses of links
}

// Cleaner returns a cleaner of a build's posts; see [Cleaning.Clean].
func (c Cleaning) Cleaner() text.Cleaner { return text.Cleaner{Links: c.Links} }

// Clean returns the clean text of a post with the tags of its question, stored as
// |a|b|. Code that does not say its language has its question's.
func (c Cleaning) Clean(cleaner *text.Cleaner, body, tags []byte) string {
	cleaner.Language = c.codeLanguage(tagList(tags))
	return cleaner.Clean(string(body))
}

// codeLanguage returns the first language of the table that a question is tagged with,
// so that a text is the same in the shards of all its languages.
func (c Cleaning) codeLanguage(tags []string) string {
	for _, l := range c.Languages {
		if slices.Contains(tags, l.Tag) {
			return l.Tag
		}
	}
	return ""
}

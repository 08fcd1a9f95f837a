package text

import "s2g/schema"

// PostCleaner is a [Cleaner] for posts of a build: code that names no language has that of the post's tags.
type PostCleaner struct {
	Cleaner
	languages []schema.Language
}

// NewPostCleaner returns a cleaner for a build of languages, in the order of the language table. With links, texts keep the
// addresses of links.
func NewPostCleaner(languages []schema.Language, links bool) *PostCleaner {
	return &PostCleaner{Cleaner{Links: links}, languages}
}

// CleanPost returns the clean text of a post. tags are those of its question, stored as |a|b|. Code that names no language
// has the first language of the table among the tags, so that the text is the same in the shards of all its languages.
func (c *PostCleaner) CleanPost(body, tags []byte) string {
	c.Language = c.codeLanguage(tags)
	return c.Clean(string(body))
}

func (c *PostCleaner) codeLanguage(tags []byte) string {
	for _, l := range c.languages {
		for tag := range schema.SplitTags(tags) {
			if string(tag) == l.Tag {
				return l.Tag
			}
		}
	}
	return ""
}

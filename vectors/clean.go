package vectors

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"s2g/schema"
	"s2g/schema/tables"
	"s2g/vectors/text"
)

// Cleaned is a post as a build embeds it, with the pieces that cleaning removes. s2g clean
// --json prints it.
type Cleaned struct {
	PostID int64          `json:"post_id"`
	Type   string         `json:"type"` // question or answer
	Title  string         `json:"title"`
	Text   string         `json:"text"` // whole
	Drops  []Dropped      `json:"drops"`
	Chunks []CleanedChunk `json:"chunks"`
}

// Dropped is a piece of a post that a rule of vectors/text removes.
type Dropped struct {
	Rule string `json:"rule"`
	Text string `json:"text"`
}

// CleanedChunk is a chunk of a post.
type CleanedChunk struct {
	Start  int    `json:"start"` // code points of the text,
	End    int    `json:"end"`   // End excluded
	Tokens int    `json:"tokens"`
	Text   string `json:"text"` // the text to embed
}

// CleanOptions are the options of a build that shape its texts and chunks.
type CleanOptions struct {
	Languages []schema.Language // of the build
	Links     bool              // the texts keep the addresses of links
	Windows   Windows
}

// Clean reads a question or an answer from the tables, and cleans and cuts it as a build
// does. A post that is missing or of another kind is a usage fault.
func Clean(ctx context.Context, db *tables.DB, id int64, o CleanOptions) (*Cleaned, error) {
	var c *Cleaned
	err := selection(true).Each(ctx, db, fmt.Sprintf("p.Id = %d", id), eachPost(func(p *post) error {
		cleaner := &text.Cleaner{Languages: o.Languages, Links: o.Links}
		cleaned, err := cleanPost(ctx, cleaner, o.Windows, p)
		if err != nil {
			return err
		}
		c = &Cleaned{PostID: p.id, Type: "question", Title: string(p.title), Text: cleaned.text}
		if p.answer {
			c.Type = "answer"
		}
		for _, d := range cleaner.Drops() {
			c.Drops = append(c.Drops, Dropped(d))
		}
		texts := make([]string, len(cleaned.chunks))
		for i, chunk := range cleaned.chunks {
			texts[i] = chunk.Text
		}
		tokens, err := o.Windows.countTokens(ctx, texts)
		if err != nil {
			return err
		}
		for i, chunk := range cleaned.chunks {
			c.Chunks = append(c.Chunks, CleanedChunk{chunk.Start, chunk.End, tokens[i], chunk.Text})
		}
		return nil
	}))
	if err == nil && c == nil {
		err = schema.Faultf(schema.FaultUsage, "give the id of a question or an answer", "the tables have no question or answer %d", id)
	}
	return c, err
}

// cleanedPost is a post that is ready to be embedded.
type cleanedPost struct {
	text   string // whole
	chunks []text.Chunk
	drops  []string // the rule of each piece that was removed
}

// cleanPost cleans a post and cuts it into windows.
func cleanPost(ctx context.Context, cleaner *text.Cleaner, w Windows, p *post) (c cleanedPost, err error) {
	c.text = cleaner.Clean(p.body, p.tags)
	for _, d := range cleaner.Drops() {
		c.drops = append(c.drops, d.Rule)
	}
	if c.chunks, err = w.Chunks(ctx, string(p.title), c.text); err != nil {
		return cleanedPost{}, err
	}
	if only := c.chunks[0].Text; len(c.chunks) == 1 {
		c.text = only[len(only)-len(c.text):] // the same text: keep one of the two in memory
	}
	return c, nil
}

// countDrops adds the number of removed pieces by rule to the counts of a summary.
func (c cleanedPost) countDrops(counts map[string]int64) {
	for _, rule := range c.drops {
		counts["dropped_"+strings.ReplaceAll(rule, "-", "_")]++
	}
}

// preparedBytes is the size of the texts in a preparedCache, at most: 20,000 usual posts.
const preparedBytes = 32 << 20

// preparedCache keeps posts of the sample between the fit and the units, so that the units
// need not clean them again. Scheduling decides which posts are in it, but not their
// content. The zero value works. It is safe for concurrent use.
type preparedCache struct {
	mu    sync.Mutex
	posts map[int64]cleanedPost
	size  int
}

func (p *preparedCache) put(id int64, c cleanedPost) {
	size := 0
	for _, chunk := range c.chunks {
		size += len(chunk.Text)
	}
	if len(c.chunks) > 1 {
		size += len(c.text)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.size+size > preparedBytes {
		return
	}
	if p.posts == nil {
		p.posts = map[int64]cleanedPost{}
	}
	p.posts[id] = c
	p.size += size
}

// take removes a post and returns it, if the cache has it.
func (p *preparedCache) take(id int64) (c cleanedPost, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c, ok = p.posts[id]; ok {
		delete(p.posts, id)
	}
	return c, ok
}

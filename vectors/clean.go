package vectors

import (
	"context"
	"fmt"

	"s2g/schema"
	"s2g/schema/tables"
	"s2g/vectors/text"
)

// Cleaned is a post as a build embeds it, and the pieces that are left out. It is what
// s2g clean --json prints.
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
	Text   string `json:"text"` // what is embedded
}

// CleanOptions are how a build cleans and cuts.
type CleanOptions struct {
	Languages []schema.Language // of the build
	Links     bool              // the texts keep the addresses of links
	Windows   Windows
}

// Clean reads a question or an answer from the tables, and cleans and cuts it as a build
// does. A post that is missing or of another kind is a usage fault.
func Clean(ctx context.Context, db *tables.DB, id int64, o CleanOptions) (*Cleaned, error) {
	var c *Cleaned
	err := eachPost(ctx, db, postQuery(true, fmt.Sprintf("p.Id = %d", id)), func(p *post) error {
		cleaner := &text.Cleaner{Languages: o.Languages, Links: o.Links}
		c = &Cleaned{PostID: p.id, Type: "question", Title: string(p.title), Text: cleaner.Clean(p.body, p.tags)}
		if p.answer {
			c.Type = "answer"
		}
		for _, d := range cleaner.Drops() {
			c.Drops = append(c.Drops, Dropped(d))
		}
		chunks, err := o.Windows.Chunks(ctx, c.Title, c.Text)
		if err != nil {
			return err
		}
		texts := make([]string, len(chunks))
		for i, chunk := range chunks {
			texts[i] = chunk.Text
		}
		tokens, err := o.Windows.countTokens(ctx, texts)
		if err != nil {
			return err
		}
		for i, chunk := range chunks {
			c.Chunks = append(c.Chunks, CleanedChunk{chunk.Start, chunk.End, tokens[i], chunk.Text})
		}
		return nil
	})
	if err == nil && c == nil {
		err = schema.Faultf(schema.FaultUsage, "give the id of a question or an answer", "the tables have no question or answer %d", id)
	}
	return c, err
}

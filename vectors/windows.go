package vectors

import (
	"context"
	"slices"

	"s2g/schema"
	"s2g/vectors/embed"
	"s2g/vectors/text"
)

// Windows cuts posts as a build does. Where the dense embedder's endpoints count
// tokens as their model does (the route /tokenize) windows are of those tokens, else
// of the tokens that vectors/text counts.
type Windows struct {
	Size, Overlap int             // tokens
	By            embed.Tokenizer // nil: text.Tokens
}

// Chunks cuts a post's clean text.
func (w Windows) Chunks(ctx context.Context, title, cleaned string) ([]text.Chunk, error) {
	if w.By == nil {
		return text.Chunks(title, cleaned, w.Size, w.Overlap), nil
	}
	return text.ChunksBy(title, cleaned, w.Size, w.Overlap, func(texts []string) ([]int, error) { return w.By.Tokens(ctx, texts) })
}

// tokens counts the tokens of texts.
func (w Windows) tokens(ctx context.Context, texts []string) ([]int, error) {
	if w.By != nil {
		return w.By.Tokens(ctx, texts)
	}
	counts := make([]int, len(texts))
	for i, t := range texts {
		counts[i] = text.Tokens(t)
	}
	return counts, nil
}

// The rules by which windows are cut, as the first note of a run has them.
const (
	windowsNote     = "vectors/windows"
	ownWindows      = "counted by s2g"
	endpointWindows = "counted by the endpoint"
)

func (w Windows) rule() string {
	if w.By == nil {
		return ownWindows
	}
	return endpointWindows
}

// openWindows decides by which tokens windows are cut, and notes it before the first
// unit: a run that goes on cuts the rest by the same. What endpoints can do is no part
// of the stage's key, which must be known while they are down.
func (s *stage) openWindows() error {
	s.windows = Windows{s.Window, s.Overlap, embed.TokenizerOf(s.dense)}
	noted, ok := s.files[windowsNote]
	if !ok {
		return s.run.Note(windowsNote, 0, s.windows.rule())
	}
	if noted.At == s.windows.rule() {
		return nil
	}
	if noted.At == ownWindows { // a route that was not there then
		s.windows.By = nil
		return nil
	}
	return schema.Faultf(schema.FaultService, "serve the model with its route /tokenize again, or build into another folder",
		"an interrupted run has cut windows by the endpoint's tokens, which it does not count now")
}

// CodeLanguage returns the language that code is in where it does not say: the first
// of the table that the question is tagged with, so that a text is the same in the
// shards of all its languages. Stored tags are |a|b|.
func CodeLanguage(stored []byte, languages []schema.Language) string {
	tags := tagList(stored)
	for _, l := range languages {
		if slices.Contains(tags, l.Tag) {
			return l.Tag
		}
	}
	return ""
}

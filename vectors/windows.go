package vectors

import (
	"context"

	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/vectors/embed"
	"s2g/vectors/text"
)

// Windows cuts posts as a build does. Where the dense embedder's endpoints count
// tokens as their model does (the route /tokenize) windows are of those tokens, else
// of the tokens that vectors/text counts.
type Windows struct {
	Size, Overlap int             // tokens
	By            embed.Tokenizer // nil: text.EstimateTokens
}

// Chunks cuts a post's clean text.
func (w Windows) Chunks(ctx context.Context, title, cleaned string) ([]text.Chunk, error) {
	if w.By == nil {
		return text.Chunks(title, cleaned, w.Size, w.Overlap), nil
	}
	return text.ChunksCounted(title, cleaned, w.Size, w.Overlap, func(texts []string) ([]int, error) { return w.By.Tokens(ctx, texts) })
}

// tokens counts the tokens of texts.
func (w Windows) tokens(ctx context.Context, texts []string) ([]int, error) {
	if w.By != nil {
		return w.By.Tokens(ctx, texts)
	}
	counts := make([]int, len(texts))
	for i, t := range texts {
		counts[i] = text.EstimateTokens(t)
	}
	return counts, nil
}

// The rules by which windows are cut, as the first note of a run has them, and the
// manifest of a build.
const (
	windowsNote     = "vectors/windows"
	ownWindows      = "s2g"
	endpointWindows = "endpoint"
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
	if most := embed.MaxTokensOf(s.dense); most > 0 && s.Window > most {
		s.Log.Warn("windows are longer than the model reads: the end of each long one is in no dense vector; give a smaller --window",
			"window", s.Window, "model", s.dense.Model(), "reads", most)
	}
	noted, ok := s.files[windowsNote]
	if !ok {
		return s.outputs.Note(windowsNote, 0, s.windows.rule())
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

// CutByEndpoint says whether a build's windows are of the tokens of its endpoint.
func CutByEndpoint(m *manifest.Manifest) bool {
	stage := m.Stages[manifest.Vectors]
	return stage != nil && stage.Embedders != nil && stage.Embedders.Windows == endpointWindows
}

// WindowsOf are the windows of the build that m is of, or of one with its options that
// has no vectors yet. The dense embedder is needed where [CutByEndpoint]; one whose
// endpoints do not count tokens now is a fault of the service.
func WindowsOf(m *manifest.Manifest, dense embed.Dense) (Windows, error) {
	w := Windows{Size: m.Options.Window, Overlap: m.Options.Overlap}
	if w.Size == 0 {
		w.Size, w.Overlap = DefaultWindow, DefaultOverlap
	}
	if !CutByEndpoint(m) {
		return w, nil
	}
	if w.By = embed.TokenizerOf(dense); w.By == nil {
		return w, schema.Faultf(schema.FaultService, "serve the model with its route /tokenize again",
			"the build's windows are of the endpoint's tokens, which it does not count now")
	}
	return w, nil
}

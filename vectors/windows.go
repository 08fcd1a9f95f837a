package vectors

import (
	"context"

	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/vectors/embed"
	"s2g/vectors/text"
)

// Windows cut posts into chunks. Sizes are in tokens of the dense model where its endpoints
// count them (the route /tokenize), else in tokens that vectors/text estimates.
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

// countTokens returns the number of tokens of each text.
func (w Windows) countTokens(ctx context.Context, texts []string) ([]int, error) {
	if w.By != nil {
		return w.By.Tokens(ctx, texts)
	}
	counts := make([]int, len(texts))
	for i, t := range texts {
		counts[i] = text.EstimateTokens(t)
	}
	return counts, nil
}

// The values of Windows.rule, in the first note of a run and in the manifest of a build.
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

// openWindows decides which tokens the windows count, and notes it before the first unit. A
// resumed run must count the same. The stage's key does not contain this rule, because s2g
// computes the key also while the endpoints are down.
func (r *run) openWindows() error {
	r.windows = Windows{r.Window, *r.Overlap, embed.TokenizerOf(r.dense)}
	if most := embed.MaxTokensOf(r.dense); most > 0 && r.Window > most {
		r.Log.Warn("windows are longer than the model reads: the end of each long one is in no dense vector; give a smaller option window",
			"window", r.Window, "model", r.dense.Model(), "reads", most)
	}
	noted, ok := r.committed[windowsNote]
	switch {
	case !ok:
		return r.sink.Note(windowsNote, 0, r.windows.rule())
	case noted.At == r.windows.rule():
		return nil
	case noted.At == ownWindows: // the endpoints did not count tokens then
		r.windows.By = nil
		return nil
	}
	return schema.Faultf(schema.FaultService, "serve the model with its route /tokenize again, or build into another folder",
		"an interrupted run has cut windows by the endpoint's tokens, which it does not count now")
}

// CutByEndpoint reports whether the windows of a build count the tokens of its endpoint.
func CutByEndpoint(m *manifest.Manifest) bool {
	stage := m.Stages[manifest.Vectors]
	return stage != nil && stage.Embedders != nil && stage.Embedders.Windows == endpointWindows
}

// WindowsOf returns the windows of the build with the manifest m, which may have no vectors
// yet. Where [CutByEndpoint] reports true, dense must be the build's embedder; it is a
// service fault if its endpoints do not count tokens.
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

package embed

import "context"

// Tokenizer counts tokens as the model does that makes the vectors: with the document's prefix and the special
// tokens, which the model's limit counts, too.
type Tokenizer interface {
	Tokens(ctx context.Context, texts []string) ([]int, error)
}

// TokenizerOf returns the tokenizer of an embedder whose endpoints have one, else nil.
func TokenizerOf(d Dense) Tokenizer {
	if t, ok := d.(interface{ tokenizer() Tokenizer }); ok {
		return t.tokenizer()
	}
	return nil
}

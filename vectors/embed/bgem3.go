package embed

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"s2g/schema"
)

// firstWord is the first token of BGE-M3's vocabulary that is a word or a part of one: the four before begin and end
// a text, fill it up, and stand for what is unknown.
const firstWord = 4

// bgeM3 makes the lexical weights of BGE-M3 (Chen et al., arXiv 2402.03216) as vLLM serves them (its
// docs/models/pooling_models/specific_models.md, and tests/models/language/pooling/test_bge_m3.py), whose route /pooling
// answers a weight for each token by the task token_classify, and whose route /tokenize says which tokens those are.
// A token that stands several times counts by its greatest weight. The model has learned what a term is worth, so
// there is no idf. It is safe for concurrent use.
type bgeM3 struct {
	spec   Spec
	batch  batcher
	tokens *remoteTokenizer
}

func openBGEM3(ctx context.Context, s Spec, endpoints []*endpoint, o RemoteOptions) (*bgeM3, error) {
	m := &bgeM3{spec: s}
	m.batch.pool = newPool(endpoints, o.InFlight, o)
	m.batch.path, m.batch.body, m.batch.read, m.batch.sane = "//pooling", m.body, m.read, "a text of some words"
	m.batch.configure(s)
	one := make([][]float32, 1)
	err := m.batch.request(ctx, []string{m.batch.sane}, truncation{}, one)
	if refused := asRefusal(err); refused != nil {
		err = schema.Faultf(schema.FaultUsage, `serve it with vLLM, --pooler-config.task token_classify and --hf-overrides '{"architectures": ["BgeM3EmbeddingModel"]}'`,
			"the server gives no weights of tokens: %w", refused)
	}
	if err != nil {
		return nil, err
	}
	if m.tokens = openTokenizer(ctx, s, endpoints, "", o); m.tokens == nil {
		return nil, schema.Faultf(schema.FaultUsage, "serve it with vLLM", "the server has no route /tokenize, without which nobody knows which tokens its weights are of")
	}
	o.Log.Info("sparse embedder", "model", m.Model(), "endpoints", len(endpoints))
	return m, nil
}

// Model returns the model's name.
func (m *bgeM3) Model() string {
	if m.spec.MaxTokens != 0 {
		return fmt.Sprintf("%s max_tokens=%d", m.spec.Model, m.spec.MaxTokens)
	}
	return m.spec.Model
}

// IDF is false: the weights are all there is.
func (m *bgeM3) IDF() bool { return false }

// Stats returns what has been sent so far.
func (m *bgeM3) Stats() RemoteStats { return m.batch.stats() }

// Documents returns the weights of texts by token. A text that is longer than the model takes counts up to there. One
// without a word, and one that the server refuses, has an empty vector.
func (m *bgeM3) Documents(ctx context.Context, texts []string) ([]SparseVector, error) {
	out, err := m.vectors(ctx, texts)
	if err != nil {
		return nil, fmt.Errorf("weights of %d texts by %s: %w", len(texts), m.spec.Model, err)
	}
	return out, nil
}

// Query returns the weights of text, the same that it has as a document.
func (m *bgeM3) Query(ctx context.Context, text string) (SparseVector, error) {
	out, err := m.Documents(ctx, []string{text})
	if err != nil {
		return SparseVector{}, err
	}
	return out[0], nil
}

func (m *bgeM3) vectors(ctx context.Context, texts []string) ([]SparseVector, error) {
	var send []string
	var at []int
	for i, text := range texts {
		if strings.TrimSpace(text) != "" {
			send, at = append(send, text), append(at, i)
		}
	}
	ids, err := m.fit(ctx, send)
	if err != nil {
		return nil, err
	}
	weights, err := m.batch.send(ctx, send)
	if err != nil {
		return nil, err
	}
	if err := m.again(ctx, send, ids, weights); err != nil {
		return nil, err
	}
	out := make([]SparseVector, len(texts))
	for k, w := range weights {
		if w == nil {
			continue // refused
		}
		if out[at[k]], err = lexicalWeights(ids[k], w); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// again asks for the weights of refused texts of one word: versions of vLLM (0.15 and some later ones) fail where there
// is but one weight to answer. The word twice over is not refused, and says nearly the same.
func (m *bgeM3) again(ctx context.Context, texts []string, ids [][]uint32, weights [][]float32) error {
	for i := range texts {
		words := 0
		for _, id := range ids[i] {
			if id >= firstWord {
				words++
			}
		}
		if weights[i] != nil || words != 1 {
			continue
		}
		twice := []string{texts[i] + " " + texts[i]}
		more, err := m.tokens.tokenize(ctx, twice)
		if err != nil {
			return err
		}
		if err := m.batch.request(ctx, twice, truncation{}, weights[i:i+1]); asRefusal(err) == nil && err != nil {
			return err
		} else if err == nil {
			ids[i] = more[0]
			m.batch.refused.Add(-1)
		}
	}
	return nil
}

// fit returns the tokens of texts, and shortens those that are longer than the model takes. (The server would do it,
// too, but what is left would have other tokens than /tokenize says.)
func (m *bgeM3) fit(ctx context.Context, texts []string) ([][]uint32, error) {
	ids, err := m.tokens.tokenize(ctx, texts)
	if err != nil {
		return nil, err
	}
	limit := cmp.Or(m.spec.MaxTokens, m.tokens.limit())
	for i := range ids {
		for long := true; limit > 0 && len(ids[i]) > limit && texts[i] != ""; long = false {
			if long {
				m.batch.truncated.Add(1)
			}
			texts[i] = cutShort(texts[i], limit*len(texts[i])/(8*len(ids[i])))
			again, err := m.tokens.tokenize(ctx, texts[i:i+1])
			if err != nil {
				return nil, err
			}
			ids[i] = again[0]
		}
	}
	return ids, nil
}

// lexicalWeights joins the tokens of a text with their weights. vLLM leaves out the weight of the first token, which
// begins the text, and in newer versions that of the last, which ends it.
func lexicalWeights(ids []uint32, weights []float32) (SparseVector, error) {
	switch missing := len(ids) - len(weights); {
	case (missing == 1 || missing == 2) && ids[0] < firstWord:
		ids = ids[1:]
	case missing != 0:
		return SparseVector{}, schema.Faultf(schema.FaultService, "see that all endpoints serve the same model by the same version of vLLM",
			"the server gives %d weights for %d tokens", len(weights), len(ids))
	}
	greatest := make(map[uint32]float32, len(weights))
	for i, w := range weights {
		if id := ids[i]; id >= firstWord && w > greatest[id] {
			greatest[id] = w
		}
	}
	v := SparseVector{Indices: make([]uint32, 0, len(greatest)), Values: make([]float32, 0, len(greatest))}
	for id := range greatest {
		v.Indices = append(v.Indices, id)
	}
	slices.Sort(v.Indices)
	for _, id := range v.Indices {
		v.Values = append(v.Values, greatest[id])
	}
	return v, nil
}

func (m *bgeM3) body(texts []string, _ truncation) []byte {
	return marshal(map[string]any{"model": m.spec.Model, "input": texts, "task": "token_classify"})
}

// read takes the weights out of an answer: a list of numbers for each text, in some versions of lists of one number,
// or one number alone where the text has one token.
func (m *bgeM3) read(e *endpoint, answer []byte, texts int) ([][]float32, error) {
	var a struct {
		Data []struct {
			Index int             `json:"index"`
			Data  json.RawMessage `json:"data"`
		} `json:"data"`
	}
	if err := json.Unmarshal(answer, &a); err != nil {
		return nil, &failure{err: fmt.Errorf("answer of %s: %w", e.base, err)}
	}
	if len(a.Data) != texts {
		return nil, &failure{err: fmt.Errorf("answer of %s: weights of %d texts for %d", e.base, len(a.Data), texts)}
	}
	out := make([][]float32, texts)
	for i, d := range a.Data {
		if d.Index != i {
			return nil, &failure{err: fmt.Errorf("answer of %s: its texts are in another order", e.base)}
		}
		if len(d.Data) > 0 && d.Data[0] != '[' {
			d.Data = append(append(json.RawMessage("["), d.Data...), ']')
		}
		weights, err := decodeNumbers(d.Data)
		if err == nil && !finite(weights) {
			err = errNotFinite
		}
		if err != nil {
			return nil, &failure{err: fmt.Errorf("answer of %s: %w", e.base, err)}
		}
		out[i] = weights
	}
	return out, nil
}

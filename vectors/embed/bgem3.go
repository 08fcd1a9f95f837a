package embed

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"s2g/schema"
)

// firstWord is the first token of BGE-M3's vocabulary that is a word or a part of one. The four before it begin and end a
// text, pad it, and replace unknown words.
const firstWord = 4

// bgeM3 requests the lexical weights of BGE-M3 (Chen et al., arXiv 2402.03216) as vLLM serves them (its
// docs/models/pooling_models/specific_models.md, and tests/models/language/pooling/test_bge_m3.py). The route /pooling
// returns a weight for each token by the task token_classify, and the route /tokenize the tokens. A token that occurs
// several times has its greatest weight. The weights are learned and need no idf. It is safe for concurrent use.
type bgeM3 struct {
	spec      Spec
	batch     *batcher
	tokenizer *remoteTokenizer
}

func openBGEM3(ctx context.Context, s Spec, endpoints []*endpoint, o RemoteOptions) (*bgeM3, error) {
	m := &bgeM3{spec: s}
	m.batch = &batcher{pool: newPool(endpoints, o.inFlight, o), path: "//pooling", body: m.body, read: m.read, control: "a text of some words"}
	m.batch.setSizes(s)
	one := make([][]float32, 1)
	err := m.batch.sendRequest(ctx, []string{m.batch.control}, noTruncation, one)
	if refused := asRefusal(err); refused != nil {
		err = schema.Faultf(schema.FaultUsage, `serve it with vLLM, --pooler-config.task token_classify and --hf-overrides '{"architectures": ["BgeM3EmbeddingModel"]}'`,
			"the server returns no weights of tokens: %w", refused)
	}
	if err == nil && !slices.ContainsFunc(one[0], func(w float32) bool { return w > 0 }) {
		err = schema.Faultf(schema.FaultService, "see that the server serves BGE-M3 with its sparse weights", "the server returns no weight above zero of a text of some words")
	}
	if err != nil {
		return nil, err
	}
	if m.tokenizer = openTokenizer(ctx, s, endpoints, "", o); m.tokenizer == nil {
		return nil, schema.Faultf(schema.FaultUsage, "serve it with vLLM", "the server lacks the route /tokenize, which returns the tokens of its weights")
	}
	o.Log.Info("sparse embedder", "model", m.Model(), "endpoints", len(endpoints))
	return m, nil
}

// Model returns the model's name.
func (m *bgeM3) Model() string {
	return m.spec.DocumentModel()
}

// IDF returns false: the weights are complete.
func (m *bgeM3) IDF() bool { return false }

func (m *bgeM3) stats() RemoteStats { return m.batch.stats() }

// Documents returns the weights of texts by token. A text that is longer than the model's limit is cut there. A text
// without a word, and one that the server refuses, has an empty vector.
func (m *bgeM3) Documents(ctx context.Context, texts []string) ([]SparseVector, error) {
	out, err := m.vectors(ctx, texts)
	if err != nil {
		return nil, fmt.Errorf("weights of %d texts by %s: %w", len(texts), m.spec.Model, err)
	}
	return out, nil
}

// Query returns the weights of text, which are the same as those of a document.
func (m *bgeM3) Query(ctx context.Context, text string) (SparseVector, error) {
	out, err := m.Documents(ctx, []string{text})
	if err != nil {
		return SparseVector{}, err
	}
	return out[0], nil
}

func (m *bgeM3) vectors(ctx context.Context, texts []string) ([]SparseVector, error) {
	send, at := nonBlank(texts, "")
	ids, err := m.tokenizeToLimit(ctx, send)
	if err != nil {
		return nil, err
	}
	weights, err := m.batch.send(ctx, send)
	if err != nil {
		return nil, err
	}
	if err := m.repeatSingleWords(ctx, send, ids, weights); err != nil {
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

// tokenizeToLimit returns the tokens of texts, and shortens in place the texts that are longer than the model's limit. The
// server would shorten them, too, but to other tokens than those of /tokenize.
func (m *bgeM3) tokenizeToLimit(ctx context.Context, texts []string) ([][]uint32, error) {
	ids, err := m.tokenizer.tokenize(ctx, texts)
	if err != nil {
		return nil, err
	}
	limit := cmp.Or(m.spec.MaxTokens, m.tokenizer.limit())
	for i := range ids {
		for first := true; limit > 0 && len(ids[i]) > limit && texts[i] != ""; first = false {
			if first {
				m.batch.truncated.Add(1)
			}
			texts[i] = shorten(texts[i], limit*len(texts[i])/(8*len(ids[i])))
			again, err := m.tokenizer.tokenize(ctx, texts[i:i+1])
			if err != nil {
				return nil, err
			}
			ids[i] = again[0]
		}
	}
	return ids, nil
}

// repeatSingleWords requests the weights of refused texts of one word again, with the word twice: versions of vLLM (0.15 and
// some later ones) fail where the answer is a single weight. The weights of the word twice are nearly the same.
func (m *bgeM3) repeatSingleWords(ctx context.Context, texts []string, ids [][]uint32, weights [][]float32) error {
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
		tokens, err := m.tokenizer.tokenize(ctx, twice)
		if err != nil {
			return err
		}
		err = m.batch.sendRequest(ctx, twice, noTruncation, weights[i:i+1])
		if asRefusal(err) != nil {
			continue
		}
		if err != nil {
			return err
		}
		ids[i] = tokens[0]
		m.batch.refused.Add(-1)
	}
	return nil
}

// lexicalWeights returns the greatest weight of each token of a text. vLLM omits the weight of the first token, which begins
// the text, and newer versions that of the last, which ends it.
func lexicalWeights(ids []uint32, weights []float32) (SparseVector, error) {
	switch missing := len(ids) - len(weights); {
	case (missing == 1 || missing == 2) && ids[0] < firstWord:
		ids = ids[1:]
	case missing != 0:
		return SparseVector{}, schema.Faultf(schema.FaultService, "see that all endpoints serve the same model by the same version of vLLM",
			"the server returns %d weights for %d tokens", len(weights), len(ids))
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

// read returns the weights of an answer: a list of numbers for each text, in some versions a list of lists of one number,
// or a number alone where the text has one token.
func (m *bgeM3) read(e *endpoint, answer []byte, texts int) ([][]float32, error) {
	var a struct {
		Data []struct {
			Index int             `json:"index"`
			Data  json.RawMessage `json:"data"`
		} `json:"data"`
	}
	if err := json.Unmarshal(answer, &a); err != nil {
		return nil, e.answerError(err)
	}
	if len(a.Data) != texts {
		err := fmt.Errorf("weights of %d texts for %d", len(a.Data), texts)
		if message := e.reportedError(answer); message != "" {
			err = fmt.Errorf("%w: %s", err, message)
		}
		return nil, e.brokenAnswer(err)
	}
	out := make([][]float32, texts)
	for i, d := range a.Data {
		if d.Index != i {
			return nil, e.brokenAnswer(fmt.Errorf("the weights at %d have the index %d", i, d.Index))
		}
		if len(d.Data) > 0 && d.Data[0] != '[' {
			d.Data = append(append(json.RawMessage("["), d.Data...), ']')
		}
		var err error
		if out[i], err = decodeNumbers(d.Data); err != nil {
			return nil, e.answerError(err)
		}
	}
	return out, nil
}

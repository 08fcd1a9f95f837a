package embed

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"s2g/schema"
)

// openAI requests dense vectors by the route /embeddings of OpenAI's API, which vLLM, TEI, Ollama, llama.cpp and Infinity
// serve, too. It is safe for concurrent use.
type openAI struct {
	spec      Spec
	card      modelCard
	batch     *batcher
	plain     atomic.Bool      // requests omit encoding_format
	tokenizer *remoteTokenizer // nil: no endpoint has one

	mu    sync.Mutex
	first struct { // the first answer
		dim             int
		model, endpoint string
	}
}

func openOpenAI(ctx context.Context, s Spec, endpoints []*endpoint, o RemoteOptions) (*openAI, error) {
	m := &openAI{spec: s, card: s.card()}
	m.batch = &batcher{pool: newPool(endpoints, o.inFlight, o), path: "/embeddings", body: m.body, read: m.read,
		control: m.card.DocumentPrefix + "a", textLimit: m.maxTokens, differing: true}
	m.batch.setSizes(s)
	if err := m.probe(ctx); err != nil {
		return nil, err
	}
	m.tokenizer = openTokenizer(ctx, s, endpoints, m.card.DocumentPrefix, o)
	o.Log.Info("dense embedder", "model", m.Model(), "served as", m.first.model, "dimensions", m.first.dim, "endpoints", len(endpoints), "tokenizer", m.tokenizer != nil,
		"before documents", m.card.DocumentPrefix, "before queries", m.card.QueryPrefix)
	return m, nil
}

// probe requests one vector.
func (m *openAI) probe(ctx context.Context) error {
	one := make([][]float32, 1)
	err := m.batch.sendRequest(ctx, []string{m.batch.control}, noTruncation, one)
	if asRefusal(err) != nil {
		m.plain.Store(true) // perhaps the server refuses the encoding
		err = m.batch.sendRequest(ctx, []string{m.batch.control}, noTruncation, one)
	}
	if refused := asRefusal(err); refused != nil {
		return schema.Faultf(schema.FaultUsage, "see that the model's name and the parameters are those of the server", "the server refuses the simplest request: %w", refused)
	}
	return err
}

// Model returns the model's name, with all else that shapes the vectors of documents.
func (m *openAI) Model() string {
	return m.spec.DocumentModel()
}

// Dim returns the length of the vectors in the first answer.
func (m *openAI) Dim() int { return m.first.dim }

// Documents returns the vectors of texts. That of a blank text, and of one that the server refuses even when shortened, is the
// first axis. [RemoteStats] counts refused texts.
func (m *openAI) Documents(ctx context.Context, texts []string) ([][]float32, error) {
	send, at := nonBlank(texts, m.card.DocumentPrefix)
	vectors, err := m.batch.send(ctx, send)
	if err != nil {
		return nil, fmt.Errorf("embed %d texts with %s: %w", len(texts), m.spec.Model, err)
	}
	out := make([][]float32, len(texts))
	for k, v := range vectors {
		out[at[k]] = v
	}
	for i, v := range out {
		if v == nil {
			out[i] = make([]float32, m.first.dim)
		}
		if !normalise(out[i]) {
			out[i][0] = 1
		}
	}
	return out, nil
}

// Query returns the vector of a query, with the model's prefix of queries before it.
func (m *openAI) Query(ctx context.Context, text string) ([]float32, error) {
	vectors, err := m.batch.send(ctx, []string{m.card.QueryPrefix + text})
	if err == nil && (vectors[0] == nil || !normalise(vectors[0])) {
		err = schema.Faultf(schema.FaultUsage, "", "the server returns no vector of the query")
	}
	if err != nil {
		return nil, fmt.Errorf("embed a query with %s: %w", m.spec.Model, err)
	}
	return vectors[0], nil
}

func (m *openAI) stats() RemoteStats { return m.batch.stats() }

// TokenizerOf returns the tokenizer of an embedder whose endpoints have one, else nil.
func TokenizerOf(d Dense) Tokenizer {
	if m, ok := d.(*openAI); ok && m.tokenizer != nil {
		return m.tokenizer
	}
	return nil
}

// MaxTokensOf returns the limit of a dense embedder, in tokens of a text: 0 if there is none, or it is unknown.
func MaxTokensOf(d Dense) int {
	if m, ok := d.(*openAI); ok {
		return m.maxTokens()
	}
	return 0
}

// maxTokens returns the limit of the spec, else the server's, else the model card's.
func (m *openAI) maxTokens() int {
	if m.spec.MaxTokens == 0 && m.tokenizer != nil && m.tokenizer.limit() > 0 {
		return m.tokenizer.limit()
	}
	return m.card.MaxTokens
}

// embeddingsRequest is the body of a request to /embeddings. Parameters that not every server accepts are omitted where
// they have no effect.
type embeddingsRequest struct {
	Model          string     `json:"model"`
	Input          []string   `json:"input"`
	EncodingFormat string     `json:"encoding_format,omitempty"`
	Dimensions     int        `json:"dimensions,omitempty"`
	Truncate       truncation `json:"truncate_prompt_tokens,omitempty"` // vLLM's
}

func (m *openAI) body(texts []string, t truncation) []byte {
	r := embeddingsRequest{Model: m.spec.Model, Input: texts, Dimensions: m.spec.Dimensions, Truncate: t}
	if !m.plain.Load() {
		r.EncodingFormat = "base64"
	}
	return marshal(r)
}

// marshal returns v, which JSON can hold, without the escapes that make code longer.
func marshal(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v)
	return b.Bytes()
}

// read returns the vectors of an answer. All answers must agree in the length of the vectors and the name of the model.
func (m *openAI) read(e *endpoint, answer []byte, texts int) ([][]float32, error) {
	vectors, served, err := decodeEmbeddings(answer, texts)
	if _, form := errors.AsType[*formError](err); form {
		if message := e.reportedError(answer); message != "" { // with status 200
			err = fmt.Errorf("%w: %s", err, message)
		}
		return nil, e.brokenAnswer(err)
	}
	if err != nil {
		return nil, e.answerError(err)
	}
	for i, v := range vectors {
		if err := m.checkAnswer(e, i, len(v), e.secrets.Text(served, 200)); err != nil {
			return nil, err
		}
	}
	return vectors, nil
}

// checkAnswer compares the length of the vector of an index, and the name of its model, with the model card and the first
// answer.
func (m *openAI) checkAnswer(e *endpoint, index, dim int, served string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	fault := func(format string, args ...any) error {
		return schema.Faultf(schema.FaultUsage, "let all endpoints serve the model that the spec names", "%s "+format, append([]any{e.base}, args...)...)
	}
	if m.first.dim == 0 {
		if m.card.Dim != 0 && dim != m.card.Dim {
			return fault("returns vectors of %d dimensions, %s has %d", dim, m.spec.Model, m.card.Dim)
		}
		if dim == 0 || dim > maxDims {
			return fault("returns vectors of %d dimensions", dim)
		}
		m.first.dim, m.first.model, m.first.endpoint = dim, served, e.base
	}
	if dim != m.first.dim && e.base == m.first.endpoint {
		return schema.Faultf(schema.FaultService, "look at the server's log: it may have loaded another model",
			"%s returns a vector of %d dimensions (index %d of the answer), and before of %d", e.base, dim, index, m.first.dim)
	}
	if dim != m.first.dim {
		return fault("returns vectors of %d dimensions, %s of %d", dim, m.first.endpoint, m.first.dim)
	}
	if served != m.first.model && served != "" && m.first.model != "" {
		return fault("serves the model %q, %s %q", served, m.first.endpoint, m.first.model)
	}
	return nil
}

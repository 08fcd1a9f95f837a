package embed

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"s2g/schema"
)

// openAI makes dense vectors by the route /embeddings of OpenAI's API, which vLLM, TEI, Ollama, llama.cpp and
// Infinity serve, too. It is safe for concurrent use.
type openAI struct {
	spec   Spec
	known  modelCard
	batch  batcher
	plain  atomic.Bool // the server takes no encoding_format
	tokens *remoteTokenizer

	mu     sync.Mutex
	dim    int    // of the first answer
	served string // the model's name in the first answer
	by     string // the endpoint that gave it
}

func openOpenAI(ctx context.Context, s Spec, endpoints []*endpoint, o RemoteOptions) (*openAI, error) {
	m := &openAI{spec: s, known: s.model()}
	m.batch.pool = newPool(endpoints, o.InFlight, o)
	m.batch.path, m.batch.body, m.batch.read, m.batch.sane = "/embeddings", m.body, m.read, m.known.Document+"a"
	m.batch.configure(s)
	m.batch.shorten, m.batch.maxTokens = true, m.maxTokens
	if err := m.probe(ctx); err != nil {
		return nil, err
	}
	m.tokens = openTokenizer(ctx, s, endpoints, m.known.Document, o)
	o.Log.Info("dense embedder", "model", m.Model(), "served as", m.served, "dimensions", m.dim, "endpoints", len(endpoints), "tokenizer", m.tokens != nil,
		"before documents", m.known.Document, "before queries", m.known.Query)
	return m, nil
}

// probe sends one text, to see that vectors come.
func (m *openAI) probe(ctx context.Context) error {
	one := make([][]float32, 1)
	err := m.batch.request(ctx, []string{m.batch.sane}, truncation{}, one)
	if refused := asRefusal(err); refused != nil {
		m.plain.Store(true) // perhaps it was the encoding
		err = m.batch.request(ctx, []string{m.batch.sane}, truncation{}, one)
	}
	if refused := asRefusal(err); refused != nil {
		return schema.Faultf(schema.FaultUsage, "see that the model's name and the parameters are those of the server", "the server refuses the simplest request: %w", refused)
	}
	return err
}

// Model returns the model's name, with what else shapes the vectors of documents.
func (m *openAI) Model() string {
	name := m.spec.Model
	if m.spec.Dimensions != 0 {
		name += fmt.Sprintf(" dimensions=%d", m.spec.Dimensions)
	}
	if m.spec.DocumentPrefix != nil {
		name += fmt.Sprintf(" document_prefix=%q", *m.spec.DocumentPrefix)
	}
	if m.spec.MaxTokens != 0 {
		name += fmt.Sprintf(" max_tokens=%d", m.spec.MaxTokens)
	}
	return name
}

// Dim returns the length of the vectors, as the first answer had it.
func (m *openAI) Dim() int { return m.dim }

// Documents returns the vectors of texts. One without text, and one that the server refuses however short it is made,
// gets the first axis, and is counted.
func (m *openAI) Documents(ctx context.Context, texts []string) ([][]float32, error) {
	send := make([]string, 0, len(texts))
	at := make([]int, 0, len(texts))
	for i, text := range texts {
		if strings.TrimSpace(text) != "" {
			send, at = append(send, m.known.Document+text), append(at, i)
		}
	}
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
			out[i] = make([]float32, m.dim)
		}
		if !normalise(out[i]) {
			out[i][0] = 1
		}
	}
	return out, nil
}

// Query returns the vector of a query, with the prefix that the model wants before one.
func (m *openAI) Query(ctx context.Context, text string) ([]float32, error) {
	vectors, err := m.batch.send(ctx, []string{m.known.Query + text})
	if err == nil && (vectors[0] == nil || !normalise(vectors[0])) {
		err = schema.Faultf(schema.FaultUsage, "", "the server gives the query no vector")
	}
	if err != nil {
		return nil, fmt.Errorf("embed a query with %s: %w", m.spec.Model, err)
	}
	return vectors[0], nil
}

// Stats returns what has been sent so far.
func (m *openAI) Stats() RemoteStats { return m.batch.stats() }

func (m *openAI) tokenizer() Tokenizer {
	if m.tokens == nil {
		return nil
	}
	return m.tokens
}

// MaxTokensOf returns how many tokens of a text a dense embedder reads at most; 0 where there is no such limit, or it is
// not known.
func MaxTokensOf(d Dense) int {
	if m, ok := d.(*openAI); ok {
		return m.maxTokens()
	}
	return 0
}

// maxTokens is the longest text that the model takes: as the spec says, else as the server does, else as is known.
func (m *openAI) maxTokens() int {
	if m.spec.MaxTokens == 0 && m.tokens != nil && m.tokens.limit() > 0 {
		return m.tokens.limit()
	}
	return m.known.MaxTokens
}

// embeddingsRequest is what /embeddings takes. Parameters that not every server knows are left out where they do not
// matter.
type embeddingsRequest struct {
	Model          string   `json:"model"`
	Input          []string `json:"input"`
	EncodingFormat string   `json:"encoding_format,omitempty"`
	Dimensions     int      `json:"dimensions,omitempty"`
	Truncate       int      `json:"truncate_prompt_tokens,omitempty"` // vLLM's
}

func (m *openAI) body(texts []string, t truncation) []byte {
	r := embeddingsRequest{Model: m.spec.Model, Input: texts, Dimensions: m.spec.Dimensions, Truncate: t.tokens}
	if !m.plain.Load() {
		r.EncodingFormat = "base64"
	}
	return marshal(r)
}

// marshal writes JSON without the escapes that make code in texts longer. What it is given can be written.
func marshal(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v)
	return b.Bytes()
}

// read takes the vectors out of an answer, and holds them against the answers before.
func (m *openAI) read(e *endpoint, answer []byte, texts int) ([][]float32, error) {
	vectors, served, err := decodeEmbeddings(answer, texts)
	if err != nil {
		return nil, &failure{err: fmt.Errorf("answer of %s: %w", e.base, err)}
	}
	for _, v := range vectors {
		if !finite(v) {
			return nil, &failure{err: fmt.Errorf("answer of %s: %w", e.base, errNotFinite)}
		}
		if err := m.agree(e, len(v), served); err != nil {
			return nil, err
		}
	}
	return vectors, nil
}

// agree holds a vector's length, and the name of the model, against what is known and what came before.
func (m *openAI) agree(e *endpoint, dim int, served string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	remedy := "let all endpoints serve the model that the spec names"
	if m.dim == 0 {
		if m.known.Dim != 0 && dim != m.known.Dim {
			return schema.Faultf(schema.FaultUsage, remedy, "%s answers vectors of %d dimensions, %s has %d", e.base, dim, m.spec.Model, m.known.Dim)
		}
		if dim == 0 || dim > maxDims {
			return schema.Faultf(schema.FaultUsage, remedy, "%s answers vectors of %d dimensions", e.base, dim)
		}
		m.dim, m.served, m.by = dim, served, e.base
	}
	if dim != m.dim {
		return schema.Faultf(schema.FaultUsage, remedy, "%s answers vectors of %d dimensions, %s of %d", e.base, dim, m.by, m.dim)
	}
	if served != m.served && served != "" && m.served != "" {
		return schema.Faultf(schema.FaultUsage, remedy, "%s serves the model %q, %s %q", e.base, served, m.by, m.served)
	}
	return nil
}

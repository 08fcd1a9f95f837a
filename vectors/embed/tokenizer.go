package embed

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

// Tokenizer counts tokens as the model of the vectors does: with the prefix of documents and the special tokens, which
// the model's limit includes. It is safe for concurrent use.
type Tokenizer interface {
	// Tokens returns the number of tokens of each text.
	Tokens(ctx context.Context, texts []string) ([]int, error)
}

const (
	tokenizerInFlight = 4 // requests in flight to an endpoint: tokenization is quick and does not wait for the model
	tokenizerTimeout  = 20 * time.Second
)

// remoteTokenizer sends requests to the route /tokenize: of vLLM, one text each, or of TEI, many texts each.
type remoteTokenizer struct {
	pool     *pool
	model    string
	prefix   string
	tei      bool
	maxModel atomic.Int64 // vLLM's limit of the model; 0: unknown
	cache    countCache
}

// openTokenizer returns a tokenizer where an endpoint has one, else nil.
func openTokenizer(ctx context.Context, s Spec, endpoints []*endpoint, prefix string, o RemoteOptions) *remoteTokenizer {
	t := &remoteTokenizer{pool: newPool(endpoints, tokenizerInFlight, o), model: s.Model, prefix: prefix}
	texts := []string{"a word"}
	for _, t.tei = range []bool{false, true} {
		for _, e := range endpoints {
			ctx, cancel := context.WithTimeout(ctx, min(o.Timeout, tokenizerTimeout))
			body := t.body(texts)
			answer, err := e.post(ctx, "//tokenize", body, answerLimit(len(texts), body))
			cancel()
			if err != nil {
				e.examined.Store(false) // a request for vectors reports what is wrong
				continue
			}
			if ids, err := t.read(e, answer, len(texts)); err == nil && len(ids[0]) > 0 {
				return t
			}
		}
	}
	return nil
}

// Tokens returns the number of tokens of each text as a document.
func (t *remoteTokenizer) Tokens(ctx context.Context, texts []string) ([]int, error) {
	counts := make([]int, len(texts))
	var send []string
	var at []int
	for i, text := range texts {
		n, ok := t.cache.get(text)
		if !ok {
			send, at = append(send, t.prefix+text), append(at, i)
		}
		counts[i] = n
	}
	ids, err := t.tokenize(ctx, send)
	if err != nil {
		return nil, fmt.Errorf("count the tokens of %d texts: %w", len(texts), err)
	}
	for k, i := range at {
		counts[i] = len(ids[k])
		t.cache.put(texts[i], counts[i])
	}
	return counts, nil
}

// limit returns the number of tokens that the model accepts, as the server reports it; 0 where it does not.
func (t *remoteTokenizer) limit() int { return int(t.maxModel.Load()) }

// tokenize returns the tokens of each text, special ones included.
func (t *remoteTokenizer) tokenize(ctx context.Context, texts []string) ([][]uint32, error) {
	out := make([][]uint32, len(texts))
	size := 1
	if t.tei {
		size = defaultBatch
	}
	group, within := errgroup.WithContext(ctx)
	group.SetLimit(cap(t.pool.free))
	for from := 0; from < len(texts) && within.Err() == nil; from += size {
		part := texts[from:min(from+size, len(texts))]
		group.Go(func() error {
			body := t.body(part)
			return t.pool.send(within, request{path: "//tokenize", body: body, limit: answerLimit(len(part), body), read: func(e *endpoint, answer []byte) error {
				ids, err := t.read(e, answer, len(part))
				copy(out[from:], ids)
				return err
			}})
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return out, ctx.Err()
}

func (t *remoteTokenizer) body(texts []string) []byte {
	if t.tei {
		return marshal(map[string]any{"inputs": texts})
	}
	return marshal(map[string]any{"model": t.model, "prompt": texts[0]})
}

// read returns the tokens of an answer: one list of numbers (vLLM), or a list of objects for each text (TEI).
func (t *remoteTokenizer) read(e *endpoint, answer []byte, texts int) ([][]uint32, error) {
	if !t.tei {
		var a struct {
			Tokens []uint32 `json:"tokens"`
			Max    int64    `json:"max_model_len"`
		}
		if err := json.Unmarshal(answer, &a); err != nil {
			return nil, e.answerError(err)
		}
		t.maxModel.Store(max(0, a.Max))
		return [][]uint32{a.Tokens}, nil
	}
	var a [][]struct {
		ID uint32 `json:"id"`
	}
	if err := json.Unmarshal(answer, &a); err != nil {
		return nil, e.answerError(err)
	}
	if len(a) != texts {
		return nil, e.brokenAnswer(fmt.Errorf("tokens of %d texts for %d", len(a), texts))
	}
	ids := make([][]uint32, texts)
	for i, tokens := range a {
		ids[i] = make([]uint32, len(tokens))
		for k, token := range tokens {
			ids[i][k] = token.ID
		}
	}
	return ids, nil
}

// countCache holds the token counts of some thousand texts: those requested last, and some before them. It saves a request
// for each window, which is counted where it is cut and again for its row. The zero value works.
type countCache struct {
	mu              sync.Mutex
	recent, earlier map[uint64]int // by hash of the text
}

const cachedCounts = 4096 // of each of the two

// textSeed differs between processes: counts are not stored.
var textSeed = maphash.MakeSeed()

func (c *countCache) get(text string) (int, bool) {
	h := maphash.String(textSeed, text)
	c.mu.Lock()
	defer c.mu.Unlock()
	n, ok := c.recent[h]
	if !ok {
		n, ok = c.earlier[h]
	}
	return n, ok
}

func (c *countCache) put(text string, n int) {
	h := maphash.String(textSeed, text)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.recent == nil || len(c.recent) >= cachedCounts {
		c.recent, c.earlier = make(map[uint64]int), c.recent
	}
	c.recent[h] = n
}

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

// Tokenizer counts tokens as the model does that makes the vectors: with the document's prefix and the special
// tokens, which the model's limit counts, too. It is safe for concurrent use.
type Tokenizer interface {
	// Tokens returns how many tokens each text has.
	Tokens(ctx context.Context, texts []string) ([]int, error)
}

// TokenizerOf returns the tokenizer of an embedder whose endpoints have one, else nil.
func TokenizerOf(d Dense) Tokenizer {
	if t, ok := d.(interface{ tokenizer() Tokenizer }); ok {
		return t.tokenizer()
	}
	return nil
}

// tokenizing is how many texts an endpoint is asked to cut into tokens at once: that is quick, and does not wait for
// the model.
const tokenizing = 4

// remoteTokenizer asks the route /tokenize of vLLM, one text a request, or of TEI, many.
type remoteTokenizer struct {
	pool   *pool
	model  string
	prefix string
	many   bool // TEI's
	batch  int  // of texts
	max    atomic.Int64
	cache  countCache
}

// openTokenizer returns a tokenizer where the endpoints have one, else nil.
func openTokenizer(ctx context.Context, s Spec, endpoints []*endpoint, prefix string, o RemoteOptions) *remoteTokenizer {
	t := &remoteTokenizer{pool: newPool(endpoints, tokenizing, o), model: s.Model, prefix: prefix, batch: defaultBatch}
	for _, many := range []bool{false, true} {
		t.many = many
		for _, e := range endpoints {
			if ids, err := t.ask(ctx, e, []string{"a word"}); err == nil && len(ids[0]) > 0 {
				return t
			}
		}
	}
	return nil
}

// ask asks one endpoint, once. It does not wait long: an endpoint that has the route answers at once.
func (t *remoteTokenizer) ask(ctx context.Context, e *endpoint, texts []string) (ids [][]uint32, err error) {
	ctx, cancel := context.WithTimeout(ctx, min(t.pool.timeout, 20*time.Second))
	defer cancel()
	answer, err := e.post(ctx, "//tokenize", t.body(texts))
	if err != nil {
		return nil, err
	}
	return t.read(e, answer, len(texts))
}

// Tokens returns how many tokens each text has as a document.
func (t *remoteTokenizer) Tokens(ctx context.Context, texts []string) ([]int, error) {
	counts := make([]int, len(texts))
	var ask []string
	var at []int
	for i, text := range texts {
		n, ok := t.cache.get(text)
		if !ok {
			ask, at = append(ask, t.prefix+text), append(at, i)
		}
		counts[i] = n
	}
	ids, err := t.tokenize(ctx, ask)
	if err != nil {
		return nil, fmt.Errorf("count the tokens of %d texts: %w", len(texts), err)
	}
	for k, i := range at {
		counts[i] = len(ids[k])
		t.cache.put(texts[i], counts[i])
	}
	return counts, nil
}

// limit is how many tokens the model takes, as the server says; 0 where it does not.
func (t *remoteTokenizer) limit() int { return int(t.max.Load()) }

// tokenize returns the tokens of each text, special ones included.
func (t *remoteTokenizer) tokenize(ctx context.Context, texts []string) ([][]uint32, error) {
	out := make([][]uint32, len(texts))
	size := 1
	if t.many {
		size = t.batch
	}
	group, within := errgroup.WithContext(ctx)
	group.SetLimit(cap(t.pool.free))
	for from := 0; from < len(texts) && within.Err() == nil; from += size {
		part := texts[from:min(from+size, len(texts))]
		group.Go(func() error {
			return t.pool.call(within, request{path: "//tokenize", body: t.body(part), read: func(e *endpoint, answer []byte) error {
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
	if t.many {
		return marshal(map[string]any{"inputs": texts})
	}
	return marshal(map[string]any{"model": t.model, "prompt": texts[0]})
}

// read takes the tokens out of an answer: one list of numbers (vLLM), or a list of objects for each text (TEI).
func (t *remoteTokenizer) read(e *endpoint, answer []byte, texts int) ([][]uint32, error) {
	var one struct {
		Tokens []uint32 `json:"tokens"`
		Max    int64    `json:"max_model_len"`
	}
	var many [][]struct {
		ID uint32 `json:"id"`
	}
	if !t.many {
		if err := json.Unmarshal(answer, &one); err != nil {
			return nil, &failure{err: fmt.Errorf("answer of %s: %w", e.base, err)}
		}
		t.max.Store(one.Max)
		return [][]uint32{one.Tokens}, nil
	}
	if err := json.Unmarshal(answer, &many); err != nil {
		return nil, &failure{err: fmt.Errorf("answer of %s: %w", e.base, err)}
	}
	if len(many) != texts {
		return nil, &failure{err: fmt.Errorf("answer of %s: tokens of %d texts for %d", e.base, len(many), texts)}
	}
	ids := make([][]uint32, texts)
	for i, tokens := range many {
		ids[i] = make([]uint32, len(tokens))
		for k, token := range tokens {
			ids[i][k] = token.ID
		}
	}
	return ids, nil
}

// countCache keeps the counts of some thousand texts: of those that were asked for last, and of some before. The zero
// value works.
type countCache struct {
	mu        sync.Mutex
	now, then map[uint64]int // by hash of the text
}

const cachedCounts = 4096 // of each of the two

// textSeed is of the process: counts are not kept beyond it.
var textSeed = maphash.MakeSeed()

func (c *countCache) get(text string) (int, bool) {
	h := maphash.String(textSeed, text)
	c.mu.Lock()
	defer c.mu.Unlock()
	n, ok := c.now[h]
	if !ok {
		n, ok = c.then[h]
	}
	return n, ok
}

func (c *countCache) put(text string, n int) {
	h := maphash.String(textSeed, text)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.now == nil || len(c.now) >= cachedCounts {
		c.now, c.then = make(map[uint64]int), c.now
	}
	c.now[h] = n
}

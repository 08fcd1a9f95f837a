package embed

import (
	"cmp"
	"context"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"s2g/schema"
)

const (
	defaultBatch       = 32    // texts of a request: what TEI takes unless it is told otherwise
	defaultBatchTokens = 16384 // of a request, where a token is taken for 3 bytes
	bytesPerToken      = 3
	maxCuts            = 16 // attempts to shorten a text that is too long
)

// truncation says how a request asks to shorten what is too long.
type truncation struct {
	tokens int // 0: not at all; -1: to what the model takes
}

// batcher sends many texts in batches, and gets an array of numbers for each.
type batcher struct {
	pool   *pool
	path   string
	body   func(texts []string, t truncation) []byte
	read   func(e *endpoint, answer []byte, texts int) ([][]float32, error)
	sane   string       // a text that every model takes
	batch  atomic.Int64 // texts of a request; less once a server has found it too large
	tokens int          // of a request

	maxTokens func() int // of a text; 0 where it is not known
	shorten   bool       // texts that are too long may be shortened

	texts, truncated, refused atomic.Int64
}

// configure takes the sizes of batches.
func (b *batcher) configure(s Spec) {
	b.batch.Store(int64(cmp.Or(s.Batch, defaultBatch)))
	b.tokens = cmp.Or(s.BatchTokens, defaultBatchTokens)
}

func (b *batcher) stats() RemoteStats {
	return RemoteStats{Requests: b.pool.requests.Load(), Retries: b.pool.retries.Load(), Texts: b.texts.Load(),
		Truncated: b.truncated.Load(), Refused: b.refused.Load()}
}

// send returns what each text gets, in their order; nil for one that the server refuses.
func (b *batcher) send(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	group, within := errgroup.WithContext(ctx)
	group.SetLimit(2 * cap(b.pool.free)) // more would wait in memory for nothing
	for from := 0; from < len(texts) && within.Err() == nil; {
		to := b.end(texts, from)
		part, into := texts[from:to], out[from:to]
		group.Go(func() error { return b.some(within, part, into) })
		from = to
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return out, ctx.Err()
}

// end returns where the batch that begins at from ends.
func (b *batcher) end(texts []string, from int) int {
	tokens, to := 0, from
	for to < len(texts) && to-from < int(b.batch.Load()) {
		tokens += 1 + len(texts[to])/bytesPerToken
		if tokens > b.tokens && to > from {
			break
		}
		to++
	}
	return to
}

// some sends a batch. One that the server refuses is sent again in halves, down to the text that is at fault. Where it
// was the size of the batch, and no text, those to come are smaller.
func (b *batcher) some(ctx context.Context, texts []string, out [][]float32) error {
	size, tooMany := int(b.batch.Load()), false
	atFault := b.atFault()
	if len(texts) <= size {
		err := b.request(ctx, texts, truncation{}, out)
		refused := asRefusal(err)
		if refused == nil {
			return err
		}
		if len(texts) == 1 {
			return b.alone(ctx, texts[0], refused, out)
		}
		size, tooMany = (len(texts)+1)/2, refused.tooMany()
	}
	for len(texts) > 0 {
		n := min(size, len(texts))
		if err := b.some(ctx, texts[:n], out[:n]); err != nil {
			return err
		}
		texts, out = texts[n:], out[n:]
	}
	if tooMany && b.atFault() == atFault {
		b.lower(size)
	}
	return nil
}

// atFault is how many texts were refused by themselves so far.
func (b *batcher) atFault() int64 { return b.truncated.Load() + b.refused.Load() }

// lower makes the batches to come smaller.
func (b *batcher) lower(size int) {
	for {
		old := b.batch.Load()
		if int64(size) >= old || b.batch.CompareAndSwap(old, int64(size)) {
			return
		}
	}
}

func (b *batcher) request(ctx context.Context, texts []string, t truncation, out [][]float32) error {
	r := b.of(texts, t, out)
	r.sane = func() request { return b.of([]string{b.sane}, truncation{}, make([][]float32, 1)) }
	r.many = len(texts) > 1
	err := b.pool.call(ctx, r)
	if err == nil {
		b.texts.Add(int64(len(texts)))
	}
	return err
}

// of is the request of some texts, which writes what they get to out.
func (b *batcher) of(texts []string, t truncation, out [][]float32) request {
	return request{path: b.path, body: b.body(texts, t), read: func(e *endpoint, answer []byte) error {
		arrays, err := b.read(e, answer, len(texts))
		copy(out, arrays)
		return err
	}}
}

// alone deals with a text that is refused by itself: too long, and then shortened, by the server where it can, else
// here; or counted.
func (b *batcher) alone(ctx context.Context, text string, why *refusal, out [][]float32) error {
	if b.shorten && why.tooLong() {
		limit := b.maxTokens()
		t := truncation{tokens: limit}
		if limit == 0 {
			t.tokens = -1
		}
		err := b.request(ctx, []string{text}, t, out)
		for range maxCuts {
			if refused := asRefusal(err); refused == nil || !refused.tooLong() || text == "" {
				break
			}
			text = cutShort(text, limit)
			err = b.request(ctx, []string{text}, truncation{}, out)
		}
		if err == nil {
			b.truncated.Add(1)
		}
		if asRefusal(err) == nil {
			return err
		}
	}
	b.pool.log.Warn("a text is refused", "reason", why.Error(), "bytes", len(text))
	n := b.refused.Add(1)
	switch of := n + b.texts.Load(); {
	case n < 16 || 5*n <= of:
	case why.fails:
		return schema.Faultf(schema.FaultService, "look at the server's log, then run again: it goes on where it stopped",
			"the server fails on %d of %d texts: %w", n, of, why)
	default:
		return schema.Faultf(schema.FaultUsage, "see that the model and the options of the embedder are those of the server",
			"the server refuses %d of %d texts: %w", n, of, why)
	}
	return nil
}

// cutShort takes off the end of a text that is too long: what is surely over the limit, where there is one, and a
// quarter each time; behind a word where one ends near.
func cutShort(text string, limit int) string {
	n := len(text) * 3 / 4
	if most := 8 * limit; limit > 0 && n > most {
		n = most
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	if space := strings.LastIndexAny(text[:n], " \n"); space > max(0, n-32) {
		return text[:space+1]
	}
	return text[:n]
}

// tooMany says whether it is the batch that is too large, not a text in it. (The physical batch of llama.cpp is of
// the tokens of one text.)
func (r *refusal) tooMany() bool {
	said := strings.ToLower(r.message)
	if r.fails {
		return r.late || strings.Contains(said, "out of memory")
	}
	if strings.Contains(said, "physical batch") {
		return false
	}
	return strings.Contains(said, "batch") || strings.Contains(said, "array") || r.status == 413 && !r.namesLength()
}

// tooLong says whether it is the length of a text that is refused, where it was sent alone.
func (r *refusal) tooLong() bool {
	return !r.fails && (r.namesLength() || r.status == 413)
}

// namesLength says whether the message is about the length of a text. Each server has its own words.
func (r *refusal) namesLength() bool {
	said := strings.ToLower(r.message)
	for _, word := range []string{"token", "length", "too long", "context", "max_model_len", "too large to process"} {
		if strings.Contains(said, word) {
			return true
		}
	}
	return false
}

// saysTooLong says whether an error of status 500 is about the length of a text, as llama.cpp ("input is too large to
// process") and versions of Ollama ("the input length exceeds the context length") have it: sent again it fails again.
func saysTooLong(message string) bool {
	said := strings.ToLower(message)
	return strings.Contains(said, "too large to process") || strings.Contains(said, "exceed") && strings.Contains(said, "context")
}

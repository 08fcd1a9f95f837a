package embed

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"s2g/schema"
	"s2g/schema/remote"
)

const (
	defaultBatch       = 32    // texts of a request: TEI's default limit
	defaultBatchTokens = 16384 // of a request, at bytesPerToken
	bytesPerToken      = 3
	maxCuts            = 16 // tries to shorten a text that is too long
	leastRefused       = 16 // refused texts before their share ends the run
)

// truncation is the number of tokens to which the server shortens a text: the value of vLLM's truncate_prompt_tokens.
type truncation int

const (
	noTruncation truncation = 0
	toModelLimit truncation = -1
)

// batcher sends texts in batches, and returns an array of numbers for each text.
type batcher struct {
	pool    *pool
	path    string
	body    func(texts []string, t truncation) []byte
	read    func(e *endpoint, answer []byte, texts int) ([][]float32, error)
	control string // a text that every model accepts

	differing bool // different texts have different arrays

	batchTexts  atomic.Int64 // texts of a request; lowered once the server refuses the size
	batchTokens int          // tokens of a request

	textLimit func() int // tokens of a text, 0: unknown; nil: texts that are too long are not shortened

	embedded, truncated, refused atomic.Int64 // texts
}

// setSizes sets the sizes of batches to those of a spec, or the defaults.
func (b *batcher) setSizes(s Spec) {
	b.batchTexts.Store(int64(cmp.Or(s.Batch, defaultBatch)))
	b.batchTokens = cmp.Or(s.BatchTokens, defaultBatchTokens)
}

func (b *batcher) stats() RemoteStats {
	return RemoteStats{Retries: b.pool.retries.Load(), Truncated: b.truncated.Load(), Refused: b.refused.Load()}
}

// nonBlank returns the texts that are not blank, each behind a prefix, and their indexes.
func nonBlank(texts []string, prefix string) (send []string, at []int) {
	for i, text := range texts {
		if strings.TrimSpace(text) != "" {
			send, at = append(send, prefix+text), append(at, i)
		}
	}
	return send, at
}

// send returns the array of each text, in their order: nil for a text that the server refuses.
func (b *batcher) send(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	group, within := errgroup.WithContext(ctx)
	group.SetLimit(2 * cap(b.pool.free)) // more would only wait
	for from := 0; from < len(texts) && within.Err() == nil; {
		tokens, to := 0, from
		for to < len(texts) && to-from < int(b.batchTexts.Load()) {
			tokens += 1 + len(texts[to])/bytesPerToken
			if tokens > b.batchTokens && to > from {
				break
			}
			to++
		}
		part, into := texts[from:to], out[from:to]
		group.Go(func() error { return b.sendBatch(within, part, into) })
		from = to
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return out, ctx.Err()
}

// sendBatch sends a batch. If the server refuses it, sendBatch sends its halves, down to the text at fault. If the size of the
// batch is at fault, and none of its texts, sendBatch lowers the size of later batches.
func (b *batcher) sendBatch(ctx context.Context, texts []string, out [][]float32) error {
	size, tooLarge := int(b.batchTexts.Load()), false
	textsAtFault := func() int64 { return b.truncated.Load() + b.refused.Load() }
	before := textsAtFault()
	if len(texts) <= size {
		err := b.sendRequest(ctx, texts, noTruncation, out)
		refused := asRefusal(err)
		if refused == nil {
			return err
		}
		if len(texts) == 1 {
			return b.sendRefused(ctx, texts[0], refused, out)
		}
		size, tooLarge = (len(texts)+1)/2, refused.batchTooLarge()
	}
	for len(texts) > 0 {
		n := min(size, len(texts))
		if err := b.sendBatch(ctx, texts[:n], out[:n]); err != nil {
			return err
		}
		texts, out = texts[n:], out[n:]
	}
	if tooLarge && textsAtFault() == before {
		for old := b.batchTexts.Load(); int64(size) < old && !b.batchTexts.CompareAndSwap(old, int64(size)); {
			old = b.batchTexts.Load()
		}
	}
	return nil
}

// sendRequest sends one request.
func (b *batcher) sendRequest(ctx context.Context, texts []string, t truncation, out [][]float32) error {
	r := b.newRequest(texts, t, out)
	r.control = func() request { return b.newRequest([]string{b.control}, noTruncation, make([][]float32, 1)) }
	r.divisible = len(texts) > 1
	err := b.pool.send(ctx, r)
	if err == nil {
		b.embedded.Add(int64(len(texts)))
	}
	return err
}

// newRequest returns the request of some texts. It writes their arrays to out.
func (b *batcher) newRequest(texts []string, t truncation, out [][]float32) request {
	body := b.body(texts, t)
	return request{path: b.path, body: body, limit: answerLimit(len(texts), body), read: func(e *endpoint, answer []byte) error {
		arrays, err := b.read(e, answer, len(texts))
		if err == nil && b.differing && allEqual(texts, arrays) {
			err = e.brokenAnswer(fmt.Errorf("%d different texts have the same vector", len(texts)))
		}
		copy(out, arrays)
		return err
	}}
}

// leastEqual is the number of different texts whose arrays are never all equal.
const leastEqual = 4

// allEqual reports whether the arrays of at least leastEqual texts are all equal, and no two texts are.
func allEqual(texts []string, arrays [][]float32) bool {
	if len(texts) < leastEqual {
		return false
	}
	for _, a := range arrays[1:] {
		if !slices.Equal(a, arrays[0]) {
			return false
		}
	}
	sorted := slices.Sorted(slices.Values(texts))
	return len(slices.Compact(sorted)) == len(texts)
}

// sendRefused sends a text that was refused alone again if it is too long: shortened by the server if it can, else here. It
// counts a text that stays refused, and returns an error if these are too many of all texts.
func (b *batcher) sendRefused(ctx context.Context, text string, why *refusal, out [][]float32) error {
	if b.textLimit != nil && why.textTooLong() {
		limit := b.textLimit()
		t := truncation(limit)
		if limit == 0 {
			t = toModelLimit
		}
		err := b.sendRequest(ctx, []string{text}, t, out)
		for range maxCuts {
			if refused := asRefusal(err); refused == nil || !refused.textTooLong() || text == "" {
				break
			}
			text = shorten(text, limit)
			err = b.sendRequest(ctx, []string{text}, noTruncation, out)
		}
		if err == nil {
			b.truncated.Add(1)
		}
		if asRefusal(err) == nil {
			return err
		}
	}
	b.pool.log.Warn("a text has no vector", "text", beginning(text), "bytes", len(text), "reason", why.Error())
	n := b.refused.Add(1)
	switch all := n + b.embedded.Load(); {
	case n < leastRefused || 5*n <= all:
	case why.crashes:
		return schema.Faultf(schema.FaultService, "look at the server's log, then run again: the run resumes",
			"the server fails on %d of %d texts, the last begins with %q: %w", n, all, beginning(text), why)
	default:
		return schema.Faultf(schema.FaultUsage, "see that the model and the options of the embedder are those of the server",
			"the server refuses %d of %d texts, the last begins with %q: %w", n, all, beginning(text), why)
	}
	return nil
}

// beginning returns the first line of a text, for messages: the title of its post, cut after 80 bytes.
func beginning(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return remote.Secrets{}.Text(line, 80)
}

// shorten cuts off a quarter of a text that is too long, and all that exceeds eight bytes for each token of the limit (0:
// there is none). It cuts behind a word if one ends near.
func shorten(text string, limit int) string {
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

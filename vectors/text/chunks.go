package text

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// The windows by default, in tokens.
const (
	DefaultSize    = 512
	DefaultOverlap = 64
)

// MaxChunks is how many chunks of a post can be addressed: a point's id is the post's, shifted by 16 bits, and the
// chunk's number.
const MaxChunks = 1 << 16

// Chunk is a window of a post.
type Chunk struct {
	Start, End int    // code points of the parent's cleaned text
	Text       string // what is embedded: the title, a blank line, the parent's text from Start to End
}

// Chunks cuts a post's cleaned text into windows of at most size tokens, counted by EstimateTokens with the title that
// stands at the head of each, the next one beginning at most overlap tokens before the one before it ends. A post
// that fits is one chunk, and there is always one: of an empty text it is the title alone.
//
// A window ends at the end of a paragraph where there is one in its last two fifths, else of a line in its last
// quarter, else of a sentence in its last sixth, else behind white space, and never inside a word, unless
// the word alone is over the window. White space belongs to the window that it ends, so the windows cover the
// parent without a gap; a window that begins in the middle of code has no fence at its head, which would not be the
// parent's text. One of more than MaxChunks windows is cut with twice the size, or four times, and so on.
//
// A size of 0 means DefaultSize; the overlap is at most half of what the title leaves. A title that would leave
// less than a quarter of the size for the text leaves that quarter.
func Chunks(title, cleaned string, size, overlap int) []Chunk {
	if size <= 0 {
		size = DefaultSize
	}
	head := heading(title, cleaned)
	w := windows{s: cleaned, size: max(size-EstimateTokens(title), size/4, 1)}
	if EstimateTokens(cleaned) <= w.size {
		return []Chunk{{End: utf8.RuneCountInString(cleaned), Text: head + cleaned}}
	}
	spans := w.cut(overlap)
	for len(spans) > MaxChunks {
		w.size *= 2
		spans = w.cut(overlap)
	}
	chunks := make([]Chunk, len(spans))
	at, start := 0, 0 // the same place in bytes and in code points
	for i, span := range spans {
		start += utf8.RuneCountInString(cleaned[at:span.start])
		at = span.start
		piece := cleaned[span.start:span.end]
		chunks[i] = Chunk{Start: start, End: start + utf8.RuneCountInString(piece), Text: head + piece}
	}
	return chunks
}

// heading is what stands before the text of each window.
func heading(title, cleaned string) string {
	if title != "" && cleaned != "" {
		return title + "\n\n"
	}
	return title
}

// windows cuts s into windows of size tokens.
type windows struct {
	s    string
	size int
}

// span is a window, in bytes.
type span struct{ start, end int }

func (w windows) cut(overlap int) []span {
	overlap = min(max(overlap, 0), w.size/2)
	var spans []span
	for start, before := 0, 0; ; {
		end, tokens := w.end(start)
		if end <= before { // the next word does not fit behind the overlap
			start = before
			end, tokens = w.end(start)
		}
		spans = append(spans, span{start, end})
		if end == len(w.s) || len(spans) > MaxChunks {
			return spans
		}
		start, before = w.back(start, end, tokens, overlap), end
	}
}

// places are the last ones, or the first ones, where a window can end or begin, by how good they are. Zero is none.
type places [5]struct{ at, tokens int }

// Kinds of places, the best first.
const (
	paragraph = iota
	line
	sentence
	blankSpace
	anywhere
)

// place says what kind of place is behind the white space s[i:j].
func place(s string, i, j int) int {
	switch strings.Count(s[i:j], "\n") {
	case 0:
		if i > 0 && strings.IndexByte(".!?", s[i-1]) >= 0 {
			return sentence
		}
		return blankSpace
	case 1:
		return line
	}
	return paragraph
}

// leastShare is the share of a window, in sixtieths, that must stand before a place of a kind where it is to end there.
// Above a half, which the overlap may take, each window ends behind the one before.
var leastShare = [...]int{paragraph: 36, line: 45, sentence: 50, blankSpace: 31, anywhere: 0}

// end returns where the window that begins at start ends, and how many tokens it has.
func (w windows) end(start int) (end, tokens int) {
	var last places
	n := 0
	for i := start; i < len(w.s); {
		u := nextUnit(w.s, i)
		if n+u.tokens > w.size {
			if i == start {
				return w.inside(start, u.end)
			}
			for kind, p := range last {
				if p.at > start && 60*p.tokens >= leastShare[kind]*w.size {
					return p.at, p.tokens
				}
			}
		}
		n += u.tokens
		kind := anywhere
		if u.blank {
			kind = place(w.s, i, u.end)
		}
		last[kind].at, last[kind].tokens = u.end, n
		if u.blank {
			last[anywhere] = last[kind]
		}
		i = u.end
	}
	return len(w.s), n
}

// inside cuts a word that is over the window: no character counts more than one token. It does not part marks from
// their letter, unless they alone are over the window.
func (w windows) inside(start, end int) (int, int) {
	i, room := start, w.size
	for i < end {
		_, n := utf8.DecodeRuneInString(w.s[i:end])
		// marks beyond the window are not looked at: there may be many
		next := marksEnd(w.s[:min(end, i+n+utf8.UTFMax*(w.size+1))], i+n)
		runes := utf8.RuneCountInString(w.s[i:next])
		if runes > room {
			break
		}
		i, room = next, room-runes
	}
	if i == start {
		for range w.size {
			_, n := utf8.DecodeRuneInString(w.s[i:end])
			i += n
		}
	}
	return i, EstimateTokens(w.s[start:i])
}

// back returns where the window after that from start to end, of so many tokens, begins: at the best place within
// the overlap, where places in its later half are for want of others.
func (w windows) back(start, end, tokens, overlap int) int {
	var first places
	n := 0
	for i := start; i < end; {
		u := nextUnit(w.s, i)
		n += u.tokens
		kind := anywhere
		if u.blank {
			kind = place(w.s, i, u.end)
		}
		i = min(u.end, end)
		if rest := tokens - n; rest > overlap || rest == 0 || kind < blankSpace && 2*rest < overlap {
			continue
		}
		if first[kind].at == 0 {
			first[kind].at = i
		}
	}
	for _, p := range first {
		if p.at > start {
			return p.at
		}
	}
	return end
}

// TokenCounter counts the tokens of texts, as the model does that will read them.
type TokenCounter func(texts []string) ([]int, error)

// surely is the share of a window, in percent, up to which what EstimateTokens counts is taken to fit without asking: byte
// pair vocabularies count most where code is indented, and twice what EstimateTokens says at most.
const surely = 50

// ChunksCounted is [Chunks] with the tokens of a counter. A post that is surely within the window is not counted. One that
// may not be is counted whole, and where it is longer it is cut by the rule of EstimateTokens, scaled to what was counted;
// then its windows are counted, and cut smaller until each is within size.
//
// The windows of a counter are not larger than size, but where a title leaves less than a quarter of it (then they
// are a quarter of size and the title) or the text has over eight times the tokens of the rule. They may be some
// percent smaller, because one scale holds for all windows of a post.
func ChunksCounted(title, cleaned string, size, overlap int, count TokenCounter) ([]Chunk, error) {
	if size <= 0 {
		size = DefaultSize
	}
	estimate := max(1, EstimateTokens(title)+EstimateTokens(cleaned))
	if 100*estimate <= surely*size {
		return Chunks(title, cleaned, size, overlap), nil
	}
	chunks := []Chunk{{End: utf8.RuneCountInString(cleaned), Text: heading(title, cleaned) + cleaned}}
	counted, err := counts(append(chunks, Chunk{Text: title}), count)
	if err != nil || counted[0] <= size {
		return chunks, err
	}
	most := max(size, counted[1]+size/4)
	// The scale is that of all the text; the densest window may need a smaller one.
	least := 1 + size/8
	for scaled := max(least, size*estimate/counted[0]); ; {
		chunks = Chunks(title, cleaned, scaled, overlap*scaled/size)
		if counted, err = counts(chunks, count); err != nil {
			return nil, err
		}
		largest := slices.Max(counted)
		if largest <= most || scaled <= least || len(chunks) == MaxChunks {
			return chunks, nil
		}
		scaled = max(least, min(scaled*most/largest, scaled*19/20))
	}
}

func counts(chunks []Chunk, count TokenCounter) ([]int, error) {
	texts := make([]string, len(chunks))
	for i, c := range chunks {
		texts[i] = c.Text
	}
	counted, err := count(texts)
	if err == nil && len(counted) != len(texts) {
		err = errors.New("another number of counts than of texts")
	}
	if err != nil {
		return nil, fmt.Errorf("count the tokens of %d windows: %w", len(texts), err)
	}
	return counted, nil
}

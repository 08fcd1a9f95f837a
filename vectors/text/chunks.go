package text

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// MaxChunks is the limit of a post's chunks: the id of a point is the post's, shifted by 16 bits, and the chunk's number.
const MaxChunks = 1 << 16

// Chunk is a window of a post.
type Chunk struct {
	Start, End int    // code points of the parent's cleaned text
	Text       string // to be embedded: the title, a blank line, the parent's text from Start to End
}

// Chunks cuts a post's cleaned text into windows of at most size tokens, at least 1, which [EstimateTokens] counts and which
// include the title at the head of each window. A window begins at most overlap tokens before the end of the one before it.
// A post that fits is one chunk. There is at least one: that of an empty text is the title alone.
//
// A window ends with a paragraph, if one ends in its last two fifths, else with a line in its last quarter, else with a
// sentence in its last sixth, else behind white space. It ends inside a word only if the word alone is larger than the
// window. White space belongs to the window that it ends, so the windows cover the parent without a gap. A window that
// begins inside code has no fence at its head, which would not be the parent's text. A post of more than MaxChunks windows
// is cut with twice the size, or four times, and so on.
//
// The overlap is at most half of what the title leaves. A title that leaves less than a quarter of the size is followed by a
// text of that quarter.
func Chunks(title, cleaned string, size, overlap int) []Chunk {
	w := windowCutter{text: cleaned, size: max(size-EstimateTokens(title), size/4, 1)}
	if EstimateTokens(cleaned) <= w.size {
		return []Chunk{wholeChunk(title, cleaned)}
	}
	spans := w.cut(overlap)
	for len(spans) > MaxChunks {
		w.size *= 2
		spans = w.cut(overlap)
	}
	head := chunkHead(title, cleaned)
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

// wholeChunk returns the only chunk of a post that fits.
func wholeChunk(title, cleaned string) Chunk {
	return Chunk{End: utf8.RuneCountInString(cleaned), Text: chunkHead(title, cleaned) + cleaned}
}

// chunkHead returns the text before that of each window.
func chunkHead(title, cleaned string) string {
	if title != "" && cleaned != "" {
		return title + "\n\n"
	}
	return title
}

// TokenCounter counts the tokens of texts by the vocabulary of a model.
type TokenCounter func(texts []string) ([]int, error)

// ChunksCounted is [Chunks] with the tokens of a counter. It does not count a post whose estimate is at most half of size: byte
// pair vocabularies have the most tokens in indented code, and there at most twice the estimate. It counts any other post as
// a whole. If that is larger than size, it cuts the post by [EstimateTokens], scaled to the count, counts the windows, and
// cuts smaller ones until each is within size.
//
// A window is larger than size only where a title leaves less than a quarter of it (then it is at most the title and a
// quarter of size), and where the text has over eight times the estimated tokens. Windows may be some percent smaller,
// because one scale holds for all windows of a post.
func ChunksCounted(title, cleaned string, size, overlap int, count TokenCounter) ([]Chunk, error) {
	estimate := max(1, EstimateTokens(title)+EstimateTokens(cleaned))
	if 2*estimate <= size {
		return Chunks(title, cleaned, size, overlap), nil
	}
	chunks := []Chunk{wholeChunk(title, cleaned)}
	counts, err := countChunks(append(chunks, Chunk{Text: title}), count)
	if err != nil || counts[0] <= size {
		return chunks, err
	}
	most := max(size, counts[1]+size/4)
	// The scale is that of the whole text; its densest window may need a smaller one.
	least := 1 + size/8
	for scaled := max(least, size*estimate/counts[0]); ; {
		chunks = Chunks(title, cleaned, scaled, overlap*scaled/size)
		if counts, err = countChunks(chunks, count); err != nil {
			return nil, err
		}
		largest := slices.Max(counts)
		if largest <= most || scaled <= least || len(chunks) == MaxChunks {
			return chunks, nil
		}
		scaled = max(least, min(scaled*most/largest, scaled*19/20))
	}
}

func countChunks(chunks []Chunk, count TokenCounter) ([]int, error) {
	texts := make([]string, len(chunks))
	for i, c := range chunks {
		texts[i] = c.Text
	}
	counts, err := count(texts)
	if err == nil && len(counts) != len(texts) {
		err = errors.New("the numbers of counts and of texts differ")
	}
	if err != nil {
		return nil, fmt.Errorf("count the tokens of %d windows: %w", len(texts), err)
	}
	return counts, nil
}

// windowCutter cuts a text into windows of at most size tokens.
type windowCutter struct {
	text string
	size int
}

// span is a window, in bytes.
type span struct{ start, end int }

func (w windowCutter) cut(overlap int) []span {
	overlap = min(max(overlap, 0), w.size/2)
	var spans []span
	for start, before := 0, 0; ; {
		end, tokens := w.end(start)
		if end <= before { // the next word does not fit behind the overlap
			start = before
			end, tokens = w.end(start)
		}
		spans = append(spans, span{start, end})
		if end == len(w.text) || len(spans) > MaxChunks {
			return spans
		}
		start, before = w.nextStart(start, end, tokens, overlap), end
	}
}

// The kinds of places where a window can end or begin, the best first.
const (
	afterParagraph = iota
	afterLine
	afterSentence
	afterBlank
	anywhere

	placeKinds
)

// placeKind returns the kind of the place behind the white space s[i:j].
func placeKind(s string, i, j int) int {
	switch strings.Count(s[i:j], "\n") {
	case 0:
		if i > 0 && strings.IndexByte(".!?", s[i-1]) >= 0 {
			return afterSentence
		}
		return afterBlank
	case 1:
		return afterLine
	}
	return afterParagraph
}

// leastShare is the least share of a window, in sixtieths, that may end at a place of each kind. A share above one half, the
// limit of the overlap, makes each window end behind the one before.
var leastShare = [placeKinds]int{afterParagraph: 36, afterLine: 45, afterSentence: 50, afterBlank: 31, anywhere: 0}

// end returns the end of the window that begins at start, and its tokens.
func (w windowCutter) end(start int) (end, tokens int) {
	var last [placeKinds]struct{ at, tokens int } // place of each kind
	n := 0
	for i := start; i < len(w.text); {
		u := nextUnit(w.text, i)
		if n+u.tokens > w.size {
			if i == start {
				return w.endInWord(start, u.end)
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
			kind = placeKind(w.text, i, u.end)
		}
		last[kind].at, last[kind].tokens = u.end, n
		if u.blank {
			last[anywhere] = last[kind]
		}
		i = u.end
	}
	return len(w.text), n
}

// endInWord returns the end of a window inside the word from start to end, which is larger than the window, and the window's
// tokens. It counts each character as one token, the most that a character has. It does not separate marks from their letter,
// unless they alone are larger than the window.
func (w windowCutter) endInWord(start, end int) (int, int) {
	i, room := start, w.size
	for i < end {
		_, n := utf8.DecodeRuneInString(w.text[i:end])
		// marks beyond the window are not read: there may be many
		next := marksEnd(w.text[:min(end, i+n+utf8.UTFMax*(w.size+1))], i+n)
		runes := utf8.RuneCountInString(w.text[i:next])
		if runes > room {
			break
		}
		i, room = next, room-runes
	}
	if i == start {
		for range w.size {
			_, n := utf8.DecodeRuneInString(w.text[i:end])
			i += n
		}
	}
	return i, EstimateTokens(w.text[start:i])
}

// nextStart returns the start of the window that follows the one from start to end, which is the best place within the overlap.
// Ends of paragraphs, lines and sentences count only in the earlier half of the overlap.
func (w windowCutter) nextStart(start, end, tokens, overlap int) int {
	var first [placeKinds]int // place of each kind; 0: none
	n := 0
	for i := start; i < end; {
		u := nextUnit(w.text, i)
		n += u.tokens
		kind := anywhere
		if u.blank {
			kind = placeKind(w.text, i, u.end)
		}
		i = min(u.end, end)
		if rest := tokens - n; rest > overlap || rest == 0 || kind < afterBlank && 2*rest < overlap {
			continue
		}
		if first[kind] == 0 {
			first[kind] = i
		}
	}
	for _, at := range first {
		if at > start {
			return at
		}
	}
	return end
}

package text

import (
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"
)

// Counter counts the tokens of texts, as the model does that will read them.
type Counter func(texts []string) ([]int, error)

// surely is the share of a window, in percent, up to which what Tokens counts is taken to fit without asking: byte
// pair vocabularies count most where code is indented, and twice what Tokens says at most.
const surely = 50

// ChunksBy is [Chunks] with the tokens of a counter. A post that is surely within the window is not counted. One that
// may not be is counted whole, and where it is longer it is cut by the rule of Tokens, scaled to what was counted;
// then its windows are counted, and cut smaller until each is within size.
//
// The windows of a counter are not larger than size, but where a title leaves less than a quarter of it (then they
// are a quarter of size and the title) or the text has over eight times the tokens of the rule. They may be some
// percent smaller, because one scale holds for all windows of a post.
func ChunksBy(title, cleaned string, size, overlap int, count Counter) ([]Chunk, error) {
	if size <= 0 {
		size = DefaultSize
	}
	estimate := max(1, Tokens(title)+Tokens(cleaned))
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

func counts(chunks []Chunk, count Counter) ([]int, error) {
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

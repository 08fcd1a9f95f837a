package text

import "unicode/utf8"

// Chunk is a window of a post.
type Chunk struct {
	Start, End int    // code points of the parent's cleaned text
	Text       string // what is embedded: the title, a blank line, the piece
}

// Chunks cuts a post into windows of size tokens that overlap by overlap tokens. There is always one.
func Chunks(title, cleaned string, size, overlap int) []Chunk {
	return []Chunk{{End: utf8.RuneCountInString(cleaned), Text: title + "\n\n" + cleaned}}
}

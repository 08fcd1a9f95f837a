package schema

import (
	"bytes"
	"iter"
)

// SplitTags yields the tags of a stored list, |a|b|, in their order. Empty tags
// are left out. The slices share the list's memory.
func SplitTags(list []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for rest := list; len(rest) > 0; {
			end := bytes.IndexByte(rest, '|')
			if end < 0 {
				end = len(rest)
			}
			if end > 0 && !yield(rest[:end]) {
				return
			}
			rest = rest[min(end+1, len(rest)):]
		}
	}
}

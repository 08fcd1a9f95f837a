package embed

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"github.com/twmb/murmur3"
)

// analyzer counts the terms of texts: it splits a text into words, lower-cases and stems them, drops stop words, and
// counts equal stems. The zero value analyses English. An analyzer is safe for concurrent use.
type analyzer struct {
	lexicon  lexicon
	counters sync.Pool // of *termCounter
}

// count calls use with the distinct terms of text, by ascending id and stem, and the number of its words. The terms are
// valid until use returns.
func (a *analyzer) count(text string, use func(terms []termCount, words int)) {
	c, _ := a.counters.Get().(*termCounter)
	if c == nil {
		c = new(termCounter)
	}
	use(c.count(&a.lexicon, text))
	if len(c.slots) <= 1<<16 { // the memory of a very long text is released
		a.counters.Put(c)
	}
}

// word is a word form (a lower-case run of letters and digits) and its analysis.
type word struct {
	form string
	stem string
	id   uint32 // index of the stem in a sparse vector
	stop bool   // a stop word: it is in no vector
}

const (
	cacheSets  = 1 << 16 // of two words each; a full cache takes about 15 MB
	cachedWord = 48      // bytes of the longest form that is cached; longer ones are rare
)

// lexicon splits texts into words by Qdrant's rule: runs of alphanumeric characters, lower-case, without stop words,
// stemmed by Snowball's stemmer of the language. Stemming costs twenty times as much as all other steps (BenchmarkBM25), so the
// lexicon caches words: the hash of a form selects a set of two words, the last used one first. This bounds the memory
// and needs no lock. Where two goroutines change a set at once, it may lose a word or hold it twice; a lost word is
// stemmed again.
type lexicon struct {
	language Language
	cache    [cacheSets][2]atomic.Pointer[word]
}

// lowerASCII maps the ASCII letters and digits to their lower case, and all other bytes to zero.
var lowerASCII = func() (t [256]byte) {
	for c := byte('0'); c <= '9'; c++ {
		t[c] = c
	}
	for c := byte('a'); c <= 'z'; c++ {
		t[c], t[c-'a'+'A'] = c, c
	}
	return t
}()

// appendWords appends the words of text to dst, in their order and without stop words. It lower-cases and hashes words of
// ASCII in one pass over their bytes (BenchmarkBM25).
func (l *lexicon) appendWords(dst []*word, text string) []*word {
	const offset, prime = 2166136261, 16777619 // FNV-1a
	var buf [cachedWord]byte
	for i := 0; i < len(text); {
		c := text[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(text[i:])
			if !isAlnum(r) {
				i += n
				continue
			}
		} else if lowerASCII[c] == 0 {
			i++
			continue
		}
		start, n, h := i, 0, uint32(offset)
		for i < len(text) && lowerASCII[text[i]] != 0 && n < len(buf) {
			b := lowerASCII[text[i]]
			buf[n] = b
			h = (h ^ uint32(b)) * prime
			n++
			i++
		}
		var w *word
		if i < len(text) && (text[i] >= utf8.RuneSelf || lowerASCII[text[i]] != 0) { // long, or not all of ASCII
			i = wordEnd(text, i)
			form := toLower(text[start:i])
			if len(form) > cachedWord {
				w = l.newWord(form)
			} else {
				w = l.lookup(buf[:copy(buf[:], form)], murmur3.StringSum32(form))
			}
		} else {
			w = l.lookup(buf[:n], h)
		}
		if !w.stop {
			dst = append(dst, w)
		}
	}
	return dst
}

// lookup returns the word of a form of at most cachedWord bytes, whose hash is h.
func (l *lexicon) lookup(form []byte, h uint32) *word {
	set := &l.cache[(h^h>>16)%cacheSets]
	first := set[0].Load()
	if first != nil && first.form == string(form) {
		return first
	}
	w := set[1].Load()
	if w == nil || w.form != string(form) {
		w = l.newWord(string(form))
	}
	set[0].Store(w)
	set[1].Store(first)
	return w
}

func (l *lexicon) newWord(form string) *word {
	rules := l.language.rules()
	if rules.stop[form] {
		return &word{form: form, stop: true}
	}
	stem := form
	if rules.stem != nil {
		stem = rules.stem(form)
	}
	return &word{form: form, stem: stem, id: termID(stem)}
}

// termID returns the index of a stem in a sparse vector: the absolute value of its murmur3 of 32 bits, read as a signed
// number. That of the smallest number is 2^31.
func termID(stem string) uint32 {
	h := int32(murmur3.StringSum32(stem))
	if h < 0 {
		return -uint32(h)
	}
	return uint32(h)
}

// wordEnd returns the end of the word that text[i:] continues.
func wordEnd(text string, i int) int {
	for i < len(text) {
		r, n := utf8.DecodeRuneInString(text[i:])
		if !isAlnum(r) {
			break
		}
		i += n
	}
	return i
}

// isAlnum is Python's str.isalnum: letters and every kind of number. (Rust's is_alphanumeric, which Qdrant itself calls,
// also accepts the combining vowel signs and the circled letters.)
func isAlnum(r rune) bool {
	if r < utf8.RuneSelf {
		return lowerASCII[r] != 0
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r)
}

// toLower lower-cases s by Unicode's SpecialCasing without a locale, as Python and Rust do. It differs from
// strings.ToLower in two characters: the dotted capital I and the sigma at the end of a word.
func toLower(s string) string {
	if !strings.ContainsAny(s, "İΣ") {
		return strings.ToLower(s)
	}
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == 'İ':
			b.WriteString("i\u0307")
		case r == 'Σ' && casedBefore(s[:i]) && !casedAfter(s[i+len("Σ"):]):
			b.WriteRune('ς')
		default:
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}

func casedBefore(s string) bool {
	for s != "" {
		r, n := utf8.DecodeLastRuneInString(s)
		if !unicode.Is(unicode.Lm, r) {
			return isCased(r)
		}
		s = s[:len(s)-n]
	}
	return false
}

func casedAfter(s string) bool {
	for _, r := range s {
		if !unicode.Is(unicode.Lm, r) {
			return isCased(r)
		}
	}
	return false
}

func isCased(r rune) bool {
	return unicode.IsUpper(r) || unicode.IsLower(r) || unicode.IsTitle(r) ||
		unicode.Is(unicode.Other_Uppercase, r) || unicode.Is(unicode.Other_Lowercase, r)
}

// termCount is a term and how often a text has it.
type termCount struct {
	word *word
	n    int32
}

// termCounter counts the distinct stems of one text. It is a hash table with open addressing by id that lives from text
// to text: BenchmarkBM25 pays for it. The zero value works.
type termCounter struct {
	words []*word
	slots []termCount // a count of zero is an empty slot
	used  []int32     // indexes of the slots that are not empty
	keys  []uint64
	terms []termCount
}

// count returns the distinct terms of text, by ascending id and stem, and the number of its words. The terms are valid until
// the next call.
func (c *termCounter) count(l *lexicon, text string) (terms []termCount, words int) {
	c.words = l.appendWords(c.words[:0], text)
	size := max(256, len(c.slots))
	for size < 2*len(c.words) { // a load of one half at most
		size *= 2
	}
	if size > len(c.slots) {
		c.slots = make([]termCount, size)
	}
	mask := len(c.slots) - 1
	for _, w := range c.words {
		for i := int(w.id) & mask; ; i = (i + 1) & mask {
			s := &c.slots[i]
			if s.n == 0 {
				*s = termCount{w, 1}
				c.used = append(c.used, int32(i))
				break
			}
			if s.word == w || s.word.id == w.id && s.word.stem == w.stem {
				s.n++
				break
			}
		}
	}
	c.keys = c.keys[:0]
	for _, i := range c.used {
		c.keys = append(c.keys, uint64(c.slots[i].word.id)<<32|uint64(i))
	}
	c.used = c.used[:0]
	slices.Sort(c.keys) // sorting numbers takes half the time of sorting counts by a function
	c.terms = c.terms[:0]
	for _, key := range c.keys {
		slot := &c.slots[uint32(key)]
		c.terms = append(c.terms, *slot)
		*slot = termCount{}
		for k := len(c.terms) - 1; k > 0 && c.terms[k-1].word.id == c.terms[k].word.id && c.terms[k-1].word.stem > c.terms[k].word.stem; k-- {
			c.terms[k-1], c.terms[k] = c.terms[k], c.terms[k-1]
		}
	}
	return c.terms, len(c.words)
}

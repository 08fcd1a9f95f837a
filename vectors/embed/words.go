package embed

import (
	"strings"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
	"github.com/twmb/murmur3"
)

const (
	cacheSize  = 1 << 16 // slots; a few megabytes when all are filled
	cachedWord = 48      // longer words are rare, and not worth a slot
)

// word is what a surface form (a lower-case run of letters and digits) stands for.
type word struct {
	surface string
	stem    string
	id      uint32 // of the stem, in a sparse vector
	stop    bool   // a stop word: in no vector
}

// lexicon splits texts into words by Qdrant's rule: runs of alphanumeric characters, lower-case, without stop
// words, stemmed by Snowball's English stemmer. Stemming costs twenty times what everything else does, so
// stems are cached: a slot for each hash of a surface form, where the newest word replaces the older one. That
// bounds the memory, and makes reads and writes single atomic operations. It is safe for concurrent use.
type lexicon struct {
	cache [cacheSize]atomic.Pointer[word]
}

// lower maps the ASCII letters and digits to their lower case, and all other bytes to zero.
var lower = func() (t [256]byte) {
	for c := byte('0'); c <= '9'; c++ {
		t[c] = c
	}
	for c := byte('a'); c <= 'z'; c++ {
		t[c], t[c-'a'+'A'] = c, c
	}
	return t
}()

// append adds the words of text to dst, in their order and without stop words.
func (l *lexicon) append(dst []*word, text string) []*word {
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
		} else if lower[c] == 0 {
			i++
			continue
		}
		start, n, h := i, 0, uint32(offset)
		for i < len(text) && lower[text[i]] != 0 && n < len(buf) {
			b := lower[text[i]]
			buf[n] = b
			h = (h ^ uint32(b)) * prime
			n++
			i++
		}
		var w *word
		if i < len(text) && (text[i] >= utf8.RuneSelf || lower[text[i]] != 0) {
			i = wordEnd(text, i)
			w = l.lookup(toLower(text[start:i]))
		} else {
			slot := &l.cache[(h^h>>16)%cacheSize]
			if w = slot.Load(); w == nil || w.surface != string(buf[:n]) {
				w = newWord(string(buf[:n]))
				slot.Store(w)
			}
		}
		if !w.stop {
			dst = append(dst, w)
		}
	}
	return dst
}

// lookup returns the word of a surface form that the fast path of append could not take.
func (l *lexicon) lookup(surface string) *word {
	if len(surface) > cachedWord {
		return newWord(surface)
	}
	slot := &l.cache[murmur3.StringSum32(surface)%cacheSize]
	w := slot.Load()
	if w == nil || w.surface != surface {
		w = newWord(strings.Clone(surface))
		slot.Store(w)
	}
	return w
}

func newWord(surface string) *word {
	if stopWords[surface] {
		return &word{surface: surface, stop: true}
	}
	// true: the stemmer has stop words of its own, that it would leave as they are.
	stem := english.Stem(surface, true)
	return &word{surface: surface, stem: stem, id: tokenID(stem)}
}

// tokenID is the index of a term in a sparse vector: the absolute value of murmur3's 32 bits taken as signed,
// where that of the smallest number is 2^31.
func tokenID(stem string) uint32 {
	h := int32(murmur3.StringSum32(stem))
	if h < 0 {
		return -uint32(h)
	}
	return uint32(h)
}

// wordEnd returns where the word that text[i:] goes on ends.
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

// isAlnum is Python's str.isalnum: letters and every kind of number. (Rust's is_alphanumeric, which Qdrant
// itself calls, also takes the combining vowel signs and the circled letters.)
func isAlnum(r rune) bool {
	if r < utf8.RuneSelf {
		return lower[r] != 0
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r)
}

// toLower maps to lower case as Unicode's SpecialCasing does without a locale, and Python and Rust with it: the
// two differences from strings.ToLower are the dotted capital I and the sigma at the end of a word.
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
			return cased(r)
		}
		s = s[:len(s)-n]
	}
	return false
}

func casedAfter(s string) bool {
	for _, r := range s {
		if !unicode.Is(unicode.Lm, r) {
			return cased(r)
		}
	}
	return false
}

func cased(r rune) bool {
	return unicode.IsUpper(r) || unicode.IsLower(r) || unicode.IsTitle(r) ||
		unicode.Is(unicode.Other_Uppercase, r) || unicode.Is(unicode.Other_Lowercase, r)
}

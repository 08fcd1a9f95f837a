package embed

import (
	"slices"
	"strings"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
	"github.com/twmb/murmur3"
)

const (
	cacheSets  = 1 << 16 // of two words each; about 15 MB when all are filled
	cachedWord = 48      // bytes; longer words are rare, and not worth a place
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
// stems are cached: the hash of a surface form names a set of two words, the last used one first. That bounds
// the memory and needs no lock: where two goroutines change a set at once a word may be lost or stand twice in
// it, and will be made again. A lexicon is safe for concurrent use.
type lexicon struct {
	cache [cacheSets][2]atomic.Pointer[word]
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
			w = l.other(toLower(text[start:i]))
		} else {
			w = l.lookup(buf[:n], h)
		}
		if !w.stop {
			dst = append(dst, w)
		}
	}
	return dst
}

// lookup returns the word of a surface form of at most cachedWord bytes, whose hash is h.
func (l *lexicon) lookup(surface []byte, h uint32) *word {
	set := &l.cache[(h^h>>16)%cacheSets]
	first := set[0].Load()
	if first != nil && first.surface == string(surface) {
		return first
	}
	w := set[1].Load()
	if w == nil || w.surface != string(surface) {
		w = newWord(string(surface))
	}
	set[0].Store(w)
	set[1].Store(first)
	return w
}

// other returns the word of a surface form that is long or has other characters than ASCII's.
func (l *lexicon) other(surface string) *word {
	if len(surface) > cachedWord {
		return newWord(surface)
	}
	var buf [cachedWord]byte
	return l.lookup(buf[:copy(buf[:], surface)], murmur3.StringSum32(surface))
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

// stopWords are the words of Snowball's English list, as Qdrant has them, that can be a token. Those with an
// apostrophe never are: splitting leaves their halves, which the list has too.
var stopWords = func() map[string]bool {
	m := make(map[string]bool)
	for _, w := range strings.Fields(`
		i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers
		herself it its itself they them their theirs themselves what which who whom this that these those am is
		are was were be been being have has had having do does did doing a an the and but if or because as until
		while of at by for with about against between into through during before after above below to from up
		down in out on off over under again further then once here there when where why how all any both each few
		more most other some such no nor not only own same so than too very s t can will just don should now d ll
		m o re ve y ain aren couldn didn doesn hadn hasn haven isn ma mightn mustn needn shan shouldn wasn weren
		won wouldn`) {
		m[w] = true
	}
	return m
}()

// tally counts the distinct stems of one text. The zero value works, and is made to be reused.
type tally struct {
	words []*word
	slots []count // open addressing by id; a count of zero is an empty slot
	used  []int32 // slots taken
	keys  []uint64
	list  []count
}

// count is a stem and how often it stands in a text.
type count struct {
	w *word
	n int32
}

// of returns the stems of text by ascending id, equal ids by ascending stem, and how many words there are in
// all. The list is valid until the next call.
func (t *tally) of(l *lexicon, text string) (list []count, words int) {
	t.words = l.append(t.words[:0], text)
	t.grow(len(t.words))
	for _, w := range t.words {
		t.add(w)
	}
	t.keys = t.keys[:0]
	for _, i := range t.used {
		t.keys = append(t.keys, uint64(t.slots[i].w.id)<<32|uint64(i))
	}
	t.used = t.used[:0]
	slices.Sort(t.keys) // of numbers: twice as fast as of counts with a function
	t.list = t.list[:0]
	for _, key := range t.keys {
		slot := &t.slots[uint32(key)]
		t.list = append(t.list, *slot)
		*slot = count{}
		for k := len(t.list) - 1; k > 0 && t.list[k-1].w.id == t.list[k].w.id && t.list[k-1].w.stem > t.list[k].w.stem; k-- {
			t.list[k-1], t.list[k] = t.list[k], t.list[k-1]
		}
	}
	return t.list, len(t.words)
}

// grow makes room for n distinct stems at a load of one half at most.
func (t *tally) grow(n int) {
	size := max(256, len(t.slots))
	for size < 2*n {
		size *= 2
	}
	if size > len(t.slots) {
		t.slots = make([]count, size)
	}
}

func (t *tally) add(w *word) {
	mask := len(t.slots) - 1
	for i := int(w.id) & mask; ; i = (i + 1) & mask {
		s := &t.slots[i]
		if s.n == 0 {
			*s = count{w, 1}
			t.used = append(t.used, int32(i))
			return
		}
		if s.w == w || s.w.id == w.id && s.w.stem == w.stem {
			s.n++
			return
		}
	}
}

// keepable says whether a tally is small enough to be kept for the next text.
func (t *tally) keepable() bool { return len(t.slots) <= 1<<16 }

package embed

import (
	"slices"
	"strings"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/kljensen/snowball/english"

	"s2g/schema"
)

// Language is the natural language of texts, by the name that Qdrant's bm25 gives it. Its stop words and its stemmer shape
// the terms of both builtin embedders. The empty Language is English.
type Language string

// The languages. Texts in Japanese are not cut into words, and those of Unstemmed keep all words as they are.
const (
	English    Language = "english"
	French     Language = "french"
	Japanese   Language = "japanese"
	Portuguese Language = "portuguese"
	Russian    Language = "russian"
	Spanish    Language = "spanish"
	Unstemmed  Language = "none"
)

// languageRules are the stop words and the stemmer of a language. The stemmer takes lower-case words.
type languageRules struct {
	code string // ISO 639-1; empty: none
	stop map[string]bool
	stem func(form string) string // nil: words stay
}

// languageTable has the rules of each language. kljensen's English stemmer stays in use because the bytes of English builds
// depend on it. TestStemmers compares the others with Qdrant's.
var languageTable = map[Language]*languageRules{
	// true: without it the stemmer leaves its own stop words as they are.
	English:    {"en", englishStopWords, func(form string) string { return english.Stem(form, true) }},
	French:     {"fr", frenchStopWords, snowballStemmer(french.Stem)},
	Japanese:   {"ja", nil, nil},
	Portuguese: {"pt", portugueseStopWords, snowballStemmer(portuguese.Stem)},
	Russian:    {"ru", russianStopWords, snowballStemmer(russian.Stem)},
	Spanish:    {"es", spanishStopWords, snowballStemmer(spanish.Stem)},
	Unstemmed:  {},
}

// snowballStemmer returns the function of a generated Snowball stemmer.
func snowballStemmer(stem func(*snowballstem.Env) bool) func(string) string {
	return func(form string) string {
		env := snowballstem.NewEnv(form)
		stem(env)
		return env.Current()
	}
}

// ParseLanguage parses the name of a language, or its code by ISO 639-1. The empty name is English. Errors are of
// [schema.FaultUsage].
func ParseLanguage(name string) (Language, error) {
	if name == "" {
		return English, nil
	}
	for l, rules := range languageTable {
		if name == string(l) || name == rules.code {
			return l, nil
		}
	}
	return "", schema.Faultf(schema.FaultUsage, "give one of "+strings.Join(LanguageNames(), ", "), "there is no text language %q", name)
}

// LanguageNames returns the names of all languages, in order.
func LanguageNames() []string {
	var names []string
	for l := range languageTable {
		names = append(names, string(l))
	}
	slices.Sort(names)
	return names
}

// Stemmed reports whether the language has a stemmer.
func (l Language) Stemmed() bool { return l.rules().stem != nil }

// rules returns the rules of the language, those of English for the empty one.
func (l Language) rules() *languageRules {
	if l == "" {
		l = English
	}
	return languageTable[l]
}

// bm25Model is the name of the sparse model for English. That of another language has the language as its query, in the
// spelling of Qdrant's option.
const (
	bm25Model         = "qdrant/bm25"
	bm25LanguageQuery = bm25Model + "?language="
)

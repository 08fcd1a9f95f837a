package text

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestChunksOne(t *testing.T) {
	tests := []struct {
		title, cleaned string
		want           Chunk
	}{
		{"", "", Chunk{}},
		{"A title", "", Chunk{Text: "A title"}},
		{"", "Text", Chunk{End: 4, Text: "Text"}},
		{"Größe", "naïve 日本", Chunk{End: 8, Text: "Größe\n\nnaïve 日本"}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff([]Chunk{tt.want}, Chunks(tt.title, tt.cleaned, 512, 0)); diff != "" {
			t.Errorf("%q, %q: %s", tt.title, tt.cleaned, diff)
		}
	}
}

// TestChunksFits has a post of exactly the size, which is one chunk, and of one token more, which is two.
func TestChunksFits(t *testing.T) {
	for n, want := range map[int]int{97: 1, 98: 1, 99: 2} {
		if got := len(Chunks("two words", strings.Repeat("a ", n), 100, 10)); got != want {
			t.Errorf("%d tokens and a title of 2: %d chunks, want %d", n, got, want)
		}
	}
}

func TestChunksPlaces(t *testing.T) {
	tests := []struct {
		name, text    string
		size, overlap int
		want          []string
	}{
		{"paragraph before line", "a a a a a a\n\nb b\nc c c c", 10, 0, []string{"a a a a a a\n\n", "b b\nc c c c"}},
		{"no paragraph near", "a a\n\nb b b b b b\nc c c c", 10, 0, []string{"a a\n\nb b b b b b\n", "c c c c"}},
		{"sentence", "a a a a. b b b b. c c c", 10, 0, []string{"a a a a. b b b b. ", "c c c"}},
		{"space", "aa aa aa aa aa aa", 4, 0, []string{"aa aa aa aa ", "aa aa"}},
		{"punctuation", "a,b,c,d,e", 4, 0, []string{"a,b,", "c,d,", "e"}},
		{"entity", "a b &nbsp; c d", 4, 0, []string{"a b ", "&nbsp; c ", "d"}},
		{"overlap at a line", "a a a a a a\nb b\nc c c c c c c", 10, 4, []string{"a a a a a a\nb b\n", "b b\nc c c c c c c"}},
		{"overlap at a word", "a b c d e f", 4, 2, []string{"a b c d ", "c d e f"}},
		{"ideographs", "日本語文字列", 4, 2, []string{"日本語文", "語文字列"}},
		{"marks stay", "e\u0301e\u0301e\u0301", 2, 0, []string{"e\u0301", "e\u0301", "e\u0301"}},
		{"marks over the window", "ab" + strings.Repeat("\u0301", 5) + "c", 4, 0, []string{"a", "b\u0301\u0301\u0301", "\u0301\u0301c"}},
		{"a word over the window", "a " + strings.Repeat("x", 40), 8, 4, []string{"a ", "xxxxxxxx", "xxxxxxxx", strings.Repeat("x", 24)}},
		{"overlap is bounded", "a b c d e f", 4, 100, []string{"a b c d ", "c d e f"}},
	}
	for _, tt := range tests {
		var got []string
		for _, c := range Chunks("", tt.text, tt.size, tt.overlap) {
			got = append(got, c.Text)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}

func TestChunksMany(t *testing.T) {
	chunks := Chunks("Title", strings.Repeat("a ", 3*MaxChunks/2), 1, 0)
	if len(chunks) > MaxChunks || len(chunks) < MaxChunks/4 {
		t.Errorf("%d chunks", len(chunks))
	}
	check(t, "Title", strings.Repeat("a ", 3*MaxChunks/2), 4, 0, chunks)
}

// TestChunksProperty cuts random texts by random windows.
func TestChunksProperty(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	parts := []string{"a", "word", "identifier", "internationalization", " ", " ", " ", "\n", "\n\n", ". ", ", ", "x = y[0];\n", "```\n", "    ",
		"日本語", "é", "e\u0301", "👩\u200d💻", "👍🏽", "❤️", "क्षि", "한국어", "Привет", "12", "3141592653", "&amp;", "&", "ไทย", strings.Repeat("ACGT", 30)}
	for range 3000 {
		var b strings.Builder
		for range rng.IntN(200) {
			b.WriteString(parts[rng.IntN(len(parts))])
		}
		title := strings.Repeat("Title of it ", rng.IntN(4))
		size, overlap := 1+rng.IntN(60), rng.IntN(30)
		if rng.IntN(4) == 0 {
			size, overlap = size+100, overlap*4 // no word of these is larger than the window
		}
		check(t, title, b.String(), size, overlap, Chunks(title, b.String(), size, overlap))
		if t.Failed() {
			return
		}
	}
}

// check compares the chunks of a post with the contract of Chunks.
func check(t *testing.T, title, cleaned string, size, overlap int, chunks []Chunk) {
	t.Helper()
	what := fmt.Sprintf("title %q, size %d, overlap %d, text %q", title, size, overlap, cleaned[:min(len(cleaned), 2000)])
	parent := []rune(cleaned)
	room := max(size-EstimateTokens(title), size/4, 1)
	longest := 0 // word: only one that is larger than the window is cut
	for i := 0; i < len(cleaned); {
		u := nextUnit(cleaned, i)
		i, longest = u.end, max(longest, u.tokens)
	}
	var whole []rune
	for i, c := range chunks {
		piece := string(parent[c.Start:c.End])
		head := title
		if title != "" && cleaned != "" {
			head += "\n\n"
		}
		if c.Text != head+piece {
			t.Fatalf("%s: chunk %d is not the title and the piece: %q", what, i, c.Text)
		}
		if n := EstimateTokens(piece); n > room {
			t.Fatalf("%s: chunk %d has %d tokens, room %d", what, i, n, room)
		}
		if c.Start > len(whole) || c.End <= len(whole) && len(parent) > 0 {
			t.Fatalf("%s: chunk %d, %d to %d, leaves a gap behind %d or is empty", what, i, c.Start, c.End, len(whole))
		}
		if i > 0 && EstimateTokens(string(parent[c.Start:len(whole)])) > overlap {
			t.Fatalf("%s: chunk %d overlaps by more", what, i)
		}
		for _, at := range []int{c.Start, c.End} {
			if at > 0 && at < len(parent) && longest <= room && (inWord(parent, at) || inEntity(parent, at) || isMark(parent[at]) && parent[at-1] > ' ') {
				t.Fatalf("%s: chunk %d is cut inside a word, an entity or a character at %d", what, i, at)
			}
		}
		whole = append(whole, parent[len(whole):c.End]...)
	}
	if string(whole) != cleaned {
		t.Fatalf("%s: the chunks do not make up the text", what)
	}
	if EstimateTokens(cleaned) <= room && len(chunks) != 1 {
		t.Fatalf("%s: it fits, but is %d chunks", what, len(chunks))
	}
}

// inWord reports whether the characters on both sides of a place are letters or digits of one word.
func inWord(s []rune, at int) bool {
	word := func(r rune) bool { return (unicode.IsLetter(r) || unicode.IsDigit(r)) && !isIdeograph(r) }
	return word(s[at-1]) && word(s[at])
}

// inEntity reports whether a place is inside of an HTML entity.
func inEntity(s []rune, at int) bool {
	for i := at - 1; i >= max(0, at-30); i-- {
		if s[i] == '&' {
			return entityLength(string(s[i:min(len(s), i+40)])) > at-i
		}
	}
	return false
}

func TestEstimateTokens(t *testing.T) {
	tests := []struct {
		s    string
		want int
	}{
		{"", 0}, {" \n\t", 0}, {"a", 1}, {"letters", 1}, {"lettered", 2}, {"constructional", 3}, {"constructionally", 4},
		{"2024", 2}, {"x86", 2}, {"foo.bar()", 5}, {"don't", 3}, {"日本", 2}, {"naïve", 3}, {"&lt;", 3}, {"& b", 2}, {"👩\u200d💻", 1}, {"👍🏽👍", 2}, {"👩\u200d", 1}, {"👩\u200da", 2},
	}
	for _, tt := range tests {
		if got := EstimateTokens(tt.s); got != tt.want {
			t.Errorf("EstimateTokens(%q) = %d, want %d", tt.s, got, tt.want)
		}
	}
}

func FuzzChunks(f *testing.F) {
	f.Add("Title", "Some text\n\nmore of it, and &amp; e\u0301 日本", 5, 2)
	f.Fuzz(func(t *testing.T, title, cleaned string, size, overlap int) {
		if !utf8.ValidString(cleaned) || size < 1 || size > 1000 || overlap < 0 || len(cleaned) > 1<<14 || len(title) > 200 {
			t.Skip()
		}
		check(t, title, cleaned, size, overlap, Chunks(title, cleaned, size, overlap))
	})
}

// dense counts three tokens for two of the estimate, and two for the ends of a text.
func dense(texts []string) ([]int, error) {
	n := make([]int, len(texts))
	for i, text := range texts {
		n[i] = 2 + (3*EstimateTokens(text)+1)/2
	}
	return n, nil
}

func TestChunksCounted(t *testing.T) {
	title := "How is it cut?"
	sentence := "A sentence of some words, and a number: 12345. "
	long := strings.Repeat(sentence, 200) + strings.Repeat("x[1] = {};\n", 100)
	for _, size := range []int{20, 100, 500} {
		chunks, err := ChunksCounted(title, long, size, size/8, dense)
		if err != nil {
			t.Fatal(err)
		}
		texts := make([]string, len(chunks))
		covered := 0
		for i, c := range chunks {
			texts[i] = c.Text
			if c.Start > covered || c.Text != title+"\n\n"+long[c.Start:c.End] {
				t.Fatalf("chunk %d, %d to %d, after %d: %q", i, c.Start, c.End, covered, c.Text)
			}
			covered = c.End
		}
		counts, _ := dense(texts)
		for i, n := range counts {
			if n > size {
				t.Errorf("size %d: chunk %d has %d tokens", size, i, n)
			}
		}
		if covered != len(long) || len(chunks) > 3*EstimateTokens(long)/size*2 && size > 20 {
			t.Errorf("size %d: %d chunks, up to %d of %d", size, len(chunks), covered, len(long))
		}
	}
}

// TestChunksCountedProperty holds that the windows of any counter cover any text without a gap.
func TestChunksCountedProperty(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	parts := []string{"word ", "internationalization ", "日本語の文", "👩\u200d💻", "e\u0301", "\n\n", "x[i] = {};\n", "&amp;", "Привет, мир. ", "🇩🇪", "한국어 "}
	for range 500 {
		var b strings.Builder
		for range rng.IntN(150) {
			b.WriteString(parts[rng.IntN(len(parts))])
		}
		cleaned, title := b.String(), strings.Repeat("A title ", rng.IntN(3))
		each, ends := 1+rng.IntN(3), rng.IntN(3) // tokens of a character, and of the ends of a text
		size, overlap := 1+rng.IntN(300), rng.IntN(60)
		chunks, err := ChunksCounted(title, cleaned, size, overlap, func(texts []string) ([]int, error) {
			n := make([]int, len(texts))
			for i, text := range texts {
				n[i] = ends + each*utf8.RuneCountInString(text)
			}
			return n, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		parent, covered := []rune(cleaned), 0
		for i, c := range chunks {
			if c.Start > covered || c.End < covered || c.Text != chunkHead(title, cleaned)+string(parent[c.Start:c.End]) {
				t.Fatalf("%q: chunk %d, %d to %d behind %d: %q", cleaned, i, c.Start, c.End, covered, c.Text)
			}
			covered = c.End
		}
		if covered != len(parent) {
			t.Fatalf("%q: %d of %d characters", cleaned, covered, len(parent))
		}
	}
}

// TestChunksCountedOmitsCounts holds that a post that fits for certain is not counted, and another one once.
func TestChunksCountedOmitsCounts(t *testing.T) {
	counted := 0
	count := func(texts []string) ([]int, error) {
		counted += len(texts)
		return dense(texts)
	}
	for n, want := range map[int]int{40: 0, 60: 2} { // of a window of 100: at most half of it, and more
		counted = 0
		got, err := ChunksCounted("", strings.Repeat("a ", n), 100, 10, count)
		if diff := cmp.Diff(Chunks("", strings.Repeat("a ", n), 1000, 10), got); err != nil || diff != "" || counted != want {
			t.Errorf("%d tokens: %d texts counted, %v %s", n, counted, err, diff)
		}
	}
}

// TestChunksCountedOddCounts has a title that fills the window, and a model that counts every byte: the number of windows is
// bounded.
func TestChunksCountedOddCounts(t *testing.T) {
	title, long := strings.Repeat("title ", 150), strings.Repeat("words and words ", 100)
	chunks, err := ChunksCounted(title, long, 100, 10, dense)
	if err != nil || len(chunks) > 30 {
		t.Errorf("%d chunks, %v", len(chunks), err)
	}
	chunks, err = ChunksCounted("", long, 100, 10, func(texts []string) ([]int, error) {
		n := make([]int, len(texts))
		for i := range texts {
			n[i] = 100 * len(texts[i])
		}
		return n, nil
	})
	if err != nil || len(chunks) > 40 {
		t.Errorf("%d chunks, %v", len(chunks), err)
	}
	failed := errors.New("gone")
	if _, err := ChunksCounted("", long, 100, 10, func([]string) ([]int, error) { return nil, failed }); !errors.Is(err, failed) {
		t.Errorf("%v", err)
	}
	if _, err := ChunksCounted("", long, 100, 10, func([]string) ([]int, error) { return []int{1}, nil }); err == nil {
		t.Error("one count for two texts")
	}
}

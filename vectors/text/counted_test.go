package text

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// dense counts three tokens for two of Tokens, and two for the ends of a text.
func dense(texts []string) ([]int, error) {
	n := make([]int, len(texts))
	for i, text := range texts {
		n[i] = 2 + (3*Tokens(text)+1)/2
	}
	return n, nil
}

func TestChunksBy(t *testing.T) {
	title := "How is it cut?"
	sentence := "A sentence of some words, and a number: 12345. "
	long := strings.Repeat(sentence, 200) + strings.Repeat("x[1] = {};\n", 100)
	for _, size := range []int{20, 100, 500} {
		chunks, err := ChunksBy(title, long, size, size/8, dense)
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
		if covered != len(long) || len(chunks) > 3*Tokens(long)/size*2 && size > 20 {
			t.Errorf("size %d: %d chunks, up to %d of %d", size, len(chunks), covered, len(long))
		}
	}
}

// Windows of any counter cover the text without a gap, whatever is in it.
func TestChunksByProperty(t *testing.T) {
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
		chunks, err := ChunksBy(title, cleaned, size, overlap, func(texts []string) ([]int, error) {
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
			if c.Start > covered || c.End < covered || c.Text != heading(title, cleaned)+string(parent[c.Start:c.End]) {
				t.Fatalf("%q: chunk %d, %d to %d behind %d: %q", cleaned, i, c.Start, c.End, covered, c.Text)
			}
			covered = c.End
		}
		if covered != len(parent) {
			t.Fatalf("%q: %d of %d characters", cleaned, covered, len(parent))
		}
	}
}

func TestChunksByAsksLittle(t *testing.T) {
	asked := 0
	count := func(texts []string) ([]int, error) {
		asked += len(texts)
		return dense(texts)
	}
	for n, want := range map[int]int{40: 0, 60: 2} { // of a window of 100: surely within, and not
		asked = 0
		got, err := ChunksBy("", strings.Repeat("a ", n), 100, 10, count)
		if diff := cmp.Diff(Chunks("", strings.Repeat("a ", n), 1000, 10), got); err != nil || diff != "" || asked != want {
			t.Errorf("%d tokens: asked %d times, %v %s", n, asked, err, diff)
		}
	}
}

// A title that fills the window, and a model that counts every byte, end in windows of a bounded number.
func TestChunksByOddCounts(t *testing.T) {
	title, long := strings.Repeat("title ", 150), strings.Repeat("words and words ", 100)
	chunks, err := ChunksBy(title, long, 100, 10, dense)
	if err != nil || len(chunks) > 30 {
		t.Errorf("%d chunks, %v", len(chunks), err)
	}
	chunks, err = ChunksBy("", long, 100, 10, func(texts []string) ([]int, error) {
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
	if _, err := ChunksBy("", long, 100, 10, func([]string) ([]int, error) { return nil, failed }); !errors.Is(err, failed) {
		t.Errorf("%v", err)
	}
	if _, err := ChunksBy("", long, 100, 10, func([]string) ([]int, error) { return []int{1}, nil }); err == nil {
		t.Error("one count for two texts")
	}
}

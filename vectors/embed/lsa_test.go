package embed

import (
	"bytes"
	"context"
	"crypto/sha256"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// topical holds four texts of each of three topics.
var topical = []string{
	"gears and chain of a bicycle: the derailleur shifts the chain over the gears",
	"my chain slips on the small gears when the derailleur shifts",
	"replace a bicycle chain and cassette when gears wear",
	"derailleur adjustment for smooth shifts on the cassette",
	"align sequencing reads to the genome and call variants",
	"the genome assembly from long sequencing reads",
	"variants in the genome from aligned reads in a BAM file",
	"sequencing depth of reads over the genome in BAM",
	"a goroutine blocks when the channel has no receiver",
	"close the channel so that each goroutine stops",
	"deadlock: every goroutine waits on a channel receiver",
	"the receiver of a channel runs in its own goroutine",
}

func fit(t testing.TB, texts []string, dims int) *LSA {
	t.Helper()
	m, err := FitLSA(context.Background(), English, slices.Values(texts), dims)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func file(t testing.TB, m *LSA) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := m.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func documents(t testing.TB, d Dense, texts ...string) [][]float32 {
	t.Helper()
	v, err := d.Documents(context.Background(), texts)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func dot(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

func TestLSANeighbours(t *testing.T) {
	m := fit(t, topical, 3)
	vectors := documents(t, m, topical...)
	for i, v := range vectors {
		if n := dot(v, v); math.Abs(n-1) > 1e-6 {
			t.Errorf("text %d: squared length %v", i, n)
		}
		nearest, top := -1, -1.0
		for j, w := range vectors {
			if d := dot(v, w); j != i && d > top {
				nearest, top = j, d
			}
		}
		if nearest/4 != i/4 {
			t.Errorf("the nearest to text %d is %d, of another topic", i, nearest)
		}
	}
	q, err := m.Query(context.Background(), "Channels and goroutines?")
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range vectors {
		if near := dot(q, v) > .7; near != (i/4 == 2) {
			t.Errorf("query and text %d: %v", i, dot(q, v))
		}
	}
}

func TestLSAIsDeterministic(t *testing.T) {
	texts := synthetic(200)
	want := file(t, fit(t, texts, 32))
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	for _, procs := range []int{1, 3} {
		runtime.GOMAXPROCS(procs)
		if !bytes.Equal(file(t, fit(t, texts, 32)), want) {
			t.Errorf("with %d processors the model has other bytes", procs)
		}
	}
}

func TestLSAOfFewTexts(t *testing.T) {
	for _, texts := range [][]string{nil, {""}, {"the"}, {"one word"}, {"same", "same"}, topical[:2]} {
		m := fit(t, texts, 0)
		for _, v := range documents(t, m, append(texts, "something else")...) {
			if len(v) != 256 || math.Abs(dot(v, v)-1) > 1e-6 {
				t.Errorf("%d texts: a vector of %d dimensions, squared length %v", len(texts), len(v), dot(v, v))
			}
		}
		if again, err := parseLSA(file(t, m)); err != nil || again.Model() != m.Model() {
			t.Errorf("%d texts: read back: %v", len(texts), err)
		}
	}
}

func TestLSAOfUnknownTerms(t *testing.T) {
	m := fit(t, topical, 5)
	vectors := documents(t, m, "", "bicycle", "zebra")
	for _, i := range []int{0, 2} {
		if !slices.Equal(vectors[i], []float32{1, 0, 0, 0, 0}) || !IsFirstAxis(vectors[i]) {
			t.Errorf("vector %d is not the first axis: %v", i, vectors[i])
		}
	}
	if IsFirstAxis(vectors[1]) {
		t.Error("the vector of a known term is the first axis")
	}
}

func TestLSAFile(t *testing.T) {
	m := fit(t, topical, 6)
	b := file(t, m)
	again, err := parseLSA(b)
	if err != nil {
		t.Fatal(err)
	}
	if again.Model() != m.Model() || again.Dim() != 6 || !slices.Equal(again.terms, m.terms) {
		t.Errorf("read back: %s, %d, %d", again.Model(), again.Dim(), len(again.terms))
	}
	if !bytes.Equal(file(t, again), b) {
		t.Error("written again it has other bytes")
	}
	for i, v := range documents(t, again, topical...) {
		if !slices.Equal(v, documents(t, m, topical[i])[0]) {
			t.Errorf("text %d has another vector", i)
		}
	}
}

func TestLSAFileCorrupt(t *testing.T) {
	t.Parallel()
	b := file(t, fit(t, topical[:4], 2))
	for i := range b {
		c := slices.Clone(b)
		c[i] ^= 0x10
		if _, err := parseLSA(c); err == nil {
			t.Errorf("byte %d of %d changed: no error", i, len(b))
		}
	}
	for i := range b {
		if _, err := parseLSA(b[:i]); err == nil {
			t.Errorf("cut at byte %d of %d: no error", i, len(b))
		}
	}
	if _, err := parseLSA(append(b, 0)); err == nil {
		t.Error("a byte more: no error")
	}
	for _, content := range []string{"", "\x00\x00\x00\x00\x00\x00\x00\x00", "\x01\x00\x00\x00\x01\x00\x00\x00", "\x01\x00\x00\x00\x01\x00\x00\x00\x05word",
		"\x01\x00\x00\x00\x01\x00\x00\x00\x04word1234"} {
		c := []byte(lsaMagic + content)
		sum := sha256.Sum256(c)
		if _, err := parseLSA(append(c, sum[:]...)); err == nil {
			t.Errorf("content %q with its checksum: no error", content)
		}
	}
}

func TestFitLSARefusesDimensions(t *testing.T) {
	for _, dims := range []int{-1, 1 << 16} {
		if _, err := FitLSA(context.Background(), English, slices.Values(topical), dims); err == nil || !strings.Contains(err.Error(), "out of range") {
			t.Errorf("%d: %v", dims, err)
		}
	}
}

func TestVocabularyIsBounded(t *testing.T) {
	c := corpusOf(topical)
	if got := c.stems(c.vocabulary(3)); !slices.Equal(got, []string{"channel", "genom", "goroutin"}) {
		t.Errorf("the three terms of most texts are %q", got)
	}
}

// corpusOf returns the corpus of texts.
func corpusOf(texts []string) *corpus {
	c, a := newCorpus(), new(analyzer)
	for _, text := range texts {
		a.count(text, func(terms []termCount, _ int) { c.addText(terms) })
	}
	return c
}

func TestCancelledEmbedders(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := FitLSA(ctx, English, slices.Values(topical), 0); err != context.Canceled {
		t.Error(err)
	}
	for _, f := range []func() error{
		func() error { _, err := fit(t, topical, 0).Documents(ctx, topical); return err },
		func() error { _, err := NewBM25().Documents(ctx, topical); return err },
	} {
		if err := f(); err != context.Canceled {
			t.Error(err)
		}
	}
}

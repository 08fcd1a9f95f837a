package embed

import (
	"context"
	"math"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTokenID(t *testing.T) {
	for stem, want := range map[string]uint32{"hello": 613153351, "world": 74040069, "run": 243905464} {
		if got := tokenID(stem); got != want {
			t.Errorf("tokenID(%q) = %d, want %d", stem, got, want)
		}
	}
}

func TestLexicon(t *testing.T) {
	tests := []struct{ text, want string }{
		{"", ""},
		{"the and not t", ""},
		{"Hello, WORLD! running", "hello world run"},
		{"don't we'll", ""},
		{"x_y C++ .NET 3.14", "x c net 3 14"}, // y is a stop word
		{"naïve café Straße", "naïv café straße"},
		{"ΟΔΟΣ ΣΑ ΑΣΑ İI", "οδος σα ασα i̇i"},
		{"½ ² ⅷ Ⅷ 一二 x\u0301y", "½ ² ⅷ ⅷ 一二 x"},
		{"abc日本語def a日", "abc日本語def a日"},
		{"only yourself dying skies", "die sky"},
		{strings.Repeat("ab", 40) + "ing", strings.Repeat("ab", 40)},
		{strings.Repeat("x", cachedWord) + " " + strings.Repeat("x", cachedWord+1), strings.Repeat("x", cachedWord) + " " + strings.Repeat("x", cachedWord+1)},
	}
	var l lexicon
	for range 2 { // the second time from the cache
		for _, tt := range tests {
			var got []string
			for _, w := range l.append(nil, tt.text) {
				got = append(got, w.stem)
			}
			if diff := cmp.Diff(strings.Fields(tt.want), got); diff != "" && (len(got) > 0 || tt.want != "") {
				t.Errorf("%q: %s", tt.text, diff)
			}
		}
	}
}

func TestBM25Documents(t *testing.T) {
	b := NewBM25()
	got, err := b.Documents(context.Background(), []string{"Hello world, hello running!", "", "the"})
	if err != nil {
		t.Fatal(err)
	}
	// 4 words: the length's share is .25 + .75*4/256 = .26171875, times 1.2 = .3140625.
	once, twice := 2.2/1.3140625, 4.4/2.3140625
	want := []uint32{74040069, 243905464, 613153351}
	if diff := cmp.Diff(want, got[0].Indices); diff != "" {
		t.Error(diff)
	}
	for i, w := range []float64{once, once, twice} {
		if math.Abs(float64(got[0].Values[i])-w) > 1e-6 {
			t.Errorf("weight %d = %v, want %v", i, got[0].Values[i], w)
		}
	}
	for _, v := range got[1:] {
		if len(v.Indices)+len(v.Values) != 0 {
			t.Errorf("a text without terms has the vector %v", v)
		}
	}
}

func TestBM25Query(t *testing.T) {
	got, err := NewBM25().Query(context.Background(), "run, running: the world runs")
	if err != nil {
		t.Fatal(err)
	}
	want := SparseVector{Indices: []uint32{74040069, 243905464}, Values: []float32{1, 1}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestBM25Collision is about two terms with one index: the vector has it once, with the greater weight.
func TestBM25Collision(t *testing.T) {
	seen := make(map[uint32]string)
	var a, b string
	for i := 0; a == ""; i++ {
		s := strconv.Itoa(i) + "x"
		if other, ok := seen[tokenID(s)]; ok {
			a, b = other, s
		}
		seen[tokenID(s)] = s
	}
	e := NewBM25()
	for _, text := range []string{a + " " + b + " " + b, b + " " + a + " " + b} {
		v, err := e.Documents(context.Background(), []string{text, b + " " + b + " c"})
		if err != nil {
			t.Fatal(err)
		}
		if len(v[0].Indices) != 1 || v[0].Indices[0] != tokenID(a) || v[0].Values[0] != max(v[1].Values[0], v[1].Values[1]) {
			t.Errorf("%q: %v", text, v[0])
		}
	}
}

// TestConcurrent embeds the same texts in several goroutines at once, which share caches that are too small for them.
func TestConcurrent(t *testing.T) {
	texts := synthetic(300)
	sparse, dense := NewBM25(), fit(t, texts, LSAOptions{Dims: 16})
	wantSparse, err := sparse.Documents(context.Background(), texts)
	if err != nil {
		t.Fatal(err)
	}
	wantDense := documents(t, dense, texts...)
	sparse = NewBM25() // with a cold cache
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			gotSparse, err := sparse.Documents(context.Background(), texts)
			if diff := cmp.Diff(wantSparse, gotSparse); diff != "" || err != nil {
				t.Error(err, diff)
			}
			gotDense, err := dense.Documents(context.Background(), texts)
			if diff := cmp.Diff(wantDense, gotDense); diff != "" || err != nil {
				t.Error(err, diff)
			}
		})
	}
	wg.Wait()
}

package embed

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLexicalWeights(t *testing.T) {
	f := newFake(t)
	s, err := OpenSparse(context.Background(), "bgem3+"+f.URL+"?model=BAAI/bge-m3", options(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	// "to" and "be" are the same token to the fake; the greatest weight counts. The first token has none.
	got, err := s.Documents(context.Background(), []string{"to be or not to be", "", "one"})
	want := []SparseVector{{Indices: []uint32{6, 7}, Values: []float32{.45, .25}}, {}, {Indices: []uint32{}, Values: []float32{}}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
	if s.IDF() || s.Model() != "BAAI/bge-m3" {
		t.Errorf("%s, idf %v", s.Model(), s.IDF())
	}
	f.limit = 512
	long, err := s.Query(context.Background(), strings.Repeat("word ", 2000))
	if err != nil || len(long.Indices) != 1 || long.Values[0] < 40 || long.Values[0] > 51 {
		t.Errorf("a long text: %v, %v", long, err)
	}
}

// TestLexicalWeightsOfOneWord has a server that refuses texts of one word, as some versions of vLLM do.
func TestLexicalWeightsOfOneWord(t *testing.T) {
	f := newFake(t)
	f.least = 4
	s, err := OpenSparse(context.Background(), "bgem3+"+f.URL+"?model=BAAI/bge-m3", options(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Documents(context.Background(), []string{"to be or not", "numpy", "two words"})
	want := []SparseVector{
		{Indices: []uint32{6, 7}, Values: []float32{.15, .25}}, {Indices: []uint32{9}, Values: []float32{.05}}, {Indices: []uint32{9}, Values: []float32{.05}},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
	if n := StatsOf(s).Refused; n != 0 {
		t.Errorf("%d refused", n)
	}
	f.least = 100
	if got, err := s.Query(context.Background(), "numpy"); err != nil || len(got.Indices) != 0 || StatsOf(s).Refused != 1 {
		t.Errorf("a word that is refused twice over, too: %v, %v", got, err)
	}
}

func TestLexicalWeightsOfVersions(t *testing.T) {
	want := SparseVector{Indices: []uint32{7, 9}, Values: []float32{.5, .25}}
	for _, weights := range [][]float32{{.25, .5, .1}, {.25, .5, .1, .7}, {0, .25, .5, .1, .7}} {
		got, err := lexicalWeights([]uint32{0, 9, 7, 7, 2}, weights)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%v: %v %s", weights, err, diff)
		}
	}
	if _, err := lexicalWeights([]uint32{0, 9, 7, 7, 2}, []float32{1}); err == nil {
		t.Error("one weight for five tokens")
	}
	m := &bgeM3{}
	for _, form := range []string{"[.5]", "[[0.5]]", "0.5"} {
		got, err := m.read(&endpoint{}, []byte(strings.ReplaceAll(`{"data": [{"index": 0, "data": `+form+`}]}`, "[.5]", "[0.5]")), 1)
		if diff := cmp.Diff([][]float32{{.5}}, got); err != nil || diff != "" {
			t.Errorf("%s: %v %s", form, err, diff)
		}
	}
}

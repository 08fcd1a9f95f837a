package embed

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"s2g/schema/schematest"
)

func TestBM25Documents(t *testing.T) {
	b := NewBM25()
	got, err := b.Documents(context.Background(), []string{"Hello world, hello running!", "", "the"})
	if err != nil {
		t.Fatal(err)
	}
	// 4 words: .25 + .75*4/256 = .26171875, times 1.2 = .3140625.
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

// TestBM25Collision finds two terms with the same index. The vector has it once, with the greater weight.
func TestBM25Collision(t *testing.T) {
	seen := make(map[uint32]string)
	var a, b string
	for i := 0; a == ""; i++ {
		s := strconv.Itoa(i) + "x"
		if other, ok := seen[termID(s)]; ok {
			a, b = other, s
		}
		seen[termID(s)] = s
	}
	e := NewBM25()
	for _, text := range []string{a + " " + b + " " + b, b + " " + a + " " + b} {
		v, err := e.Documents(context.Background(), []string{text, b + " " + b + " c"})
		if err != nil {
			t.Fatal(err)
		}
		if len(v[0].Indices) != 1 || v[0].Indices[0] != termID(a) || v[0].Values[0] != max(v[1].Values[0], v[1].Values[1]) {
			t.Errorf("%q: %v", text, v[0])
		}
	}
}

// TestConcurrent embeds the same texts in several goroutines, whose shared caches are too small for them.
func TestConcurrent(t *testing.T) {
	t.Parallel()
	texts := synthetic(100)
	sparse, dense := NewBM25(), fit(t, texts, 16)
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

// TestBM25Python compares whole vectors of real posts with the rule in Python, by the libraries that Qdrant's clients use.
func TestBM25Python(t *testing.T) {
	schematest.Long(t)
	const script = `
import json, sys, mmh3
from py_rust_stemmers import SnowballStemmer
stem, stop = SnowballStemmer("english"), set(json.loads(sys.stdin.readline()))
for line in sys.stdin:
    text = json.loads(line)
    words = "".join(c if c.isalnum() else " " for c in text).split(" ")
    words = [stem.stem_word(w) for w in (w.lower() for w in words if w) if w not in stop]
    tf = {}
    for w in words:
        tf[w] = tf.get(w, 0) + 1
    out = {}
    for w, c in tf.items():
        h = abs(mmh3.hash(w.encode(), 0, signed=True))
        out[h] = max(out.get(h, 0), c * 2.2 / (c + 1.2 * (0.25 + 0.75 * len(words) / 256)))
    print(json.dumps(sorted(out.items())))`
	interpreter := schematest.Python(t, "mmh3", "py-rust-stemmers")
	texts := bodies(t, "bioinformatics.stackexchange.com")
	var in bytes.Buffer
	var stop []string
	for w := range englishStopWords {
		stop = append(stop, w)
	}
	enc := json.NewEncoder(&in)
	if err := enc.Encode(stop); err != nil {
		t.Fatal(err)
	}
	for _, text := range texts {
		if err := enc.Encode(text); err != nil {
			t.Fatal(err)
		}
	}
	vectors, err := NewBM25().Documents(context.Background(), texts)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(interpreter, "-c", script)
	cmd.Stdin, cmd.Stderr = &in, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(bytes.NewReader(out))
	for i, v := range vectors {
		var want [][2]float64
		if err := dec.Decode(&want); err != nil {
			t.Fatal(err)
		}
		if len(want) != len(v.Indices) {
			t.Fatalf("text %d: %d terms, want %d", i, len(v.Indices), len(want))
		}
		for j, w := range want {
			if uint32(w[0]) != v.Indices[j] || math.Abs(w[1]-float64(v.Values[j])) > 1e-6 {
				t.Fatalf("text %d: term %d is %d %v, want %v", i, j, v.Indices[j], v.Values[j], w)
			}
		}
	}
}

// bodies returns the bodies of a real dump's posts, as HTML.
func bodies(t testing.TB, site string) []string {
	t.Helper()
	return schematest.Bodies(t, schematest.Dump(t, site))
}

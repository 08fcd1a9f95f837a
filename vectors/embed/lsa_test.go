package embed

import (
	"bytes"
	"context"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// topical is a corpus of three topics, four texts each.
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

func fit(t testing.TB, texts []string, o LSAOptions) *LSA {
	t.Helper()
	m, err := FitLSA(context.Background(), slices.Values(texts), o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func file(t testing.TB, m *LSA) []byte {
	t.Helper()
	var b bytes.Buffer
	n, err := m.WriteTo(&b)
	if err != nil {
		t.Fatal(err)
	}
	if n != int64(b.Len()) {
		t.Errorf("WriteTo says %d bytes, wrote %d", n, b.Len())
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
	m := fit(t, topical, LSAOptions{Dims: 3})
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

// TestLSASingular holds the directions to their definition: aᵀa v = λ v, and they are orthonormal.
func TestLSASingular(t *testing.T) {
	c := corpus{ids: make(map[string]int32), ptr: []int{0}}
	var l lexicon
	var ty tally
	for _, text := range synthetic(300) {
		list, _ := ty.of(&l, text)
		c.add(list)
	}
	kept := c.vocabulary(1000)
	a := c.matrix(kept, c.idf(kept))
	v, k, err := rightSingular(context.Background(), a, 10, 40, 1)
	if err != nil || k != 10 {
		t.Fatalf("%d directions, %v", k, err)
	}
	w, u := make([]float32, a.rows()*k), make([]float32, a.cols*k)
	a.times(w, v, k)
	a.transpose().times(u, w, k)
	column := func(m []float32, j int) (out []float32) {
		for i := j; i < len(m); i += k {
			out = append(out, m[i])
		}
		return out
	}
	before := math.Inf(1)
	for j := range k {
		vj, uj := column(v, j), column(u, j)
		lambda := dot(vj, uj)
		if lambda > before*1.0001 {
			t.Errorf("value %d is %v, above the one before, %v", j, lambda, before)
		}
		before = lambda
		if rest := dot(uj, uj) - lambda*lambda; math.Sqrt(max(0, rest)) > .02*lambda {
			t.Errorf("direction %d: value %v, residual %v", j, lambda, math.Sqrt(rest))
		}
		for i := range j {
			if d := dot(column(v, i), vj); math.Abs(d) > 1e-5 {
				t.Errorf("directions %d and %d: %v", i, j, d)
			}
		}
	}
}

func TestLSADeterministic(t *testing.T) {
	texts := synthetic(400)
	o := LSAOptions{Dims: 32, Seed: 7}
	want := file(t, fit(t, texts, o))
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	for _, procs := range []int{1, 3} {
		runtime.GOMAXPROCS(procs)
		if !bytes.Equal(file(t, fit(t, texts, o)), want) {
			t.Errorf("with %d processors the model has other bytes", procs)
		}
	}
	o.Seed = 8
	if bytes.Equal(file(t, fit(t, texts, o)), want) {
		t.Error("another seed gives the same model")
	}
}

func TestLSAFew(t *testing.T) {
	for _, texts := range [][]string{nil, {""}, {"the"}, {"one word"}, {"same", "same"}, topical[:2]} {
		m := fit(t, texts, LSAOptions{})
		for _, v := range documents(t, m, append(texts, "something else")...) {
			if len(v) != 256 || math.Abs(dot(v, v)-1) > 1e-6 {
				t.Errorf("%d texts: a vector of %d dimensions, squared length %v", len(texts), len(v), dot(v, v))
			}
		}
		if again, err := ReadLSA(bytes.NewReader(file(t, m))); err != nil || again.Model() != m.Model() {
			t.Errorf("%d texts: read back: %v", len(texts), err)
		}
	}
}

func TestLSAUnknown(t *testing.T) {
	m := fit(t, topical, LSAOptions{Dims: 5})
	vectors := documents(t, m, "", "bicycle", "zebra")
	for _, i := range []int{0, 2} {
		if !slices.Equal(vectors[i], []float32{1, 0, 0, 0, 0}) {
			t.Errorf("vector %d is not the first axis: %v", i, vectors[i])
		}
	}
	if m.Unknown() != 2 {
		t.Errorf("%d unknown, want 2", m.Unknown())
	}
}

func TestLSAFile(t *testing.T) {
	m := fit(t, topical, LSAOptions{Dims: 6})
	b := file(t, m)
	again, err := ReadLSA(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	if again.Model() != m.Model() || again.Dim() != 6 || again.Terms() != m.Terms() {
		t.Errorf("read back: %s, %d, %d", again.Model(), again.Dim(), again.Terms())
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
	b := file(t, fit(t, topical, LSAOptions{Dims: 3}))
	for i := range b {
		c := slices.Clone(b)
		c[i] ^= 0x10
		if _, err := ReadLSA(bytes.NewReader(c)); err == nil {
			t.Errorf("byte %d of %d changed: no error", i, len(b))
		}
	}
	for i := range b {
		if _, err := ReadLSA(io.LimitReader(bytes.NewReader(b), int64(i))); err == nil {
			t.Errorf("cut at byte %d of %d: no error", i, len(b))
		}
	}
	if _, err := ReadLSA(bytes.NewReader(append(b, 0))); err == nil {
		t.Error("a byte more: no error")
	}
}

func TestLSAOptions(t *testing.T) {
	for _, o := range []LSAOptions{{Dims: -1}, {Dims: 1 << 16}, {Terms: -1}, {Iterations: -1}} {
		if _, err := FitLSA(context.Background(), slices.Values(topical), o); err == nil || !strings.Contains(err.Error(), "out of range") {
			t.Errorf("%+v: %v", o, err)
		}
	}
	if m := fit(t, topical, LSAOptions{Terms: 3}); m.Terms() != 3 {
		t.Errorf("%d terms, want 3", m.Terms())
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := FitLSA(ctx, slices.Values(topical), LSAOptions{}); err != context.Canceled {
		t.Error(err)
	}
	for _, f := range []func() error{
		func() error { _, err := fit(t, topical, LSAOptions{}).Documents(ctx, topical); return err },
		func() error { _, err := NewBM25().Documents(ctx, topical); return err },
	} {
		if err := f(); err != context.Canceled {
			t.Error(err)
		}
	}
}

package embed

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"strings"
	"testing"
	"unicode"

	"s2g/schema/schematest"
)

// TestCharacters holds isAlnum and toLower to Python's str methods at every code point that both know.
func TestCharacters(t *testing.T) {
	const script = `
import sys, unicodedata
for c in map(chr, range(0x110000)):
    k = unicodedata.category(c)
    if k not in ("Cn", "Cs"):
        print(f"{ord(c):x}", int(c.isalnum()), c.lower().encode("utf-8").hex(), ("a" + c).lower().encode("utf-8").hex())`
	out := python(t, schematest.Tool(t, "python3"), script, nil)
	known := 0
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		var r rune
		var alnum int
		var lower, after []byte
		if _, err := fscan(lines.Text(), &r, &alnum, &lower, &after); err != nil {
			t.Fatal(err)
		}
		if !assigned(r) {
			continue
		}
		known++
		if got := isAlnum(r); got != (alnum == 1) {
			t.Errorf("isAlnum(%U) = %v", r, got)
		}
		if got := toLower(string(r)); isAlnum(r) && got != string(lower) {
			t.Errorf("toLower(%U) = %q, want %q", r, got, lower)
		}
		if got := toLower("a" + string(r)); isAlnum(r) && got != string(after) {
			t.Errorf("toLower(a%U) = %q, want %q", r, got, after)
		}
	}
	if known < 140_000 {
		t.Errorf("only %d code points compared", known)
	}
}

// TestBM25Python holds whole vectors of real posts to the rule written in Python, with the libraries that
// Qdrant's clients use.
func TestBM25Python(t *testing.T) {
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
	for w := range stopWords {
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
	dec := json.NewDecoder(bytes.NewReader(python(t, interpreter, script, &in)))
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

// python returns what a script prints, and skips the test without a python3.
func python(t *testing.T, interpreter, script string, in io.Reader) []byte {
	t.Helper()
	cmd := exec.Command(interpreter, "-c", script)
	cmd.Stdin, cmd.Stderr = in, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// bodies returns the bodies of a real dump's posts, as HTML.
func bodies(t testing.TB, site string) []string {
	t.Helper()
	return schematest.Bodies(t, schematest.Dump(t, site))
}

// assigned says whether Go's tables know a code point: those of Python may be of another version of Unicode.
func assigned(r rune) bool {
	return unicode.IsOneOf([]*unicode.RangeTable{unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z, unicode.C}, r)
}

func fscan(line string, r *rune, alnum *int, lower, after *[]byte) (int, error) {
	return fmt.Sscanf(strings.TrimSpace(line), "%x %d %x %x", r, alnum, lower, after)
}

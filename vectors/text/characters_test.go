package text

import (
	"math/rand/v2"
	"testing"
)

// TestPlain compares the scan of eight bytes at a time with one of single bytes.
func TestPlain(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"a", "word", "longer words", " ", "  ", "\n", "\t", "\r", "\x00", "\x1f", "!", "~", "\x7f", "\u00a0", "\u00ad", "é", "\u200b", "\ufeff", "漢", "\u2028", "\x80"}
	for range 20_000 {
		var s string
		for range 1 + rng.IntN(12) {
			s += pieces[rng.IntN(len(pieces))]
			if rng.IntN(2) == 0 {
				s += "abcdefgh"[:rng.IntN(9)]
			}
		}
		b := []byte(s)
		if got, want := plainText(b), plainUpTo(b, false); got != want {
			t.Fatalf("%q: %d bytes of prose are plain, want %d", b, got, want)
		}
		if got, want := plainCode(b), plainUpTo(b, true); got != want {
			t.Fatalf("%q: %d bytes of code are plain, want %d", b, got, want)
		}
	}
}

// plainUpTo applies the rule of plainText or plainCode to single bytes.
func plainUpTo(b []byte, code bool) int {
	for i, c := range b {
		if c >= 0x80 && !startsSpecial[c] || c > ' ' && c < 0x7F {
			continue
		}
		_, size := special(b[i:])
		switch {
		case size == 0:
		case code && (c == ' ' || c == '\n' || c == '\t'):
		case !code && c == ' ' && i > 0 && i+1 < len(b) && !startsSpecial[b[i+1]]:
		default:
			return i
		}
	}
	return len(b)
}

package embed

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"s2g/schema/schematest"
)

func TestTermID(t *testing.T) {
	for stem, want := range map[string]uint32{"hello": 613153351, "world": 74040069, "run": 243905464} {
		if got := termID(stem); got != want {
			t.Errorf("termID(%q) = %d, want %d", stem, got, want)
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
	for range 2 { // the second time the words are cached
		for _, tt := range tests {
			var got []string
			for _, w := range l.appendWords(nil, tt.text) {
				got = append(got, w.stem)
			}
			if diff := cmp.Diff(strings.Fields(tt.want), got); diff != "" && (len(got) > 0 || tt.want != "") {
				t.Errorf("%q: %s", tt.text, diff)
			}
		}
	}
}

// TestCharacters compares isAlnum and toLower with Python's str methods at every code point that both have.
func TestCharacters(t *testing.T) {
	t.Parallel()
	schematest.Long(t)
	const script = `
import unicodedata
for c in map(chr, range(0x110000)):
    k = unicodedata.category(c)
    if k not in ("Cn", "Cs"):
        print(f"{ord(c):x}", int(c.isalnum()), c.lower().encode("utf-8").hex(), ("a" + c).lower().encode("utf-8").hex())`
	out, err := exec.Command(schematest.Tool(t, "python3"), "-c", script).Output()
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		code, err := strconv.ParseInt(fields[0], 16, 32)
		if err != nil {
			t.Fatal(err)
		}
		r := rune(code)
		if !isAssigned(r) {
			continue
		}
		compared++
		if got := isAlnum(r); got != (fields[1] == "1") {
			t.Errorf("isAlnum(%U) = %v", r, got)
		}
		for i, s := range []string{string(r), "a" + string(r)} {
			want, err := hex.DecodeString(fields[2+i])
			if err != nil {
				t.Fatal(err)
			}
			if got := toLower(s); isAlnum(r) && got != string(want) {
				t.Errorf("toLower(%q) = %q, want %q", s, got, want)
			}
		}
	}
	if compared < 140_000 {
		t.Errorf("only %d code points compared", compared)
	}
}

// isAssigned reports whether Go's tables have a code point: Python's may be of another version of Unicode.
func isAssigned(r rune) bool {
	return unicode.IsOneOf([]*unicode.RangeTable{unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z, unicode.C}, r)
}

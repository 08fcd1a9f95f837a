package ingest

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"s2g/ingest/dump"
	"s2g/schema/tables"
)

func TestAppendInt(t *testing.T) {
	for _, test := range []struct {
		in    string
		lo    int64
		hi    int64
		want  string
		class dump.Class
	}{
		{"0", 0, 10, "0", ""},
		{"10", 0, 10, "10", ""},
		{"-7", -10, 10, "-7", ""},
		{"007", 0, 10, "7", ""},
		{"+7", 0, 10, "7", ""},
		{"-0", 0, 10, "0", ""},
		{"11", 0, 10, "", outOfRange},
		{"-1", 0, 10, "", outOfRange},
		{"9223372036854775807", math.MinInt64, math.MaxInt64, "9223372036854775807", ""},
		{"-9223372036854775808", math.MinInt64, math.MaxInt64, "-9223372036854775808", ""},
		{"9223372036854775808", math.MinInt64, math.MaxInt64, "", outOfRange},
		{"-9223372036854775809", math.MinInt64, math.MaxInt64, "", outOfRange},
		{"99999999999999999999999", math.MinInt64, math.MaxInt64, "", outOfRange},
		{"-", 0, 10, "", badNumber},
		{"1.0", 0, 10, "", badNumber},
		{" 1", 0, 10, "", badNumber},
		{"1e3", 0, 10, "", badNumber},
		{"0x1", 0, 10, "", badNumber},
		{"99999999999999999999999x", 0, 10, "", badNumber},
	} {
		got, _, class := appendInt([]byte("<"), []byte(test.in), test.lo, test.hi)
		if string(got) != "<"+test.want || class != test.class {
			t.Errorf("%q: %q %s, want %q %s", test.in, got[1:], class, test.want, test.class)
		}
	}
}

func TestAppendDate(t *testing.T) {
	for in, want := range map[string]string{
		"2008-07-31T21:42:52.667":     "2008-07-31 21:42:52.667",
		"2008-07-31T21:42:52":         "2008-07-31 21:42:52.000",
		"2008-07-31T21:42:52Z":        "2008-07-31 21:42:52.000",
		"2008-07-31T21:42:52.6":       "2008-07-31 21:42:52.600",
		"2008-07-31T21:42:52.6679999": "2008-07-31 21:42:52.667",
		"2008-07-31T21:42:52.667Z":    "2008-07-31 21:42:52.667",
		"2008-02-29T00:00:00.000":     "2008-02-29 00:00:00.000",
		"2000-02-29T23:59:59.999":     "2000-02-29 23:59:59.999",
		"1900-02-29T00:00:00.000":     "",
		"2009-02-29T00:00:00.000":     "",
		"2008-04-31T00:00:00.000":     "",
		"2008-00-01T00:00:00.000":     "",
		"2008-13-01T00:00:00.000":     "",
		"2008-01-00T00:00:00.000":     "",
		"2008-01-01T24:00:00.000":     "",
		"2008-01-01T00:60:00.000":     "",
		"2008-01-01T00:00:60.000":     "",
		"0999-01-01T00:00:00.000":     "",
		"2008-01-01 00:00:00.000":     "",
		"2008-01-01T00:00:00.":        "",
		"2008-01-01T00:00:00.x":       "",
		"2008-01-01T00:00:00,5":       "",
		"2008-01-01T00:00:00+01:00":   "",
		"2008-01-01T00:00":            "",
		"2008-01-01":                  "",
		"yesterday":                   "",
		"2o08-01-01T00:00:00.000":     "",
	} {
		got, ok := appendDate(nil, []byte(in))
		if ok != (want != "") || ok && string(got) != want {
			t.Errorf("%q: %q, %v; want %q", in, got, ok, want)
		}
	}
}

func TestAppendTags(t *testing.T) {
	for in, want := range map[string]string{
		"<go>":            "|go|",
		"<go><c++><.net>": "|go|c++|.net|",
		"|go|c++|.net|":   "|go|c++|.net|",
		"<a><b><a>":       "|a|b|",
		"|a|b|a|":         "|a|b|",
		"<a-b><a><b>":     "|a-b|a|b|",
		"":                "",
		"<>":              "",
		"||":              "",
		"a":               "|a|",
		"a|b":             "|a|b|",
		"<a":              "|a|",
	} {
		if got, ok := appendTags([]byte("x"), []byte(in)); string(got) != "x"+want || !ok {
			t.Errorf("%q: %q, %v, want %q", in, got[1:], ok, want)
		}
	}
	if got, ok := appendTags(nil, []byte("<a><b|c><d|>")); string(got) != "|a|" || ok {
		t.Errorf("tags with bars: %q, %v", got, ok)
	}
}

// unescape reads a field as LOAD DATA does.
func unescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '\\' {
			i++
			c = strings.NewReplacer("n", "\n", "t", "\t", "r", "\r", "0", "\x00").Replace(s[i : i+1])[0]
		}
		b.WriteByte(c)
	}
	return b.String()
}

func TestAppendText(t *testing.T) {
	const alphabet = "ab\\\t\n\r\x00\x01\x0d\x0e\x1fnrt0é\xff\x80\x8e\xdc"
	r := rand.New(rand.NewPCG(5, 6))
	for n := range 2000 {
		text := make([]byte, n%40)
		for i := range text {
			text[i] = alphabet[r.IntN(len(alphabet))]
			if n%2 == 0 && r.IntN(10) > 0 {
				text[i] = byte(' ' + r.IntN(224))
			}
		}
		got := string(tables.AppendText([]byte("x"), text))[1:]
		if strings.ContainsAny(got, "\t\n\r\x00") || unescape(got) != string(text) {
			t.Fatalf("%q: %q", text, got)
		}
	}
}

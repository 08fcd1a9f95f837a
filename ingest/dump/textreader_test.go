package dump

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// inUTF16 encodes a document with the low byte of each unit at index low.
func inUTF16(doc string, low int) []byte {
	var b []byte
	for _, u := range utf16.Encode([]rune(doc)) {
		pair := [2]byte{}
		pair[low], pair[1-low] = byte(u), byte(u>>8)
		b = append(b, pair[:]...)
	}
	return b
}

func TestScanUTF16(t *testing.T) {
	doc := `<?xml version="1.0" encoding="utf-16"?><posts>` + strings.Repeat(`<row Id="1" Body="naïve “q” 😀 日本 &lt;&#xA;" Title='a'/>`, 100) + `</posts>`
	want, err := scan(t, testConfig(), doc)
	if err != nil || len(want) != 100 {
		t.Fatalf("%d rows, error %v", len(want), err)
	}
	for name, dressed := range map[string][]byte{
		"LE": inUTF16(doc, 0), "BE": inUTF16(doc, 1), "LE, mark": inUTF16("\uFEFF"+doc, 0), "BE, mark": inUTF16("\uFEFF"+doc, 1),
	} {
		for _, block := range []int{0, 1, 100} {
			c := testConfig()
			c.Block = block
			got, err := scan(t, c, string(dressed))
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%s, block of %d bytes (-want +got):\n%s", name, block, d)
			}
		}
	}
}

func TestScanUTF16Damage(t *testing.T) {
	row := func(body string) []byte {
		return slices.Concat(inUTF16(`<posts><row Id="1" Body="a`, 0), []byte(body), inUTF16(`b"/></posts>`, 0))
	}
	for _, test := range []struct{ name, body, want string }{
		{"first half alone", "\x3D\xD8", `Id="1" Body="ab" invalid:1`},
		{"second half alone", "\x00\xDE", `Id="1" Body="ab" invalid:1`},
		{"halves the wrong way round", "\x00\xDE\x3D\xD8", `Id="1" Body="ab" invalid:2`},
		{"two first halves", "\x3D\xD8\x3D\xD8\x00\xDE", `Id="1" Body="a😀b" invalid:1`},
		{"characters that are dropped", "\x00\x00\xFE\xFF\xFF\xFF", `Id="1" Body="ab" illegal:3`},
	} {
		got, err := scan(t, testConfig(), string(row(test.body)))
		if d := cmp.Diff([]string{test.want}, got); d != "" || err != nil {
			t.Errorf("%s: error %v (-want +got):\n%s", test.name, err, d)
		}
	}
	whole := row("")
	for n := range whole {
		if _, err := scan(t, testConfig(), string(whole[:n])); err == nil {
			t.Errorf("no error of a document that is cut to %d of %d bytes", n, len(whole))
		}
	}
	if _, err := scan(t, testConfig(), string(whole)+"\n"); err == nil {
		t.Error("no error of half a unit after the end")
	}
}

// decodeUTF16 converts a document without byte order mark as textReader does, with
// the standard library.
func decodeUTF16(doc []byte, low int) []byte {
	var units []uint16
	for i := 0; i+1 < len(doc); i += 2 {
		units = append(units, uint16(doc[i+low])|uint16(doc[i+1-low])<<8)
	}
	var b []byte
	for i := 0; i < len(units); i++ {
		r := rune(units[i])
		switch {
		case i+1 < len(units) && utf16.DecodeRune(r, rune(units[i+1])) != utf8.RuneError:
			b = utf8.AppendRune(b, utf16.DecodeRune(r, rune(units[i+1])))
			i++
		case utf16.IsSurrogate(r):
			b = append(b, 0xE0|byte(r>>12), 0x80|byte(r>>6)&0x3F, 0x80|byte(r)&0x3F)
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	if len(doc)%2 == 1 {
		b = append(b, 0xFF)
	}
	return b
}

// FuzzTextReader compares the reading of UTF-16 with unicode/utf16, for all sizes of
// reads.
func FuzzTextReader(f *testing.F) {
	for _, doc := range []string{"", "a", "<posts/>", "é“😀\uFFFD\uFEFF", strings.Repeat("0123456789é", 20) + "😀"} {
		f.Add(inUTF16(doc, 0), 3)
		f.Add(inUTF16(doc, 1), 70)
		f.Add(append(inUTF16(doc, 0), 0x3D, 0xD8), 1)
		f.Add(append(inUTF16(doc, 1), 0xD8), 9)
	}
	f.Fuzz(func(t *testing.T, doc []byte, size int) {
		if size < 1 || size > 1000 || len(doc) == 0 {
			return
		}
		for low, mark := range []string{"\xFF\xFE", "\xFE\xFF"} {
			if strings.HasPrefix(string(doc), "\x00\x00") {
				return // would be UTF-32
			}
			want := decodeUTF16(doc, low)
			for _, r := range []io.Reader{
				strings.NewReader(mark + string(doc)),
				iotest.OneByteReader(strings.NewReader(mark + string(doc))),
				iotest.DataErrReader(strings.NewReader(mark + string(doc))),
			} {
				got, err := readIn(&textReader{r: r}, size)
				if err != nil || !bytes.Equal(got, want) {
					t.Fatalf("reads of %d bytes, low byte %d: error %v, %q, want %q", size, low, err, got, want)
				}
			}
		}
	})
}

// readIn reads r to its end with a buffer of a size.
func readIn(r io.Reader, size int) ([]byte, error) {
	var all []byte
	for buf := make([]byte, size); ; {
		n, err := r.Read(buf)
		all = append(all, buf[:n]...)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return all, err
		}
	}
}

// FuzzScanUTF16 compares the rows of a document in UTF-16 with those of the same
// document in UTF-8.
func FuzzScanUTF16(f *testing.F) {
	f.Add("<?xml version=\"1.0\" encoding=\"utf-16\"?><posts><row Id=\"1\" Body=\"é“😀\uFFFD\" /><row Id='2'>\n</posts>", 1)
	f.Add("<posts>\r\n  <!-- x --><row Title=\"a\tb&#xE9;&lt;\uFFFE\x00\"></row></posts>", 33)
	f.Fuzz(func(t *testing.T, doc string, size int) {
		if !utf8.ValidString(doc) || len(doc) < 2 || doc[0] != '<' || doc[1] == 0 || size < 0 {
			return
		}
		c := testConfig()
		c.Block = size % 1000
		want, wantErr := scanBytes([]byte(doc), c)
		for low := range 2 {
			for _, mark := range []string{"", "\uFEFF"} {
				got, err := scanBytes(inUTF16(mark+doc, low), c)
				if (err == nil) != (wantErr == nil) || err == nil && !slices.Equal(got, want) {
					t.Fatalf("low byte %d, mark %q: error %v, not %v (-UTF-8 +UTF-16):\n%s", low, mark, err, wantErr, cmp.Diff(want, got))
				}
			}
		}
	})
}

func TestDeclaredEncoding(t *testing.T) {
	for doc, want := range map[string]bool{
		`<?xml version="1.0" encoding="utf-8"?>`: true, `<?xml version='1.0' encoding = 'UTF8' standalone="yes"?>`: true,
		`<?xml version="1.0" encoding="us-ascii"?>`: true, `<?xml version="1.0" encoding="UTF-16LE"?>`: true,
		`<?xml version="1.0"?><row encoding="latin1">`: true, `<posts encoding="latin1">`: true, `<?xml version="1.0" encoding="ut`: true,
		`<?xml version="1.0" encoding="windows-1252"?>`: false, `<?xml version="1.0" encoding="ISO-8859-1"?>`: false, `<?xml version="1.0" encoding=""?>`: false,
	} {
		if name, fits := declaredEncoding([]byte(doc)); fits != want {
			t.Errorf("%s: encoding %q fits: %v, want %v", doc, name, fits, want)
		}
	}
}

func BenchmarkTextReader(b *testing.B) {
	doc := string(postsDocument(10_000))
	for low, name := range []string{"LE", "BE"} {
		b.Run(name, func(b *testing.B) {
			dressed := inUTF16("\uFEFF"+doc, low)
			b.SetBytes(int64(len(dressed)))
			for buf := make([]byte, 1<<20); b.Loop(); {
				r := &textReader{r: bytes.NewReader(dressed)}
				for {
					if _, err := r.Read(buf); err != nil {
						break
					}
				}
			}
		})
	}
}

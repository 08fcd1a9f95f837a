package dump

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"s2g/schema"
	"s2g/schema/schematest"
)

// expat answers documents with their rows as Python's expat reads them, in the
// form of asPython, or with "refused" if expat does not accept one, or it is
// beyond what a dump's document is. Documents and answers have their length
// before them.
const expat = `
import struct, sys, xml.parsers.expat
columns = sys.argv[2:]
class Beyond(Exception): pass
def escape(s):
    return ''.join(c if ' ' <= c <= '~' and c not in '\\"' else '\\u{%x}' % ord(c) for c in s)
def rows(doc):
    found, depth = [], 0
    def start(name, attributes):
        nonlocal depth
        depth += 1
        if depth > 2 or name != (sys.argv[1], 'row')[depth - 1]: raise Beyond()
        if depth == 2:
            found.append(' '.join('%s="%s"' % (c, escape(attributes[c])) for c in columns if c in attributes) + '\n')
    def end(name):
        nonlocal depth
        depth -= 1
    def text(s):
        if s.strip(' \t\r\n'): raise Beyond()
    def doctype(*_): raise Beyond()
    p = xml.parsers.expat.ParserCreate()
    p.StartElementHandler, p.EndElementHandler, p.CharacterDataHandler, p.StartDoctypeDeclHandler = start, end, text, doctype
    try:
        p.Parse(doc, True)
    except (xml.parsers.expat.ExpatError, Beyond, UnicodeError, LookupError, ValueError):
        return 'refused'
    return ''.join(found)
while head := sys.stdin.buffer.read(4):
    answer = rows(sys.stdin.buffer.read(*struct.unpack('<I', head))).encode()
    sys.stdout.buffer.write(struct.pack('<I', len(answer)) + answer)
    sys.stdout.buffer.flush()
`

const refused = "refused"

// startExpat returns a function that reads a document of c with expat.
func startExpat(t testing.TB, c ScanConfig) func(doc []byte) (string, error) {
	t.Helper()
	cmd := exec.Command(schematest.Tool(t, "python3"), append([]string{"-c", expat, c.Root}, c.Columns...)...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("python3: %v", err)
		}
	})
	answers := bufio.NewReader(out)
	return func(doc []byte) (string, error) {
		if _, err := in.Write(append(binary.LittleEndian.AppendUint32(nil, uint32(len(doc))), doc...)); err != nil {
			return "", err
		}
		var size uint32
		if err := binary.Read(answers, binary.LittleEndian, &size); err != nil {
			return "", err
		}
		answer := make([]byte, size)
		_, err := io.ReadFull(answers, answer)
		return string(answer), err
	}
}

// likeExpat reads a document with the scanner, in the form of expat's answers.
func likeExpat(doc []byte, c ScanConfig) (string, error) {
	var b strings.Builder
	s := NewScanner(bytes.NewReader(doc), c)
	for s.Scan() {
		b.WriteString(asPython(s.Record(), c.Columns) + "\n")
	}
	return b.String(), s.Err()
}

func asPython(r *Record, columns []string) string {
	var fields []string
	for i, name := range columns {
		v := r.Value(i)
		if v == nil {
			continue
		}
		var b strings.Builder
		for _, c := range string(v) {
			if c >= ' ' && c <= '~' && c != '\\' && c != '"' {
				b.WriteRune(c)
			} else {
				fmt.Fprintf(&b, "\\u{%x}", c)
			}
		}
		fields = append(fields, name+`="`+b.String()+`"`)
	}
	return strings.Join(fields, " ")
}

// TestExpat holds the scanner to expat on real dumps, as they are and in UTF-16.
func TestExpat(t *testing.T) {
	for _, site := range []string{"bioinformatics.stackexchange.com", "bicycles.meta.stackexchange.com"} {
		folder := schematest.Dump(t, site)
		for _, table := range schema.Tables() {
			doc, err := os.ReadFile(filepath.Join(folder, table.Name+".xml"))
			if err != nil {
				t.Fatal(err)
			}
			c := ScanConfig{Name: table.Name, Root: strings.ToLower(table.Name), Columns: columns(table), Block: 5000}
			ask := startExpat(t, c)
			plain := strings.TrimPrefix(string(doc), "\uFEFF")
			wide := "\uFEFF" + strings.Replace(plain, `encoding="utf-8"`, `encoding="utf-16"`, 1)
			for form, doc := range map[string][]byte{"as it is": doc, "in UTF-16": inUTF16(wide, 0)} {
				want, err := ask(doc)
				if err != nil {
					t.Fatal(err)
				}
				got, err := likeExpat(doc, c)
				if err != nil {
					t.Error(err)
				}
				if want == refused || want == "" || got != want {
					t.Errorf("%s of %s, %s: the scanner's rows are not expat's", table.Name, site, form)
				}
			}
		}
	}
}

// FuzzExpat holds the scanner to expat wherever that accepts a document. Unlike
// encoding/xml, expat normalises white space and reads UTF-16.
func FuzzExpat(f *testing.F) {
	for _, rows := range []string{
		`<row Id="1" Body="b" Title="t" />`, "<row\tId\r\n=\r\"1\"\r\r\n/>", "<row Body=\"a\tb\r\nc\nd\re&#xD;&#13;\n&#10;&#9;\" />",
		`<!-- <row Id="0" /> --><row Id='1' Body='a > "b"' /><?p <row/>?>`, "<row Id=\"1\" Body=\"é“😀\uFFFD&#x10FFFF;&apos;\"></row >",
	} {
		doc := "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<posts>\n" + rows + "\n</posts>\n"
		f.Add([]byte(doc))
		f.Add(inUTF16("\uFEFF"+strings.Replace(doc, "utf-8", "utf-16", 1), 0))
		f.Add(inUTF16("\uFEFF"+strings.Replace(doc, "utf-8", "utf-16", 1), 1))
	}
	c := testConfig()
	c.Block = 50
	ask := startExpat(f, c)
	f.Fuzz(func(t *testing.T, doc []byte) {
		want, err := ask(doc)
		if err != nil {
			t.Fatal(err)
		}
		if want == refused {
			return
		}
		if name, fits := declaredEncoding(bytes.TrimPrefix(doc, []byte("\xEF\xBB\xBF"))); !fits {
			t.Skipf("%s is refused", name)
		}
		if text, err := io.ReadAll(&textReader{r: bytes.NewReader(doc)}); err != nil || !utf8.Valid(text) {
			t.Skip("expat makes a pair of half a pair and whatever follows")
		}
		got, err := likeExpat(doc, c)
		if err != nil {
			t.Fatalf("expat accepts it, the scanner does not: %v", err)
		}
		if got != want {
			t.Fatalf("expat: %s\nscanner: %s", want, got)
		}
	})
}

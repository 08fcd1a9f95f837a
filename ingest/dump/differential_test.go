package dump

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"s2g/schema"
	"s2g/schema/schematest"
)

// plain replaces white space by blanks, as XML normalises it in attribute values;
// encoding/xml does not. Elsewhere in a document that changes nothing.
func plain(doc []byte) []byte {
	doc = bytes.ReplaceAll(doc, []byte("\r\n"), []byte(" "))
	for i, c := range doc {
		if c == '\t' || c == '\n' || c == '\r' {
			doc[i] = ' '
		}
	}
	return doc
}

// reference reads a document with encoding/xml. It returns false if encoding/xml
// rejects the document, or if the document is none of a dump: with a DTD, other
// elements, names with a prefix, or a repeated attribute (which XML forbids and
// encoding/xml accepts).
func reference(doc []byte, c ScanConfig) (rows []string, ok bool) {
	if _, fits := declaredEncoding(bytes.TrimPrefix(doc, []byte("\xEF\xBB\xBF"))); !fits {
		return nil, false // encoding/xml may miss it
	}
	d := xml.NewDecoder(bytes.NewReader(plain(doc)))
	depth := 0
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return rows, depth == 0 && len(rows) > 0
		}
		if err != nil {
			return nil, false
		}
		switch token := token.(type) {
		case xml.Directive:
			return nil, false
		case xml.StartElement:
			depth++
			name := []string{c.Root, "row"}[min(depth, 2)-1]
			if token.Name.Local != name || token.Name.Space != "" || depth > 2 {
				return nil, false
			}
			if depth == 2 {
				row, ok := referenceRow(token.Attr, c)
				if !ok {
					return nil, false
				}
				rows = append(rows, row)
			}
		case xml.EndElement:
			if depth--; depth == 0 {
				return rows, onlyMisc(d)
			}
		case xml.CharData:
			if depth == 0 && len(bytes.TrimSpace(bytes.TrimPrefix(token, []byte("\uFEFF")))) > 0 {
				return nil, false
			}
			if depth > 0 && len(bytes.TrimSpace(token)) > 0 {
				return nil, false // text between rows
			}
		}
	}
}

func referenceRow(attributes []xml.Attr, c ScanConfig) (string, bool) {
	r := &Record{values: make([][]byte, len(c.Columns))}
	seen := make(map[xml.Name]bool)
	for _, a := range attributes {
		if seen[a.Name] || a.Name.Space != "" || a.Name.Local == "xmlns" {
			return "", false
		}
		seen[a.Name] = true
		if i := slices.Index(c.Columns, a.Name.Local); i >= 0 {
			r.values[i] = append([]byte{}, a.Value...)
		}
	}
	return describe(c, r), true
}

// onlyMisc reports whether nothing but comments is left.
func onlyMisc(d *xml.Decoder) bool {
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return true
		}
		if err != nil {
			return false
		}
		switch token := token.(type) {
		case xml.Comment, xml.ProcInst:
		case xml.CharData:
			if len(bytes.TrimSpace(token)) > 0 {
				return false
			}
		default:
			return false
		}
	}
}

// scanBytes reads a document with the scanner.
func scanBytes(doc []byte, c ScanConfig) ([]string, error) {
	var rows []string
	s := NewScanner(bytes.NewReader(doc), c)
	for s.Scan() {
		rows = append(rows, describe(c, s.Record()))
	}
	return rows, s.Err()
}

// FuzzScan compares the scanner with encoding/xml on the documents that it accepts,
// and the results of several block sizes with each other.
func FuzzScan(f *testing.F) {
	for _, rows := range []string{
		`<row Id="1" Body="b" Title="t" />`, `<row Title='"' Id='1'/>`, "<row\tId\r\n=\r\"1\"\r\r\n/>", `<row Id="1"></row><row/>`,
		`<row Id="1" Body="&lt;&gt;&amp;&quot;&apos;&#10;&#xA;&#xe9;&#x10FFFF;" />`, "<row Body=\"a\tb\r\nc\nd\re\" />",
		`<!-- <row Id="0" /> --><row Id="1" Body="a > b" />`, `<?p <row/>?><![CDATA[]]><row Id="2" X="y" />`,
		"<row Id=\"1\" Body=\"é“😀\uFFFD\" />", "<row Id=\"\xff\" Body=\"\uFFFE\x00\" />", `<row Id="1" Body="<p>" /><row Id="2`, `<row Id="1" Id="2" />`,
	} {
		f.Add([]byte("\xEF\xBB\xBF<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<posts>\n" + rows + "\n</posts>"))
	}
	f.Add([]byte("<posts/>"))
	f.Add([]byte("<posts></posts><!-- -->"))
	f.Fuzz(func(t *testing.T, doc []byte) {
		c := testConfig()
		got, err := scanBytes(doc, c)
		if want, ok := reference(doc, c); ok {
			if err != nil {
				t.Fatalf("encoding/xml accepts it, the scanner does not: %v", err)
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Fatalf("(-encoding/xml +scanner):\n%s", d)
			}
		}
		for _, block := range []int{1, 17} {
			c.Block = block
			again, errAgain := scanBytes(doc, c)
			if (err == nil) != (errAgain == nil) || err == nil && !slices.Equal(got, again) {
				t.Fatalf("in blocks of %d bytes: error %v, not %v (-whole +blocks):\n%s", block, errAgain, err, cmp.Diff(got, again))
			}
		}
	})
}

// expat is a program that reads documents with Python's expat. It answers each with
// its rows in the form of asPython, or with "refused" if expat rejects the document
// or it is none of a dump. Documents and answers are preceded by their lengths.
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

// TestScannerAgreesWithExpat compares the scanner with expat on real dumps, in their
// encoding and in UTF-16.
func TestScannerAgreesWithExpat(t *testing.T) {
	schematest.Long(t)
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

// FuzzExpat compares the scanner with expat on the documents that it accepts. Unlike
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

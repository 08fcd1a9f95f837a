package dump

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// plain makes the white space of a document blanks, as XML normalises it in
// attribute values: encoding/xml leaves that out. Elsewhere in a document that
// changes nothing.
func plain(doc []byte) []byte {
	doc = bytes.ReplaceAll(doc, []byte("\r\n"), []byte(" "))
	for i, c := range doc {
		if c == '\t' || c == '\n' || c == '\r' {
			doc[i] = ' '
		}
	}
	return doc
}

// reference reads a document with encoding/xml. It returns false if that does
// not accept it, or if it is beyond what a dump's document is and the two need
// not agree: a DTD, other elements, names with a prefix, an attribute that
// stands twice (which XML forbids and encoding/xml does not see).
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

// FuzzScan holds the scanner to encoding/xml wherever that accepts a document,
// and to itself however the document is cut into blocks.
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

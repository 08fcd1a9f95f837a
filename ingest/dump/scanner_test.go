package dump

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"s2g/schema"
)

func testConfig() ScanConfig {
	return ScanConfig{Name: "Posts.xml", Root: "posts", Columns: []string{"Id", "Body", "Title"}}
}

// scan returns the rows of a document in a form that is easy to compare:
// "Id=1 Body=text", preceded by the class of a damaged row.
func scan(t *testing.T, c ScanConfig, doc string) ([]string, error) {
	t.Helper()
	s := NewScanner(slowReader{strings.NewReader(doc)}, c)
	var rows []string
	for s.Scan() {
		rows = append(rows, describe(c, s.Record()))
	}
	return rows, s.Err()
}

func describe(c ScanConfig, r *Record) string {
	var fields []string
	if r.Class != "" {
		fields = append(fields, string(r.Class))
	}
	for i, name := range c.Columns {
		if v := r.Value(i); v != nil {
			fields = append(fields, fmt.Sprintf("%s=%q", name, v))
		}
	}
	if r.Illegal > 0 {
		fields = append(fields, fmt.Sprintf("illegal:%d", r.Illegal))
	}
	if r.Invalid > 0 {
		fields = append(fields, fmt.Sprintf("invalid:%d", r.Invalid))
	}
	return strings.Join(fields, " ")
}

// A slowReader returns at most three bytes at a time.
type slowReader struct{ r io.Reader }

func (r slowReader) Read(p []byte) (int, error) { return r.r.Read(p[:min(len(p), 3)]) }

func TestScanRows(t *testing.T) {
	for _, test := range []struct {
		name, rows string
		want       []string
	}{
		{"plain", `<row Id="1" Body="b" Title="t" />`, []string{`Id="1" Body="b" Title="t"`}},
		{"any order, unknown attribute", `<row Title="t" Unknown="x" Id="1"/>`, []string{`Id="1" Title="t"`}},
		{"empty is not absent", `<row Id="1" Body="" />`, []string{`Id="1" Body=""`}},
		{"single quotes", `<row Id='1' Body='say "hi"' />`, []string{`Id="1" Body="say \"hi\""`}},
		{"spaces around the equals sign", "<row Id = \"1\"\n\tBody\n=\n'b' />", []string{`Id="1" Body="b"`}},
		{"end tag", `<row Id="1" Body="b"></row ><row Id="2"> </row>`, []string{`Id="1" Body="b"`, `Id="2"`}},
		{"no attribute", `<row/><row />`, []string{``, ``}},
		{"over several lines", "<row\r\n  Id=\"1\"\r\n  Body=\"b\"\r\n/>", []string{`Id="1" Body="b"`}},
		{"greater-than in a value", `<row Id="1" Body="a > b /> c" />`, []string{`Id="1" Body="a > b /> c"`}},
		{"other elements' names", `<row Id="1" /><rows Id="2" />`, []string{`Id="1"`, `malformed`}},

		{"comments", `<!-- <row Id="0" /> --><row Id="1" /><!-- a > b <row Id="2" />--> <row Id="3" />`, []string{`Id="1"`, `Id="3"`}},
		{"processing instruction, CDATA", `<?x <row Id="0" />?><row Id="1" /><![CDATA[<row Id="2" />]]><row Id="3" />`, []string{`Id="1"`, `Id="3"`}},

		{"named references", `<row Id="1" Body="&lt;p&gt; &amp;lt; &quot;&apos;" />`, []string{`Id="1" Body="<p> &lt; \"'"`}},
		{"numeric references", `<row Id="1" Body="&#xA;&#x0A;&#10;&#x41;&#x1F600;&#xe9;&#9;&#13;" />`, []string{`Id="1" Body="\n\n\nA😀é\t\r"`}},
		{"control characters by reference", `<row Id="1" Body="a&#x0E;b&#1;c" />`, []string{`Id="1" Body="a\x0eb\x01c" illegal:2`}},
		{"dropped references", `<row Id="1" Body="a&#0;&#xD800;&#xFFFE;&#xFFFF;&#x110000;&#99999999999999999999;b" />`, []string{`Id="1" Body="ab" illegal:6`}},
		{"ampersands that begin no reference", `<row Id="1" Body="a & b &nbsp; &#; &#x; &#xG; &#12 &" />`, []string{`Id="1" Body="a & b &nbsp; &#; &#x; &#xG; &#12 &" illegal:7`}},
		{"one pass only", `<row Id="1" Body="&amp;amp;&#38;lt;" />`, []string{`Id="1" Body="&amp;&lt;"`}},

		{"white space", "<row Id=\"1\" Body=\"a\tb\nc\rd\r\ne\r\r\nf&#xD;\ng\" />", []string{`Id="1" Body="a b c d e  f\r g"`}},
		{"invalid UTF-8", "<row Id=\"1\" Body=\"a\xff\xc3b\xe2\x82\" />", []string{"Id=\"1\" Body=\"a��b��\" invalid:4"}},
		{"encoded surrogate", "<row Id=\"1\" Body=\"a\xed\xa0\x80b\" />", []string{`Id="1" Body="ab" invalid:1`}},
		{"characters that are dropped", "<row Id=\"1\" Body=\"a\x00b\uFFFEc\uFFFFd\x02\" />", []string{`Id="1" Body="abcd\x02" illegal:4`}},
		{"beyond ASCII", "<row Id=\"1\" Body=\"naïve “q” 😀 &lt;\" Title=\"\uFFFD\" />", []string{"Id=\"1\" Body=\"naïve “q” 😀 <\" Title=\"\uFFFD\""}},

		{"quote not closed", `<row Id="1" Body="b /><row Id="2" />`, []string{`malformed Id="1"`, `Id="2"`}},
		{"attribute twice", `<row Id="1" Body="b" Id="2" /><row Id="3" />`, []string{`malformed Id="1"`, `Id="3"`}},
		{"less-than in a value", `<row Id="1" Body="<p>a</p>" Title="t" /><row Id="2" />`, []string{`malformed Id="1"`, `Id="2"`}},
		{"comment in a value", `<row Id="1" Body="<b>a<!--x" /><row Id="2" />`, []string{`malformed Id="1"`, `Id="2"`}},
		{"no value", `<row Id="1" Body /><row Id="2" />`, []string{`malformed Id="1"`, `Id="2"`}},
		{"no quotes", `<row Id=1 /><row Id="2" />`, []string{`malformed`, `Id="2"`}},
		{"tag not closed", `<row Id="1" <row Id="2" / ><row Id="3" />`, []string{`malformed Id="1"`, `malformed Id="2"`, `Id="3"`}},
		{"other element", `<foo><bar/></foo><row Id="2" />`, []string{`malformed`, `Id="2"`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, block := range []int{0, 1, 7, 40} {
				c := testConfig()
				c.Block = block
				got, err := scan(t, c, "<posts>\n  "+test.rows+"\n</posts>")
				if err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(test.want, got); d != "" {
					t.Errorf("block of %d bytes (-want +got):\n%s", block, d)
				}
			}
		})
	}
}

func TestScanDocuments(t *testing.T) {
	const row = `<row Id="1" />`
	for _, test := range []struct {
		name, doc string
		rows      int
		err       string // "" if none
	}{
		{"byte order mark and declaration", "\xEF\xBB\xBF<?xml version=\"1.0\" encoding=\"utf-8\"?>\r\n<posts>\r\n  " + row + "\r\n</posts>", 1, ""},
		{"licence comment", "<?xml version=\"1.0\"?>\n<!--\n  All of it. <row Id=\"0\" />\n-->\n<posts>" + row + "</posts>\n", 1, ""},
		{"no row", "<posts>\n</posts>", 0, ""},
		{"self-closed root", "<posts />\n", 0, ""},
		{"attributes of the root", `<posts xmlns:x="y">` + row + `</posts >`, 1, ""},
		{"comment at the end", "<posts>" + row + "</posts>\n<!-- bye -->\n", 1, ""},

		{"empty file", "", 0, "no root element <posts>"},
		{"blank file", " \n", 0, "no root element <posts>"},
		{"another table", "<votes>" + row + "</votes>", 0, "its root element is <votes>, not <posts>"},
		{"an error page", "<!DOCTYPE html>\n<html><body>404</body></html>", 0, "HTML page"},
		{"an error page without DOCTYPE", "<HTML><body>404</body></HTML>", 0, "HTML page"},
		{"a DTD", "<!DOCTYPE posts [<!ENTITY x \"y\">]><posts>" + row + "</posts>", 0, "DOCTYPE"},
		{"a DTD behind a comment", "<?xml version=\"1.0\"?><!-- --><!DOCTYPE posts><posts/>", 0, "DOCTYPE"},
		{"another encoding", "<?xml version=\"1.0\" encoding='ISO-8859-1'?><posts>" + row + "</posts>", 0, "ISO-8859-1"},
		{"UTF-32", "\xFF\xFE\x00\x00<\x00\x00\x00", 0, "UTF-32"},
		{"UTF-32 without byte order mark", "<\x00\x00\x00p\x00\x00\x00", 0, "UTF-32"},
		{"no XML", "404 not found", 0, "not XML"},
		{"cut between rows", "<posts>" + row + "\n", 0, "ends without </posts>"},
		{"cut in a row", "<posts>" + row + `<row Id="2" Body="cut`, 0, "ends without </posts>"},
		{"cut in the end tag", "<posts>" + row + "</post", 0, "ends without </posts>"},
		{"cut in a comment", "<posts>" + row + "<!-- </posts>", 0, "ends without </posts>"},
		{"cut in the prolog", "<?xml version=", 0, "no root element"},
		{"text after the end", "<posts>" + row + "</posts>\x00\x00", 1, "more after the end of <posts>"},
		{"another document after the end", "<posts>" + row + "</posts><posts>" + row + "</posts>", 0, "more after the end"},
		{"text after an empty root", "<posts/>" + row, 0, "more after the end"},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, block := range []int{0, 1, 16} {
				c := testConfig()
				c.Block = block
				rows, err := scan(t, c, test.doc)
				if test.err == "" {
					if err != nil || len(rows) != test.rows {
						t.Errorf("block of %d bytes: %d rows, error %v; want %d rows", block, len(rows), err, test.rows)
					}
					continue
				}
				if err == nil || !strings.Contains(err.Error(), test.err) || !strings.Contains(err.Error(), "Posts.xml") {
					t.Errorf("block of %d bytes: error %v, want one that names the file and says %q", block, err, test.err)
				}
				if f, _ := schema.FaultOf(err); f != schema.FaultInput {
					t.Errorf("block of %d bytes: fault %d, want FaultInput", block, f)
				}
			}
		})
	}
}

func TestScanLongRows(t *testing.T) {
	long := `<row Id="2" Body="` + strings.Repeat("x", 10_000) + `" />`
	doc := `<posts><row Id="1" />` + long + `<row Id="3" />` + long + `</posts>`
	for _, block := range []int{0, 100, 3000} {
		c := testConfig()
		c.MaxRow, c.Block = 5000, block
		got, err := scan(t, c, doc)
		want := []string{`Id="1"`, `long_row Id="2"`, `Id="3"`, `long_row Id="2"`}
		if d := cmp.Diff(want, got); d != "" || err != nil {
			t.Errorf("block of %d bytes: error %v (-want +got):\n%s", block, err, d)
		}
		if _, err := scan(t, c, doc[:len(doc)-20]); err == nil {
			t.Errorf("block of %d bytes: no error where the file is cut in a long row", block)
		}
	}
}

func TestScanPositions(t *testing.T) {
	doc := "<posts>\n  <row Id=\"1\" />\n  <row Id=\"2\" Body=\"\n  <row Id=\"3\" />\n</posts>"
	for _, block := range []int{0, 1, 16} {
		c := testConfig()
		c.Block = block
		s := NewScanner(strings.NewReader(doc), c)
		for s.Scan() {
			if at := s.Record().Offset; !strings.HasPrefix(doc[at:], `<row Id="`+string(s.Record().Value(0))) {
				t.Errorf("block of %d bytes: row %s is said to be at %d", block, s.Record().Value(0), at)
			}
		}
	}
}

func TestScanReadError(t *testing.T) {
	broken := errors.New("disk on fire")
	r := io.MultiReader(strings.NewReader("<posts><row Id=\"1\" />"), errorReader{broken})
	s := NewScanner(r, testConfig())
	for s.Scan() {
		t.Errorf("row %s", s.Record().Value(0))
	}
	if !errors.Is(s.Err(), broken) {
		t.Errorf("error %v, want %v", s.Err(), broken)
	}
}

type errorReader struct{ err error }

func (r errorReader) Read([]byte) (int, error) { return 0, r.err }

func TestScanAllocations(t *testing.T) {
	var doc bytes.Buffer
	doc.WriteString("<posts>")
	for i := range 2000 {
		fmt.Fprintf(&doc, "<row Id=\"%d\" Body=\"&lt;p&gt;naïve\x02&#xA;\" Title='a\tb' Other=\"\" />\n", i)
	}
	doc.WriteString("</posts>")
	b := block{data: doc.Bytes()[7 : doc.Len()-8]}
	s := newBlockScanner(testConfig().withDefaults())
	rows := 0
	n := testing.AllocsPerRun(10, func() {
		for s.reset(b); s.Scan(); {
			rows++
		}
	})
	if n != 0 || rows != 11*2000 {
		t.Errorf("%v allocations in %d rows, want none in %d", n, rows, 11*2000)
	}
}

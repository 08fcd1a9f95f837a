package ingest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"s2g/ingest/dump"
	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/schematest"
)

// postRow returns a sound row of Posts with further attributes.
func postRow(id int, attributes string) string {
	return fmt.Sprintf(`<row Id="%d" PostTypeId="1" CreationDate="2020-01-02T03:04:05.678" %s/>`+"\n", id, attributes)
}

// postsOf returns a document of Posts.
func postsOf(rows string) string {
	return "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<posts>\n" + rows + "</posts>"
}

// inUTF16 encodes a document in UTF-16.
func inUTF16(order binary.AppendByteOrder, doc string) string {
	var b []byte
	for _, unit := range utf16.Encode([]rune(doc)) {
		b = order.AppendUint16(b, unit)
	}
	return string(b)
}

// converted describes what becomes of a document of Posts: the ids of the rows that are loaded and the classes of bad
// rows, or the exit code and the error.
func converted(doc string) string {
	posts, _ := schema.TableByName("Posts")
	c := newConverter(posts, "Posts.xml")
	s := dump.NewScanner(strings.NewReader(doc), scanConfig(posts, c.file))
	b := &rowBatch{}
	b.reset()
	for s.Scan() {
		c.appendRow(b, s.Record())
	}
	if err := s.Err(); err != nil {
		fault, _ := schema.FaultOf(err)
		return fmt.Sprintf("exit %d: %s", fault.ExitCode(), err)
	}
	var parts []string
	for _, r := range b.rows {
		parts = append(parts, fmt.Sprint(r.id))
	}
	for _, class := range b.rejects.classes() {
		parts = append(parts, fmt.Sprintf("%s:%d", class, b.rejects.Counts[class]))
	}
	return strings.Join(parts, " ")
}

// No damage to a document loses a row without a count, or passes for the end of a document.
func TestHostileDocuments(t *testing.T) {
	three := postRow(1, "") + postRow(2, "") + postRow(3, "")
	plain := postsOf(three)
	between := func(text string) string { return postsOf(postRow(1, "") + text + postRow(2, "") + postRow(3, "")) }
	second := func(attributes string) string {
		return postsOf(postRow(1, "") + postRow(2, attributes) + postRow(3, ""))
	}
	instead := func(row string) string { return postsOf(postRow(1, "") + row + "\n" + postRow(3, "")) }
	firstID := func(id string) string {
		return postsOf(strings.Replace(postRow(9, ""), `"9"`, `"`+id+`"`, 1) + postRow(2, ""))
	}
	for name, c := range map[string]struct{ doc, want string }{
		"an entity that XML has not":             {second(`Title="a&nbsp;b" `), "1 2 3 illegal_reference:1"},
		"an ampersand alone":                     {second(`Title="a & b" `), "1 2 3 illegal_reference:1"},
		"an ampersand at the end":                {second(`Title="a&" `), "1 2 3 illegal_reference:1"},
		"a reference without a semicolon":        {second(`Title="&#65" `), "1 2 3 illegal_reference:1"},
		"a reference beyond Unicode":             {second(`Title="&#99999999999999999999;" `), "1 2 3 illegal_reference:1"},
		"empty references":                       {second(`Title="&#;&#x;" `), "1 2 3 illegal_reference:1"},
		"a reference to NUL":                     {second(`Title="&#0;" `), "1 2 3 illegal_reference:1"},
		"references to surrogates":               {second(`Title="&#55357;&#56832;" `), "1 2 3 illegal_reference:1"},
		"a NUL in a value":                       {second("Title=\"a\x00b\" "), "1 2 3 illegal_reference:1"},
		"a NUL between rows":                     {between("\x00"), "1 2 3"},
		"a NUL in a name":                        {instead("<row \x00Id=\"2\" PostTypeId=\"1\" />"), "1 3 no_id:1"},
		"NULs alone":                             {strings.Repeat("\x00", 5000), "exit 3: read Posts.xml: it is UTF-32"},
		"NULs after the end":                     {plain + strings.Repeat("\x00", 100), "exit 3: read Posts.xml: there is more after the end"},
		"Ctrl-Z after the end":                   {plain + "\x1a", "exit 3: read Posts.xml: there is more after the end"},
		"white space after the end":              {plain + "\n \r\n", "1 2 3"},
		"two documents":                          {plain + plain, "exit 3: read Posts.xml: there is more after the end"},
		"nothing":                                {"", "exit 3: read Posts.xml: there is no root element"},
		"a byte order mark alone":                {"\xEF\xBB\xBF", "exit 3: read Posts.xml: there is no root element"},
		"a byte order mark":                      {"\xEF\xBB\xBF" + plain, "1 2 3"},
		"two byte order marks":                   {"\xEF\xBB\xBF\xEF\xBB\xBF" + plain, "exit 3: read Posts.xml: it is not XML"},
		"UTF-16LE":                               {inUTF16(binary.LittleEndian, "\uFEFF"+plain), "1 2 3"},
		"UTF-16LE without a mark":                {inUTF16(binary.LittleEndian, plain), "1 2 3"},
		"UTF-16BE":                               {inUTF16(binary.BigEndian, "\uFEFF"+plain), "1 2 3"},
		"UTF-16BE without a mark":                {inUTF16(binary.BigEndian, plain), "1 2 3"},
		"UTF-16 and a byte":                      {inUTF16(binary.LittleEndian, plain) + "x", "exit 3: read Posts.xml: there is more after the end"},
		"UTF-16 without its last byte":           {strings.TrimSuffix(inUTF16(binary.LittleEndian, plain), "\x00"), "exit 3: read Posts.xml: it ends without </posts>"},
		"UTF-8 behind the mark of UTF-16":        {"\xFF\xFE" + plain, "exit 3: read Posts.xml: it is not XML"},
		"UTF-16 behind the mark of UTF-8":        {"\xEF\xBB\xBF" + inUTF16(binary.LittleEndian, plain), "exit 3: read Posts.xml: its root element is"},
		"an encoding that is not read":           {strings.Replace(plain, "utf-8", "iso-8859-1", 1), "exit 3: read Posts.xml: its encoding is iso-8859-1"},
		"a root element in capitals":             {"<Posts>" + three + "</Posts>", "exit 3: read Posts.xml: its root element is <Posts>"},
		"the root element of another table":      {"<comments>" + three + "</comments>", "exit 3: read Posts.xml: its root element is <comments>"},
		"no row":                                 {"<posts></posts>", ""},
		"no end":                                 {"<posts>" + three, "exit 3: read Posts.xml: it ends without </posts>"},
		"a cut end tag":                          {"<posts>" + three + "</post", "exit 3: read Posts.xml: it ends without </posts>"},
		"a cut value":                            {"<posts>" + postRow(1, "") + `<row Id="2" Title="abc`, "exit 3: read Posts.xml: it ends without </posts>"},
		"entities that grow":                     {`<!DOCTYPE p [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>` + plain, "exit 3: read Posts.xml: it has a DOCTYPE"},
		"an entity that names a file":            {`<!DOCTYPE p [<!ENTITY x SYSTEM "file:///etc/passwd">]>` + second(`Title="&x;" `), "exit 3: read Posts.xml: it has a DOCTYPE"},
		"a web page":                             {"<!DOCTYPE html><html></html>", "exit 3: read Posts.xml: it is an HTML page"},
		"JSON":                                   {`{"error":"not found"}`, "exit 3: read Posts.xml: it is not XML"},
		"a comment with a row":                   {between(`<!-- <row Id="9"/> -->`), "1 2 3"},
		"a comment without an end":               {between("<!-- "), "exit 3: read Posts.xml: it ends without </posts>"},
		"another element":                        {between(`<b a="c"/>`), "1 2 3 malformed:1"},
		"a row with a child":                     {instead(strings.Replace(postRow(2, ""), "/>", "><b/></row>", 1)), "1 2 3 malformed:1"},
		"a row with an end tag":                  {instead(strings.Replace(postRow(2, ""), "/>", "></row>", 1)), "1 2 3"},
		"a row without an end":                   {instead(strings.Replace(postRow(2, ""), "/>", "", 1)), "1 3 malformed:1"},
		"a quote that is missing":                {instead(strings.Replace(postRow(2, ""), `.678"`, ".678", 1)), "1 3 malformed:1"},
		"a less-than sign in a value":            {second(`Title="a<b" `), "1 3 malformed:1"},
		"a row in a value":                       {second(`Title="<row Id='7'/>" `), "1 3 malformed:1 missing_attribute:1"},
		"the end tag in a value":                 {second(`Title="</posts>" `), "exit 3: read Posts.xml: there is more after the end"},
		"the end of a row in a value":            {second(`Title="/>" `), "1 2 3"},
		"an attribute twice":                     {second(`Title="a" Title="b" `), "1 3 malformed:1"},
		"two ids":                                {second(`Id="5" `), "1 3 malformed:1"},
		"attributes in small letters":            {instead(`<row id="2" posttypeid="1" />`), "1 3 no_id:1"},
		"an element in capitals":                 {instead(`<ROW Id="2" PostTypeId="1" />`), "1 3 malformed:1"},
		"an element with a prefix":               {instead(`<x:row Id="2" PostTypeId="1" />`), "1 3 malformed:1"},
		"twenty thousand attributes":             {second(strings.Repeat(`A="" `, 20000)), "1 2 3"},
		"an id of 2^47":                          {firstID("140737488355328"), "2 out_of_range:1"},
		"an id below 2^47":                       {firstID("140737488355327"), "140737488355327 2"},
		"an id of 2^64":                          {firstID("18446744073709551616"), "2 out_of_range:1"},
		"a negative id":                          {firstID("-5"), "2 out_of_range:1"},
		"an id in other digits":                  {firstID("٣"), "2 bad_number:1"},
		"an id with an exponent":                 {firstID("1e3"), "2 bad_number:1"},
		"an id with a blank":                     {firstID(" 7"), "2 bad_number:1"},
		"an id with zeros":                       {firstID("007"), "7 2"},
		"the second 60":                          {strings.Replace(plain, "04:05", "04:60", 1), "2 3 bad_date:1"},
		"the 29th of February 2100":              {strings.Replace(plain, "2020-01-02", "2100-02-29", 1), "2 3 bad_date:1"},
		"the year 12020":                         {strings.Replace(plain, "2020-01", "12020-01", 1), "2 3 bad_date:1"},
		"a date with a zone":                     {strings.Replace(plain, ".678", ".678+02:00", 1), "2 3 bad_date:1"},
		"bytes that are no UTF-8":                {second("Title=\"\xc0\xaf\xff\xfc\x80\" "), "1 2 3 invalid_utf8:1"},
		"a tag with a bar":                       {second(`Tags="&lt;a&gt;&lt;b|c&gt;" `), "1 2 3 bad_tag:1"},
		"tags without a tag":                     {second(`Tags="|||" `), "1 2 3"},
		"a row that is too long":                 {second(`Title="` + strings.Repeat("x", 65<<20) + `" `), "1 3 long_row:1"},
		"much that is no row, in the first one":  {between(strings.Repeat("x", 66<<20)), "2 3 long_row:1"},
		"a prolog that is too long":              {"<!-- " + strings.Repeat("x", 2<<20) + "-->" + plain, "exit 3: read Posts.xml: there is no root element"},
		"carriage returns for the ends of lines": {strings.ReplaceAll(plain, "\n", "\r"), "1 2 3"},
	} {
		got := converted(c.doc)
		if got != c.want && (!strings.HasPrefix(c.want, "exit ") || !strings.HasPrefix(got, c.want)) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// One row with an entity that XML has not is counted by its class, and three rows are loaded.
func TestEntityThatXMLHasNot(t *testing.T) {
	t.Parallel()
	g := newTarget(t)
	rows := small()
	rows["Posts"] = postRow(1, "") + postRow(2, `Title="a&nbsp;b" `) + postRow(3, "")
	if err := g.run(Options{Dump: write(t, rows)}); err != nil {
		t.Fatal(err)
	}
	if got := g.value("SELECT GROUP_CONCAT(CONCAT(Id, COALESCE(Title, '')) ORDER BY Id) FROM Posts"); got != "1,2a&nbsp;b,3" {
		t.Error(got)
	}
	if n := g.dir.Manifest().Stages[manifest.Ingest].Errors; len(n) != 1 || n["illegal_reference"] != 1 {
		t.Errorf("classes %v", n)
	}
}

// Tags of a row are compared in a time that does not grow with the square of their number.
func TestMillionTags(t *testing.T) {
	var tags bytes.Buffer
	for i := range 400_000 {
		fmt.Fprintf(&tags, "<t%d>", i%200_000)
	}
	started := time.Now()
	got, ok := appendTags(nil, tags.Bytes())
	if n := bytes.Count(got, []byte("|")); !ok || n != 200_001 {
		t.Errorf("%d bars, %v", n, ok)
	}
	if took := time.Since(started); took > time.Minute {
		t.Errorf("it took %s", took)
	}
}

// A dump that changes between the hash that identifies it and the load is a service fault.
func TestDumpThatChangesAfterItsHash(t *testing.T) {
	t.Parallel()
	g := newTarget(t)
	folder := write(t, small())
	hashes, err := TableHashes(t.Context(), "", Options{Dump: folder})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, "Posts.xml")
	doc, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, bytes.Replace(doc, []byte(`Score="-3"`), []byte(`Score="-4"`), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	err = g.run(Options{Dump: folder, TableHashes: hashes})
	if fault, remedy := schema.FaultOf(err); fault != schema.FaultService || remedy == "" || !strings.Contains(err.Error(), "Posts.xml changed") {
		t.Errorf("fault %v: %v", fault, err)
	}
	if key, err := g.db.DumpKey(t.Context()); key != "" || err != nil {
		t.Errorf("tables of dump %q are in service, %v", key, err)
	}
}

// A program may change a file in place and set its time back. The file is read again, and its hash decides; a change of
// its mode alone is none.
func TestFileThatChangesAndKeepsItsTime(t *testing.T) {
	schematest.Need(t, runtime.GOOS == "linux", "only Linux reports the time of the change")
	t.Parallel()
	for name, change := range map[string]func(path string) error{
		"another digit": func(path string) error {
			info, err := os.Stat(path)
			if err != nil {
				return err
			}
			doc, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			doc = bytes.Replace(doc, []byte(`Score="-3"`), []byte(`Score="-4"`), 1)
			return errors.Join(os.WriteFile(path, doc, 0o600), os.Chtimes(path, info.ModTime(), info.ModTime()))
		},
		"another mode": func(path string) error { return os.Chmod(path, 0o640) },
	} {
		g := newTarget(t)
		path := filepath.Join(write(t, small()), "Posts.xml")
		changed := false
		err := g.run(Options{Dump: filepath.Dir(path), Progress: func(what string, _, _ int64) {
			if what == "Posts" && !changed { // its rows have been read
				changed = true
				if err := change(path); err != nil {
					t.Error(err)
				}
			}
		}})
		fault, _ := schema.FaultOf(err)
		if fault == schema.FaultService { // the next run reads the table again
			err := g.run(Options{Dump: filepath.Dir(path)})
			if got := g.value("SELECT Score FROM Posts WHERE Id = 1"); err != nil || got != "-4" {
				t.Errorf("%s, the next run: Score %s, %v", name, got, err)
			}
		}
		switch {
		case name == "another mode" && err != nil:
			t.Errorf("%s: %v", name, err)
		case name == "another digit" && fault != schema.FaultService:
			t.Errorf("%s: fault %v, %v", name, fault, err)
		}
	}
}

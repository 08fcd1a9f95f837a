package sample

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf16"

	"s2g/schema"
)

// A Dressing is a form in which dumps circulate: a file format, an encoding and
// a spelling of one year or mirror. The rows are the same in every dressing, so a
// reader of dumps must produce the same tables from each. Only tests write
// dressings.
type Dressing struct {
	Name     string
	Needs    string // program that Write runs; "" if none
	Shuffled bool   // the order of the rows differs from that of the source

	respell func(doc string) string
	encode  func(doc string) []byte
	pack    packer // nil is packFolder
}

// Dressings returns all dressings, the plainest first.
func Dressings() []Dressing {
	return []Dressing{
		{Name: "byte order mark", encode: withBOM},
		{Name: "no byte order mark, CR LF", respell: withCRLF},
		{Name: "licence comment, comments between rows", respell: withComments},
		{Name: "UTF-16LE, no indentation", respell: withoutIndentation, encode: utf16LE},
		{Name: "UTF-16BE without byte order mark", respell: withCRLF, encode: utf16BE},
		{Name: "single quotes, attributes shuffled, rows over lines, end tags", respell: withShuffledAttributes, encode: withBOM},
		{Name: "US-ASCII, character references", respell: inASCII},
		{Name: "pipe tags", respell: withPipeTags},
		{Name: "rows shuffled", respell: withShuffledRows, Shuffled: true},
		{Name: "gz", pack: packEach(gzipped)},
		{Name: "gz of several members", pack: packEach(gzippedMembers)},
		{Name: "bz2", Needs: sevenZip, pack: packEach(bzipped)},
		{Name: "zst", pack: packEach(zstandard)},
		{Name: "xz", pack: packEach(xzipped)},
		{Name: "each table in another format", Needs: sevenZip, encode: withBOM, pack: packMixed},
		{Name: "site.7z, solid, with junk", Needs: sevenZip, encode: withBOM, pack: packSite("-ms=on")},
		{Name: "site.7z, not solid, UTF-16", Needs: sevenZip, encode: utf16LE, pack: packSite("-ms=off")},
		{Name: "site.7z, bzip2", Needs: sevenZip, pack: packSite("-m0=bzip2")},
		{Name: "site.7z, PPMd", Needs: sevenZip, pack: packSite("-m0=ppmd")},
		{Name: "folder of site-Table.7z", Needs: sevenZip, respell: withPipeTags, pack: packTables},
		{Name: "7z of site-Table.7z", Needs: sevenZip, respell: withPipeTags, pack: packNested(packTables)},
		{Name: "7z of site.7z", Needs: sevenZip, pack: packNested(packSite())},
	}
}

// Write reads the plain .xml files of folder from, writes them into folder to in
// the dressing, and returns the path of the dump.
func (d Dressing) Write(from, to string) (path string, err error) {
	docs := make(map[string][]byte)
	for _, table := range schema.Tables() {
		doc, err := schema.ReadRegular(filepath.Join(from, table.Name+".xml"))
		if err != nil {
			return "", err
		}
		text := strings.TrimPrefix(string(doc), bom)
		if d.respell != nil {
			text = d.respell(text)
		}
		if d.encode != nil {
			docs[table.Name] = d.encode(text)
		} else {
			docs[table.Name] = []byte(text)
		}
	}
	site := strings.ToLower(filepath.Base(from))
	if !strings.HasSuffix(site, ".com") {
		site = "sample.stackexchange.com"
	}
	if d.pack == nil {
		return packFolder(docs, site, to)
	}
	return d.pack(docs, site, to)
}

// WriteTiny writes a dump of a few rows into a folder. The rows hold what
// dressings change: tags, quotes, line feeds, and characters outside ASCII and
// outside the first Unicode plane.
func WriteTiny(to string) error {
	docs := make(map[string][]byte)
	for table, doc := range map[string]string{
		"Posts": `<posts>
  <row Id="1" PostTypeId="1" AcceptedAnswerId="2" CreationDate="2012-03-04T05:06:07.890" Score="3" ViewCount="17" Body="&lt;p&gt;How do I say &quot;a &amp;amp; b&quot;?&lt;/p&gt;&#xA;&#xA;&lt;pre&gt;&lt;code&gt;x = 'naïve' &amp;lt; 😀&#xA;&lt;/code&gt;&lt;/pre&gt;&#xA;" OwnerUserId="7" LastActivityDate="2012-03-05T00:00:00.000" Title="“Quotes” &amp; ampersands" Tags="&lt;c#&gt;&lt;.net&gt;&lt;c++&gt;" AnswerCount="1" CommentCount="1" />
  <row Id="2" PostTypeId="2" ParentId="1" CreationDate="2012-03-04T06:06:07.000" Score="-1" Body="" OwnerDisplayName="user'7" LastActivityDate="2012-03-04T06:06:07.000" CommentCount="0" ContentLicense="CC BY-SA 3.0" />
  <row Id="5" PostTypeId="1" CreationDate="2012-03-04T07:06:07.123" Score="0" Body="&lt;p&gt;日本語 &gt; é&lt;/p&gt;" Title="" Tags="&lt;python&gt;" LastActivityDate="2012-03-04T07:06:07.123" />
</posts>
`,
		"Comments":  "<comments>\n  <row Id=\"11\" PostId=\"1\" Score=\"0\" Text=\"It's fine: “yes”.\" CreationDate=\"2012-03-04T05:07:00.000\" UserId=\"-1\" />\n</comments>",
		"Votes":     "<votes>\n  <row Id=\"21\" PostId=\"1\" VoteTypeId=\"2\" CreationDate=\"2012-03-04T00:00:00.000\" />\n  <row Id=\"22\" PostId=\"2\" VoteTypeId=\"8\" BountyAmount=\"50\" CreationDate=\"2012-03-04T00:00:00.000\" />\n</votes>",
		"PostLinks": "<postlinks>\n  <row Id=\"31\" CreationDate=\"2012-03-04T05:08:00.000\" PostId=\"5\" RelatedPostId=\"1\" LinkTypeId=\"3\" />\n</postlinks>",
		"Tags":      "<tags>\n  <row Id=\"41\" TagName=\"c#\" Count=\"1\" />\n  <row Id=\"42\" TagName=\".net\" Count=\"1\" IsRequired=\"True\" />\n</tags>",
	} {
		docs[table] = []byte("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n" + doc)
	}
	_, err := packFolder(docs, "", to)
	return err
}

// The patterns below are compiled when a dressing is written, so that programs
// that write plain samples do not compile them.

// rowPattern matches a row, its first group the attributes.
func rowPattern() *regexp.Regexp { return regexp.MustCompile(`<row ([^<]*?)\s*/>`) }

// betweenTags matches the white space between two tags: no value holds a "<".
func betweenTags() *regexp.Regexp { return regexp.MustCompile(`>\s+<`) }

func declaration() *regexp.Regexp { return regexp.MustCompile(`^<\?xml[^>]*\?>`) }

// declare returns a document whose XML declaration names an encoding.
func declare(doc, encoding string) string {
	return `<?xml version="1.0" encoding="` + encoding + `"?>` + declaration().ReplaceAllString(doc, "")
}

func withBOM(doc string) []byte { return []byte(bom + doc) }

func utf16LE(doc string) []byte { return inUTF16(bom+declare(doc, "utf-16"), 0) }

func utf16BE(doc string) []byte { return inUTF16(declare(doc, "UTF-16BE"), 1) }

// inUTF16 encodes a document with the low byte of each unit at index low.
func inUTF16(doc string, low int) []byte {
	units := utf16.Encode([]rune(doc))
	b := make([]byte, 2*len(units))
	for i, u := range units {
		b[2*i+low], b[2*i+1-low] = byte(u), byte(u>>8)
	}
	return b
}

func withCRLF(doc string) string { return betweenTags().ReplaceAllString(doc, ">\r\n  <") }

func withoutIndentation(doc string) string { return betweenTags().ReplaceAllString(doc, "><") }

// withComments adds a licence comment and comments between rows, with what looks
// like rows and end tags in them.
func withComments(doc string) string {
	head := declaration().FindString(doc)
	doc = strings.Replace(strings.TrimPrefix(doc, head), "/>", "/><!-- <row> the first -->", 1)
	return head + "\n<!--\n  The posts are their authors', under CC BY-SA.\n  <row Id=\"0\" /> </posts> is no row.\n-->" + doc
}

func withShuffledAttributes(doc string) string {
	attribute := regexp.MustCompile(`(\w+)="([^"]*)"`)
	r := rand.New(rand.NewPCG(1, 2))
	return rowPattern().ReplaceAllStringFunc(doc, func(row string) string {
		var attributes []string
		for _, a := range attribute.FindAllStringSubmatch(row, -1) {
			attributes = append(attributes, a[1]+" =\n\t'"+strings.ReplaceAll(a[2], "'", "&apos;")+"'")
		}
		attributes = append(attributes, `Unknown="x > y"`)
		r.Shuffle(len(attributes), func(i, j int) { attributes[i], attributes[j] = attributes[j], attributes[i] })
		return "<row\n\t" + strings.Join(attributes, "\r\n\t") + "></row>"
	})
}

// inASCII writes characters outside ASCII, line feeds and quotes as character
// references of several forms.
func inASCII(doc string) string {
	doc = strings.NewReplacer("&#xA;", "&#10;", "&quot;", "&#x22;", "&apos;", "&#039;").Replace(doc)
	var b strings.Builder
	for i, c := range declare(doc, "us-ascii") {
		switch {
		case c < 0x80:
			b.WriteRune(c)
		case i%2 == 0:
			fmt.Fprintf(&b, "&#x%X;", c)
		default:
			fmt.Fprintf(&b, "&#%d;", c)
		}
	}
	return b.String()
}

func withPipeTags(doc string) string {
	tags := regexp.MustCompile(` Tags="&lt;([^"]*)&gt;"`)
	return tags.ReplaceAllStringFunc(doc, func(s string) string {
		return ` Tags="|` + strings.ReplaceAll(tags.FindStringSubmatch(s)[1], "&gt;&lt;", "|") + `|"`
	})
}

func withShuffledRows(doc string) string {
	r := rand.New(rand.NewPCG(3, 4))
	rows := rowPattern().FindAllString(doc, -1)
	r.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	i := -1
	return rowPattern().ReplaceAllStringFunc(doc, func(string) string {
		i++
		return rows[i]
	})
}

package dump

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"strings"
	"unicode/utf16"

	"github.com/klauspost/compress/gzip"
)

// A Form is the encoding and spelling of a dump, as the beginning of a table shows
// them. It depends on when the dump was made.
type Form struct {
	Table    string  // the table that was examined; "" if none was, see [Dump.DetectForm]
	Encoding string  // "UTF-8", "UTF-16LE" or "UTF-16BE"
	BOM      bool    // the document begins with a byte order mark
	CRLF     bool    // lines end with CR LF
	Indented bool    // there is white space between rows
	Comment  bool    // a comment, the licence, precedes the root element
	License  bool    // rows name their licence
	UTF8     float64 // bytes of UTF-8 for a byte of the document: 1, or about 0.5 for UTF-16
	Tags     string  // the spelling of tags, "<a><b>" or "|a|b|"; "" if none was found
	Gzip     float64 // bytes of gzip, as fast as it is, for a byte of the examined text
}

// Era returns when dumps of this form were made, as "August 2024 or later"; "" if
// nothing is known. It is a guess: mirrors convert dumps.
func (f Form) Era() string {
	switch {
	case f.Table == "":
		return ""
	case f.Comment:
		return "August 2024 or later"
	case strings.HasPrefix(f.Encoding, "UTF-16"):
		return "first quarter of 2024"
	case f.Tags == "|a|b|":
		return "2024 or later"
	case f.License:
		return "about 2020 to 2024"
	}
	return "before about 2020"
}

const (
	formSample = 256 << 10 // bytes of a table that are examined
	formSkip   = 256 << 20 // bytes that may be decoded before them
)

// DetectForm examines the beginning of Posts. If reaching it requires decoding a
// large part of an archive's block, DetectForm examines the first table of the
// block. If that is as expensive, or the archive is inside another, it returns the
// zero Form.
func (d *Dump) DetectForm(ctx context.Context) (Form, error) {
	for _, s := range d.Streams {
		i := s.indexOf("Posts")
		if i < 0 || s.Spool > 0 {
			continue
		}
		if s.Members[i].before > formSkip {
			i = 0
		}
		if s.Members[i].before <= formSkip {
			return s.detectForm(ctx, s.Members[i].Table)
		}
	}
	return Form{}, nil
}

// openTable decodes the stream up to a table, which the caller may read.
func (s *Stream) openTable(ctx context.Context, table string) (*memberReader, Member, error) {
	r, err := s.start(ctx)
	if err != nil {
		return nil, Member{}, err
	}
	m, err := r.next()
	for err == nil && m.Table != table {
		if _, err = io.Copy(io.Discard, r); err == nil {
			m, err = r.next()
		}
	}
	if err != nil {
		r.Close()
		return nil, Member{}, err
	}
	return r, m, nil
}

// detectForm examines the beginning of a table of the stream.
func (s *Stream) detectForm(ctx context.Context, table string) (Form, error) {
	r, m, err := s.openTable(ctx, table)
	if err != nil {
		return Form{}, err
	}
	defer r.Close()
	text := &textReader{r: r}
	head := make([]byte, formSample)
	n, err := io.ReadFull(text, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return Form{}, cmp.Or(ctx.Err(), inputError(m.Name, err))
	}
	return formOf(m, text, head[:n])
}

// gzipShare returns the bytes of gzip for a byte of text.
func gzipShare(text []byte) float64 {
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
	if err == nil {
		_, err = w.Write(text)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil || len(text) == 0 {
		return 0 // a buffer accepts all writes
	}
	return math.Round(1000*float64(packed.Len())/float64(len(text))) / 1000
}

// formOf returns the form of a document that begins with head, which text has
// decoded.
func formOf(m Member, text *textReader, head []byte) (Form, error) {
	c := ScanConfig{Name: m.Name, Root: strings.ToLower(m.Table), Columns: []string{"Id", "Tags", "ContentLicense"}}.withDefaults()
	rows, err := (&splitter{c: c, eof: len(head) < formSample}).prolog(bytes.Clone(head))
	if err != nil {
		return Form{}, err
	}
	f := Form{Table: m.Table, Encoding: "UTF-8", BOM: text.bom, CRLF: bytes.Contains(head, []byte("\r\n")), UTF8: 1}
	if text.utf16 != nil {
		f.Encoding = "UTF-16LE"
		if text.utf16 == binary.BigEndian {
			f.Encoding = "UTF-16BE"
		}
		units := len(utf16.Encode([]rune(string(head))))
		f.UTF8 = math.Round(100*float64(len(head))/float64(2*max(units, 1))) / 100
	}
	f.Gzip = gzipShare(head)
	f.Comment = bytes.Contains(head[:len(head)-len(rows)], []byte("<!--"))
	s := newBlockScanner(c)
	for s.reset(block{data: rows}); s.Scan(); {
		f.License = f.License || s.record.Value(2) != nil
		if tags := s.record.Value(1); len(tags) > 0 && f.Tags == "" {
			f.Tags = map[byte]string{'<': "<a><b>", '|': "|a|b|"}[tags[0]]
		}
	}
	i := bytes.Index(rows, []byte("<row"))
	f.Indented = i > 0 && len(bytes.TrimSpace(rows[:i])) == 0
	return f, nil
}

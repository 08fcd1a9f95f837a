package dump

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf16"
)

// A Form is what the beginning of a table shows of how, and so about when, its
// dump was made.
type Form struct {
	Table    string  // the one that was looked at; "" if none could be, cheaply
	Encoding string  // "UTF-8", "UTF-16LE" or "UTF-16BE"
	BOM      bool    // it begins with a byte order mark
	CRLF     bool    // lines end with CR LF
	Indented bool    // there is white space between rows
	Comment  bool    // a comment stands before the root element: the licence
	License  bool    // rows name their licence
	UTF8     float64 // bytes of UTF-8 that a byte of the document is: 1, or about 0.5 where it is UTF-16
	Tags     string  // the spelling of tags, "<a><b>" or "|a|b|"; "" if none was seen
}

// Era says when dumps of this form were made, as "August 2024 or later"; "" if
// nothing is known. Mirrors convert dumps, so it is no more than a guess.
func (g Form) Era() string {
	switch {
	case g.Table == "":
		return ""
	case g.Comment:
		return "August 2024 or later"
	case strings.HasPrefix(g.Encoding, "UTF-16"):
		return "first quarter of 2024"
	case g.Tags == "|a|b|":
		return "2024 or later"
	case g.License:
		return "about 2020 to 2024"
	}
	return "before about 2020"
}

const (
	guessed   = 256 << 10 // bytes of a table that are looked at
	guessSkip = 256 << 20 // bytes that may have to be decoded before them
)

// Form looks at the beginning of Posts. Where that stands so far behind in a
// block of an archive that decoding up to it would take long, it looks at the
// first table of the block, and where that is far behind too, or the archive
// stands in another, at nothing.
func (d *Dump) DetectForm(ctx context.Context) (Form, error) {
	for _, s := range d.Streams {
		if !s.readsTable("Posts") || s.Spool > 0 {
			continue
		}
		i := slices.IndexFunc(s.Members, func(m Member) bool { return m.Table == "Posts" })
		if s.Members[i].before > guessSkip {
			i = 0
		}
		if s.Members[i].before <= guessSkip {
			return s.guess(ctx, s.Members[i].Table)
		}
	}
	return Form{}, nil
}

// guess looks at the beginning of a table.
func (s *Stream) guess(ctx context.Context, table string) (Form, error) {
	r, err := s.Open(ctx)
	if err != nil {
		return Form{}, err
	}
	defer r.Close()
	m, err := r.Next()
	for err == nil && m.Table != table {
		if _, err = io.Copy(io.Discard, r); err == nil {
			m, err = r.Next()
		}
	}
	if err != nil {
		return Form{}, err
	}
	text := &textReader{r: r}
	head := make([]byte, guessed)
	n, err := io.ReadFull(text, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return Form{}, inputError(ctx, m.Name, err)
	}
	return guess(m, text, head[:n])
}

// guess looks at the beginning of the document of a table.
func guess(m Member, text *textReader, head []byte) (Form, error) {
	c := ScanConfig{Name: m.Name, Root: strings.ToLower(m.Table), Columns: []string{"Id", "Tags", "ContentLicense"}}.withDefaults()
	rows, err := (&splitter{c: c, eof: len(head) < guessed}).prolog(bytes.Clone(head))
	if err != nil {
		return Form{}, err
	}
	g := Form{Table: m.Table, Encoding: text.encoding(), BOM: text.bom, CRLF: bytes.Contains(head, []byte("\r\n")), UTF8: 1}
	if text.utf16 != nil {
		units := len(utf16.Encode([]rune(string(head))))
		g.UTF8 = math.Round(100*float64(len(head))/float64(2*max(units, 1))) / 100
	}
	g.Comment = bytes.Contains(head[:len(head)-len(rows)], []byte("<!--"))
	s := newBlockScanner(c)
	for s.reset(block{data: rows}); s.Scan(); {
		g.License = g.License || s.rec.Value(2) != nil
		if tags := s.rec.Value(1); len(tags) > 0 && g.Tags == "" {
			g.Tags = map[byte]string{'<': "<a><b>", '|': "|a|b|"}[tags[0]]
		}
	}
	i := bytes.Index(rows, []byte("<row"))
	g.Indented = i > 0 && len(bytes.TrimSpace(rows[:i])) == 0
	return g, nil
}

// encoding names the encoding that was seen.
func (t *textReader) encoding() string {
	switch t.utf16 {
	case nil:
		return "UTF-8"
	case binary.LittleEndian:
		return "UTF-16LE"
	}
	return "UTF-16BE"
}

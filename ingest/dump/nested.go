package dump

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"s2g/schema"
)

// An innerArchive is an archive within an archive.
type innerArchive struct {
	member Member   // the archive itself
	tables []string // those to read from it, as its name tells
}

// innerArchive tells what an archive holds, and of which site, from the name
// that it has in another: site-Table.7z a table, any other name all of a site.
func (f *finder) innerArchive(name, site string) (innerArchive, string) {
	host, table := cutTable(strings.TrimSuffix(strings.ToLower(name), ".7z"))
	if named := siteOf(name); named != "" {
		site = named
	} else if host != "" {
		site = host
	}
	switch {
	case table == "":
		return innerArchive{tables: slices.Clone(f.wanted)}, site
	case slices.Contains(f.wanted, table):
		return innerArchive{tables: []string{table}}, site
	}
	return innerArchive{}, site
}

// A nestedSource reads the tables of archives that stand in an archive, one
// archive after the other. A .7z cannot be read but with seeking: the list of
// its members is at its end. So the compressed bytes of each are spooled to a
// file, which is removed before the next is read.
type nestedSource struct {
	ctx     context.Context
	lister  *lister
	stream  *Stream
	outer   source
	inner   []innerArchive // still to come
	spooled string         // file of the current one, "" if there is none
	streams []*Stream      // of it, still to be read
	cur     *Reader        // of the stream that is read
	reading *Stream
	before  int64 // bytes of the archives before
	size    int64 // of the current one
	part    int64 // of which so many have been read in the streams before
}

// openInner opens the archives that stand in a block.
func (l *lister) openInner(ctx context.Context, s *Stream, inner []innerArchive) (source, error) {
	var members []Member
	for _, a := range inner {
		members = append(members, a.member)
	}
	src, err := openBlock(ctx, l.program, l.file, members)
	if err != nil {
		return nil, err
	}
	return &nestedSource{ctx: ctx, lister: l, stream: s, outer: &flatSource{src: src, members: members}, inner: inner}, nil
}

func (n *nestedSource) next() (Member, error) {
	for {
		if n.cur != nil {
			m, err := n.cur.Next()
			if err != io.EOF {
				return m, err
			}
			n.part += n.reading.Size
			n.cur.Close()
			n.cur = nil
		}
		if len(n.streams) == 0 {
			if err := n.nextArchive(); err != nil {
				return Member{}, err
			}
		}
		var err error
		n.reading, n.streams = n.streams[0], n.streams[1:]
		if n.cur, err = n.reading.Open(n.ctx); err != nil {
			return Member{}, err
		}
	}
}

// nextArchive spools the next archive and lists it. It returns io.EOF after the
// last.
func (n *nestedSource) nextArchive() error {
	if err := n.remove(); err != nil {
		return err
	}
	n.before, n.size, n.part = n.before+n.size, 0, 0
	n.stream.done.Store(scale(n.stream.Size, n.before, n.stream.decoded))
	m, err := n.outer.next()
	if err != nil {
		return err
	}
	a := n.inner[0]
	n.inner = n.inner[1:]
	if err := n.spool(m); err != nil {
		return inputError(n.ctx, m.Name, err)
	}
	n.size = m.Size
	found, err := n.lister.archive(File{Path: n.spooled, Name: m.Name, Size: m.Size}, "", a.tables).expand()
	if err != nil {
		return err
	}
	missing := slices.Clone(a.tables)
	for _, c := range found {
		if c.stream.Spool > 0 {
			return schema.Faultf(schema.FaultInput, "unpack it and give --dump the folder", "archive %s holds archives in turn", m.Name)
		}
		n.streams = append(n.streams, c.stream)
		missing = slices.DeleteFunc(missing, c.stream.readsTable)
	}
	return missingError(m.Name, missing)
}

// spool copies the current member of the outer archive to a file.
func (n *nestedSource) spool(m Member) (err error) {
	file, err := os.CreateTemp(n.lister.o.Tmp, "dump-*.7z")
	if err != nil {
		return spoolError(err)
	}
	n.spooled = file.Name()
	defer func() { err = errors.Join(err, file.Close()) }()
	_, err = io.Copy(spoolWriter{file}, n.outer)
	return err
}

// A spoolWriter marks the errors of writing, which are no fault of the input.
type spoolWriter struct{ file *os.File }

func (w spoolWriter) Write(p []byte) (int, error) {
	n, err := w.file.Write(p)
	if err != nil {
		err = spoolError(err)
	}
	return n, err
}

func spoolError(err error) error {
	return schema.Faultf(schema.FaultResources, "make room for it, or unpack the archive", "spool an archive: %w", err)
}

func (n *nestedSource) remove() error {
	if n.spooled == "" {
		return nil
	}
	path := n.spooled
	n.spooled = ""
	if err := os.Remove(path); err != nil {
		return fmt.Errorf("remove a spooled archive: %w", err)
	}
	return nil
}

func (n *nestedSource) Read(p []byte) (int, error) {
	k, err := n.cur.Read(p)
	read := scale(n.size, n.part+n.reading.Done(), n.archiveSize())
	n.stream.done.Store(scale(n.stream.Size, n.before+read, n.stream.decoded))
	return k, err
}

// archiveSize is what the sizes of the current archive's streams add up to.
func (n *nestedSource) archiveSize() int64 {
	size := n.part + n.reading.Size
	for _, s := range n.streams {
		size += s.Size
	}
	return size
}

func (n *nestedSource) Close() error {
	if n.cur != nil {
		n.cur.Close()
		n.cur = nil
	}
	return errors.Join(n.outer.Close(), n.remove())
}

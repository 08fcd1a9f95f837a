package dump

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"s2g/schema"
)

// An innerArchive is a member of an archive that is an archive itself, and the
// tables that are read from it.
type innerArchive struct {
	member Member
	tables []string
}

// A nestedSource reads the tables of archives inside an archive, one archive after
// the other. The list of a .7z is at its end, so decoding it requires seeking.
// Each archive is therefore spooled to a file in its compressed form, and the file
// is removed before the next archive is read.
type nestedSource struct {
	start       func(*Stream) (*memberReader, error)
	interrupted func() error
	lister      *archiveLister
	stream      *Stream
	outer       source
	inner       []innerArchive // not read yet
	spooled     string         // file of the current archive, "" if none
	streams     []*Stream      // of the current archive, not read yet
	reading     *Stream
	current     *memberReader // of reading
	before      int64         // bytes of the earlier archives
	size        int64         // bytes of the current archive
	part        int64         // bytes of the current archive in its earlier streams
}

// openInner opens the archives inside a block.
func (l *archiveLister) openInner(ctx context.Context, s *Stream, inner []innerArchive) (source, error) {
	var members []Member
	for _, a := range inner {
		members = append(members, a.member)
	}
	src, err := openBlock(ctx, l.program, l.file, members)
	if err != nil {
		return nil, err
	}
	return &nestedSource{
		start:       func(s *Stream) (*memberReader, error) { return s.start(ctx) },
		interrupted: ctx.Err,
		lister:      l, stream: s, outer: &flatSource{src: src, members: members}, inner: inner,
	}, nil
}

func (n *nestedSource) next() (Member, error) {
	for {
		if n.current != nil {
			m, err := n.current.next()
			if err != io.EOF {
				return m, err
			}
			n.part += n.reading.Size
			n.current.Close()
			n.current = nil
		}
		if len(n.streams) == 0 {
			if err := n.nextArchive(); err != nil {
				return Member{}, err
			}
		}
		var err error
		n.reading, n.streams = n.streams[0], n.streams[1:]
		if n.current, err = n.start(n.reading); err != nil {
			return Member{}, err
		}
	}
}

// nextArchive spools the next archive and lists its streams. It returns io.EOF
// after the last archive.
func (n *nestedSource) nextArchive() error {
	if err := n.removeSpooled(); err != nil {
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
	if err := n.spool(); err != nil {
		return cmp.Or(n.interrupted(), inputError(m.Name, err))
	}
	n.size = m.Size
	found, err := n.lister.archive(File{Path: n.spooled, Name: m.Name, Size: m.Size}, "", a.tables).expand()
	if err != nil {
		return err
	}
	missing := slices.Clone(a.tables)
	for _, c := range found {
		if c.stream.Spool > 0 {
			return schema.Faultf(schema.FaultInput, "unpack it and give option dump the folder", "archive %s is inside an archive and contains archives itself", m.Name)
		}
		n.streams = append(n.streams, c.stream)
		missing = slices.DeleteFunc(missing, func(t string) bool { return c.stream.indexOf(t) >= 0 })
	}
	return missingError(m.Name, missing)
}

// spool copies the current member of the outer archive to a file.
func (n *nestedSource) spool() (err error) {
	file, err := os.CreateTemp(n.lister.o.Tmp, "dump-*.7z")
	if err != nil {
		return spoolError(err)
	}
	n.spooled = file.Name()
	defer func() { err = errors.Join(err, file.Close()) }()
	_, err = io.Copy(spoolWriter{file}, n.outer)
	return err
}

// A spoolWriter makes the errors of writing faults of resources, not of the input.
type spoolWriter struct{ file *os.File }

func (w spoolWriter) Write(p []byte) (int, error) {
	n, err := w.file.Write(p)
	if err != nil {
		err = spoolError(err)
	}
	return n, err
}

func spoolError(err error) error {
	return schema.Faultf(schema.FaultResources, "free disk space, or unpack the archive", "spool an archive: %w", err)
}

func (n *nestedSource) removeSpooled() error {
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
	k, err := n.current.Read(p)
	total := n.part + n.reading.Size
	for _, s := range n.streams {
		total += s.Size
	}
	read := scale(n.size, n.part+n.reading.Done(), total)
	n.stream.done.Store(scale(n.stream.Size, n.before+read, n.stream.decoded))
	return k, err
}

func (n *nestedSource) Close() error {
	if n.current != nil {
		n.current.Close()
		n.current = nil
	}
	return errors.Join(n.outer.Close(), n.removeSpooled())
}

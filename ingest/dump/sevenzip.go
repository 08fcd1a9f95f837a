package dump

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bodgit/sevenzip"

	"s2g/schema"
)

func isSevenZip(name string) bool { return strings.EqualFold(filepath.Ext(name), ".7z") }

// archive returns a .7z file that holds wanted tables of a site.
//
// 7-Zip packs the files of a solid archive into one block, which can only be
// decoded from its start: its tables come one after the other, in archive
// order, from a single decode. Where the archive is not solid every table has a
// block and a stream of its own, and they are read side by side.
//
// The list of members is read by the built-in decoder, whichever decoder reads
// their bytes: it is small, and sizes and checksums are in it.
func (f *finder) archive(file File, site string, wanted []string) candidate {
	return candidate{site: site, expand: func() ([]candidate, error) {
		a, err := openArchive(file)
		if err != nil {
			return nil, err
		}
		defer a.Close()
		l := &lister{finder: f, file: file, site: site, wanted: wanted, program: f.o.sevenZipProgram(), blocks: make(map[blockKey]*blockList)}
		for _, member := range a.File {
			l.add(member)
		}
		if err := l.probe(a); err != nil {
			return nil, err
		}
		return l.streams(), nil
	}}
}

// sevenZipProgram returns the path of a 7-Zip program, "" if there is none or it
// is not to be used.
func (o Options) sevenZipProgram() string {
	if o.BuiltIn {
		return ""
	}
	for _, name := range []string{"7z", "7zz", "7za"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// A lister makes streams of the list of an archive.
type lister struct {
	*finder
	file    File
	site    string
	wanted  []string
	program string
	blocks  map[blockKey]*blockList
	order   []*blockList
	last    int   // block of the member before
	before  int64 // decoded bytes of that block so far
}

// A blockKey says which members of an archive are read in one pass.
type blockKey struct {
	block    int
	site     string
	archives bool // those that are archives themselves
}

// A blockList is the members of an archive that are read in one pass.
type blockList struct {
	key    blockKey
	stream *Stream
	inner  []innerArchive // of key.archives: what each member holds
}

// add takes a member of the archive if it is, or holds, a wanted table.
func (l *lister) add(m *sevenzip.File) {
	if m.FileInfo().IsDir() {
		return
	}
	if m.Stream != l.last {
		l.last, l.before = m.Stream, 0
	}
	before := l.before
	l.before += int64(m.UncompressedSize)
	name, key := path.Base(m.Name), blockKey{block: m.Stream, site: l.site}
	if dir := path.Dir(m.Name); dir != "." && siteOf(path.Base(dir)) != "" {
		key.site = siteOf(path.Base(dir))
	}
	inner := innerArchive{}
	if table, ok := tableOf(name, l.wanted, ".xml"); ok {
		inner.tables = []string{table}
	} else if isSevenZip(name) {
		key.archives = true
		inner, key.site = l.innerArchive(name, key.site)
	}
	if len(inner.tables) == 0 {
		return
	}
	b := l.blocks[key]
	if b == nil {
		b = &blockList{key: key, stream: &Stream{File: l.file}}
		l.blocks[key] = b
		l.order = append(l.order, b)
	}
	b.add(m, l.file, inner, before)
}

// add adds a member to a block, of which so many bytes stand before it.
func (b *blockList) add(m *sevenzip.File, file File, inner innerArchive, before int64) {
	inner.member = Member{
		Name: file.Name + ":" + m.Name, Size: int64(m.UncompressedSize),
		path: m.Name, before: before, crc: m.CRC32, hasCRC: m.CRC32 != 0,
	}
	s := b.stream
	for _, t := range inner.tables {
		listed := inner.member
		if listed.Table = t; b.key.archives {
			listed.Size, listed.Packed = -1, -1
		}
		if b.key.archives && len(inner.tables) == 1 {
			listed.Packed = inner.member.Size
		}
		s.Members = append(s.Members, listed)
	}
	s.decoded += inner.member.Size
	if b.key.archives {
		s.Spool = max(s.Spool, inner.member.Size)
		b.inner = append(b.inner, inner)
	}
}

// probe fails if what is to be read is encrypted. The decoder tells that only
// beside another error, so it is given one: the archive can no longer be read.
func (l *lister) probe(a *archive) error {
	if len(l.order) == 0 {
		return nil
	}
	a.file.shut = true
	for _, m := range a.File {
		if m.Stream != l.order[0].key.block || m.FileInfo().IsDir() || m.UncompressedSize == 0 {
			continue
		}
		r, err := m.Open()
		if err == nil {
			_, err = r.Read(make([]byte, 1))
			_ = r.Close() // it has been read to no end
		}
		if isEncrypted(err) {
			return encryptedError(l.file.Name)
		}
		return nil
	}
	return nil
}

// streams returns what was added.
func (l *lister) streams() []candidate {
	var total int64
	for _, b := range l.order {
		total += b.stream.decoded
	}
	var all []candidate
	for _, b := range l.order {
		s := b.stream
		s.Size = scale(l.file.Size, s.decoded, total)
		for i, m := range s.Members {
			if m.Size >= 0 {
				s.Members[i].Packed = scale(s.Size, m.Size, s.decoded)
			}
		}
		if b.key.archives {
			s.open = func(ctx context.Context) (source, error) { return l.openInner(ctx, s, b.inner) }
		} else {
			s.open = func(ctx context.Context) (source, error) {
				src, err := openBlock(ctx, l.program, l.file, s.Members)
				if err != nil {
					return nil, err
				}
				return &flatSource{src: &scaledReader{ReadCloser: src, stream: s}, members: s.Members}, nil
			}
		}
		all = append(all, candidate{site: b.key.site, stream: s})
	}
	return all
}

// scale returns whole*part/total without overflow.
func scale(whole, part, total int64) int64 {
	if total == 0 {
		return 0
	}
	return int64(float64(whole) * (float64(part) / float64(total)))
}

// openBlock decodes members of a block, in archive order, with the program or,
// where there is none, with the built-in decoder, which takes 2 to 4 times as
// long.
func openBlock(ctx context.Context, program string, file File, members []Member) (io.ReadCloser, error) {
	if program == "" {
		return openBuiltIn(file, members)
	}
	args := []string{"x", "-so", "-bd", "-y", "-p", "-spd", "--", file.Path} // -p: ask for no password; -spd: names are not patterns
	for _, m := range members {
		args = append(args, m.path)
	}
	return startProgram(ctx, nil, program, args...)
}

// isEncrypted reports whether the built-in decoder failed for want of a password.
func isEncrypted(err error) bool {
	var read *sevenzip.ReadError
	return errors.As(err, &read) && read.Encrypted
}

func encryptedError(name string) error {
	return schema.Faultf(schema.FaultInput, "unpack it with its password and give --dump the folder", "archive %s is protected by a password", name)
}

// A scaledReader reports progress in compressed bytes, as if every decoded byte
// took equally many: what a decoder has read of the archive cannot be seen.
type scaledReader struct {
	io.ReadCloser
	stream *Stream
	read   int64
}

func (r *scaledReader) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	r.read += int64(n)
	r.stream.done.Store(scale(r.stream.Size, r.read, r.stream.decoded))
	return n, err
}

// readsTable reports whether a table is among those that a stream yields.
func (s *Stream) readsTable(table string) bool {
	return slices.ContainsFunc(s.Members, func(m Member) bool { return m.Table == table })
}

// An archive is a .7z file, open for the built-in decoder.
type archive struct {
	*sevenzip.Reader
	file *archiveFile
}

// Close closes the file.
func (a *archive) Close() error { return a.file.Close() }

// An archiveFile is a file that can no longer be read once it is shut.
type archiveFile struct {
	*os.File
	shut bool
}

var errShut = errors.New("no more of the archive is read")

func (f *archiveFile) ReadAt(p []byte, at int64) (int, error) {
	if f.shut {
		return 0, errShut
	}
	return f.File.ReadAt(p, at)
}

func openArchive(f File) (*archive, error) {
	file, err := os.Open(f.Path)
	if err != nil {
		return nil, inputError(context.Background(), f.Name, err)
	}
	a := &archive{file: &archiveFile{File: file}}
	if a.Reader, err = sevenzip.NewReader(a.file, f.Size); err == nil {
		return a, nil
	}
	if isEncrypted(err) {
		err = encryptedError(f.Name)
	} else {
		err = schema.Faultf(schema.FaultInput, damaged, "read the list of archive %s: %w", f.Name, err)
	}
	return nil, errors.Join(err, file.Close())
}

// A blockReader concatenates members of an archive, decoded by the built-in
// decoder. Opened in archive order, the members of a block share one decoder.
type blockReader struct {
	archive *archive
	members []*sevenzip.File // still to be opened
	cur     io.ReadCloser
}

func openBuiltIn(f File, members []Member) (io.ReadCloser, error) {
	a, err := openArchive(f)
	if err != nil {
		return nil, err
	}
	r := &blockReader{archive: a}
	for _, m := range members {
		for _, file := range a.File {
			if file.Name == m.path {
				r.members = append(r.members, file)
			}
		}
	}
	return r, nil
}

func (r *blockReader) Read(p []byte) (int, error) {
	for {
		if r.cur == nil {
			if len(r.members) == 0 {
				return 0, io.EOF
			}
			cur, err := r.members[0].Open()
			if err != nil {
				return 0, err
			}
			r.cur, r.members = cur, r.members[1:]
		}
		n, err := r.cur.Read(p)
		if err == io.EOF {
			err = r.cur.Close()
			r.cur = nil
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
}

func (r *blockReader) Close() error {
	var err error
	if r.cur != nil {
		err = r.cur.Close()
	}
	return errors.Join(err, r.archive.Close())
}

package dump

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"

	"github.com/bodgit/sevenzip"

	"s2g/schema"
)

// archive returns the candidate of a .7z file that holds wanted tables of a site.
//
// 7-Zip packs the files of a solid archive into one block, which is only decoded
// from its start: its tables come one after the other, in archive order, from a
// single pass. Where the archive is not solid every table has a block and a stream
// of its own, and they are read side by side.
//
// The built-in decoder reads the list of members, whichever decoder reads their
// bytes: the list is small and contains sizes and checksums.
func (f *finder) archive(file File, site string, wanted []string) candidate {
	return candidate{site: site, expand: func() ([]candidate, error) {
		a, err := openArchive(file)
		if err != nil {
			return nil, err
		}
		defer a.Close()
		l := &archiveLister{finder: f, file: file, site: site, wanted: wanted, program: f.o.sevenZipProgram(), blocks: make(map[blockKey]*blockMembers)}
		for _, member := range a.File {
			l.addMember(member)
		}
		if err := l.checkEncryption(a); err != nil {
			return nil, err
		}
		return l.candidates(), nil
	}}
}

// sevenZipProgram returns the path of a 7-Zip program, "" if none is installed or
// to be used.
func (o Options) sevenZipProgram() string {
	if o.builtIn {
		return ""
	}
	for _, name := range []string{"7z", "7zz", "7za"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// An archiveLister converts the list of an archive to streams.
type archiveLister struct {
	*finder
	file    File
	site    string
	wanted  []string
	program string
	blocks  map[blockKey]*blockMembers
	order   []*blockMembers
	last    int   // block of the previous member
	before  int64 // decoded bytes of that block so far
}

// A blockKey identifies the members of an archive that are read in one pass.
type blockKey struct {
	block    int
	site     string
	archives bool // the members are archives
}

// blockMembers are the members of an archive that are read in one pass.
type blockMembers struct {
	key    blockKey
	stream *Stream
	inner  []innerArchive // the members, if key.archives
}

// addMember adds a member of the archive if it is, or holds, a wanted table.
func (l *archiveLister) addMember(m *sevenzip.File) {
	if m.FileInfo().IsDir() {
		return
	}
	if m.Stream != l.last {
		l.last, l.before = m.Stream, 0
	}
	member := Member{
		Name: l.file.Name + ":" + m.Name, Size: int64(m.UncompressedSize),
		path: m.Name, before: l.before, crc: m.CRC32, hasCRC: m.CRC32 != 0,
	}
	l.before += member.Size
	name, key := path.Base(m.Name), blockKey{block: m.Stream, site: l.site}
	if dir := path.Dir(m.Name); dir != "." && siteOf(path.Base(dir)) != "" {
		key.site = siteOf(path.Base(dir))
	}
	var tables []string
	if table, ok := tableOf(name, l.wanted, ".xml"); ok {
		tables = []string{table}
	} else if isSevenZip(name) {
		key.archives = true
		tables, key.site = l.archiveTables(name, key.site)
	}
	if len(tables) == 0 {
		return
	}
	b := l.blocks[key]
	if b == nil {
		b = &blockMembers{key: key, stream: &Stream{File: l.file}}
		l.blocks[key] = b
		l.order = append(l.order, b)
	}
	s := b.stream
	for _, t := range tables {
		listed := member
		listed.Table = t
		if key.archives {
			listed.Size = unknownSize
		}
		s.Members = append(s.Members, listed)
	}
	s.decoded += member.Size
	if key.archives {
		s.Spool = max(s.Spool, member.Size)
		b.inner = append(b.inner, innerArchive{member, tables})
	}
}

// checkEncryption returns a fault if the wanted members are encrypted. The decoder
// reports that only together with another error, so checkEncryption causes one:
// the archive's file returns errors afterwards.
func (l *archiveLister) checkEncryption(a *archive) error {
	if len(l.order) == 0 {
		return nil
	}
	a.file.disabled = true
	var failed error
	err := guard(func() error {
		failed = l.readFirst(a)
		return nil
	})
	if err == nil && isEncrypted(failed) {
		return encryptedError(l.file.Name)
	}
	return inputErrorIf(l.file.Name, err)
}

// readFirst returns the error of reading the first member of the first block.
func (l *archiveLister) readFirst(a *archive) error {
	for _, m := range a.File {
		if m.Stream != l.order[0].key.block || m.FileInfo().IsDir() || m.UncompressedSize == 0 {
			continue
		}
		r, err := m.Open()
		if err == nil {
			_, err = r.Read(make([]byte, 1))
			_ = r.Close() // an error: it was not read to its end
		}
		return err
	}
	return nil
}

// candidates returns the streams of the members that were added.
func (l *archiveLister) candidates() []candidate {
	var total int64
	for _, b := range l.order {
		total += b.stream.decoded
	}
	var all []candidate
	for _, b := range l.order {
		s := b.stream
		s.Size = scale(l.file.Size, s.decoded, total)
		s.open = func(ctx context.Context) (source, error) {
			if b.key.archives {
				return l.openInner(ctx, s, b.inner)
			}
			src, err := openBlock(ctx, l.program, l.file, s.Members)
			if err != nil {
				return nil, err
			}
			return &flatSource{src: &scaledReader{ReadCloser: src, stream: s}, members: s.Members}, nil
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

// A scaledReader reports progress in compressed bytes as if every decoded byte took
// the same number: how much of the archive a decoder has read is unknown.
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

// openBlock decodes members of a block, in archive order. It runs the program or,
// without one, the built-in decoder, which takes 2 to 4 times as long.
func openBlock(ctx context.Context, program string, file File, members []Member) (io.ReadCloser, error) {
	if program != "" {
		args := []string{"x", "-so", "-bd", "-y", "-p", "-spd", "--", file.Path} // -p: no prompt for a password; -spd: names are no patterns
		for _, m := range members {
			args = append(args, m.path)
		}
		return startProgram(ctx, nil, program, args...)
	}
	a, err := openArchive(file)
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

// A blockReader concatenates members of an archive, decoded by the built-in
// decoder. Opened in archive order, the members of a block share one decoder.
type blockReader struct {
	archive *archive
	members []*sevenzip.File // not opened yet
	current io.ReadCloser
}

func (r *blockReader) Read(p []byte) (n int, err error) {
	panicked := guard(func() error {
		n, err = r.read(p)
		return nil
	})
	if panicked != nil {
		return 0, panicked
	}
	return n, err
}

func (r *blockReader) read(p []byte) (int, error) {
	for {
		if r.current == nil {
			if len(r.members) == 0 {
				return 0, io.EOF
			}
			member, err := r.members[0].Open()
			if err != nil {
				return 0, err
			}
			r.current, r.members = member, r.members[1:]
		}
		n, err := r.current.Read(p)
		if err == io.EOF {
			err = r.current.Close()
			r.current = nil
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
}

func (r *blockReader) Close() error {
	var err error
	if r.current != nil {
		err = r.current.Close()
	}
	return errors.Join(err, r.archive.Close())
}

// An archive is a .7z file that is open for the built-in decoder.
type archive struct {
	*sevenzip.Reader
	file *archiveFile
}

// Close closes the file.
func (a *archive) Close() error { return a.file.Close() }

// An archiveFile is the file of an archive. It returns errors once it is disabled.
type archiveFile struct {
	*os.File
	disabled bool
}

var errDisabled = errors.New("the archive is no longer read")

func (f *archiveFile) ReadAt(p []byte, at int64) (int, error) {
	if f.disabled {
		return 0, errDisabled
	}
	return f.File.ReadAt(p, at)
}

func openArchive(f File) (*archive, error) {
	file, err := schema.OpenRegular(f.Path)
	if err != nil {
		return nil, inputError(f.Name, err)
	}
	a := &archive{file: &archiveFile{File: file}}
	err = guard(func() (err error) {
		a.Reader, err = sevenzip.NewReader(a.file, f.Size)
		return err
	})
	if err == nil {
		return a, nil
	}
	if isEncrypted(err) {
		err = encryptedError(f.Name)
	} else {
		err = schema.Faultf(schema.FaultInput, damagedRemedy, "read the list of archive %s: %w", f.Name, err)
	}
	return nil, errors.Join(err, file.Close())
}

// guard calls f and returns a panic as an error: the built-in decoder panics on some
// damaged archives.
func guard(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the archive is damaged: %v", p)
		}
	}()
	return f()
}

// inputErrorIf is inputError where there is an error.
func inputErrorIf(name string, err error) error {
	if err == nil {
		return nil
	}
	return inputError(name, err)
}

// isEncrypted reports whether the built-in decoder failed because the archive is
// encrypted.
func isEncrypted(err error) bool {
	var read *sevenzip.ReadError
	return errors.As(err, &read) && read.Encrypted
}

func encryptedError(name string) error {
	return schema.Faultf(schema.FaultInput, "unpack it with its password and give option dump the folder", "archive %s is protected by a password", name)
}

package dump

import (
	"context"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/bodgit/sevenzip"

	"s2g/schema"
)

func isSevenZip(name string) bool { return strings.EqualFold(filepath.Ext(name), ".7z") }

// findInSevenZip makes a stream of each block of an archive that holds wanted
// tables. 7-Zip packs the files of a solid archive into one block, which can
// only be decoded from its start: its tables come one after the other, in
// archive order, from a single decode. Where the archive is not solid every
// table has a block and a stream of its own, and they are read side by side.
//
// The list of members is read here, by the built-in decoder, whichever decoder
// reads their bytes: it is small, and sizes and checksums are in it.
func findInSevenZip(f File, wanted []string, o Options) ([]*Stream, error) {
	archive, err := openArchive(f)
	if err != nil {
		return nil, err
	}
	defer archive.Close()
	program := ""
	if !o.BuiltIn {
		program = findProgram()
	}
	blocks := make(map[int]*Stream)
	var streams []*Stream
	var total int64
	for _, member := range archive.File {
		table, ok := tableOf(path.Base(member.Name), wanted, ".xml")
		if !ok || member.FileInfo().IsDir() {
			continue
		}
		s := blocks[member.Stream]
		if s == nil {
			s = &Stream{File: f}
			s.open = func(ctx context.Context) (io.ReadCloser, error) { return openBlock(ctx, program, s, f.Path) }
			blocks[member.Stream] = s
			streams = append(streams, s)
		}
		s.Members = append(s.Members, Member{
			Table: table, Name: f.Name + ":" + member.Name, Size: int64(member.UncompressedSize),
			path: member.Name, crc: member.CRC32, hasCRC: member.CRC32 != 0,
		})
		s.decoded += int64(member.UncompressedSize)
		total += int64(member.UncompressedSize)
	}
	for _, s := range streams {
		s.Size = scale(f.Size, s.decoded, total)
	}
	return streams, nil
}

// scale returns whole*part/total without overflow.
func scale(whole, part, total int64) int64 {
	if total == 0 {
		return 0
	}
	return int64(float64(whole) * (float64(part) / float64(total)))
}

// openBlock decodes a block with the program or, where there is none, with the
// built-in decoder, which takes 2 to 4 times as long.
func openBlock(ctx context.Context, program string, s *Stream, archive string) (io.ReadCloser, error) {
	var src io.ReadCloser
	var err error
	if program != "" {
		src, err = startProgram(ctx, program, archive, s.Members)
	} else {
		src, err = openBuiltIn(s.File, s.Members)
	}
	if err != nil {
		return nil, err
	}
	return &scaledReader{ReadCloser: src, stream: s}, nil
}

// An archive is an open .7z file.
type archive struct {
	*sevenzip.Reader
	io.Closer
}

func openArchive(f File) (*archive, error) {
	file, err := os.Open(f.Path)
	if err != nil {
		return nil, inputError(context.Background(), f.Name, err)
	}
	r, err := sevenzip.NewReader(file, f.Size)
	if err != nil {
		err = schema.Faultf(schema.FaultInput, damaged, "read the list of archive %s: %w", f.Name, err)
		return nil, errors.Join(err, file.Close())
	}
	return &archive{r, file}, nil
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

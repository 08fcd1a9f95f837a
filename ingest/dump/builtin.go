package dump

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/bodgit/sevenzip"

	"s2g/schema"
)

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

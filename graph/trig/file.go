package trig

import (
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// OpenText opens the text of a stored file. The endings of the file's name decide the
// compression (.gz, .zst, or none) and the format (.nq, else TriG). The caller closes
// the text; OpenText does not close r.
func OpenText(r io.Reader, name string) (text io.ReadCloser, format Format, err error) {
	plain, gz := strings.CutSuffix(name, ".gz")
	plain, zst := strings.CutSuffix(plain, ".zst")
	if strings.HasSuffix(plain, ".nq") {
		format = NQuads
	}
	switch {
	case gz:
		z, err := gzip.NewReader(r)
		if err != nil {
			return nil, format, err
		}
		return z, format, nil
	case zst:
		z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, format, err
		}
		return z.IOReadCloser(), format, nil
	}
	return io.NopCloser(r), format, nil
}

package shard

import (
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strconv"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

// Format is the version of the files of vectors/ and parents/. It is part of the key of a
// build, so that files of another version are made again.
const Format = 5

// The names of the files, relative to OUT.
const (
	ModelName     = "model.bin" // the builtin dense embedder
	oldModelName  = "vectors/model.bin"
	parentsFolder = "parents/"
	shardsFolder  = "vectors/"
)

// IsModel reports whether a file of a build is the builtin dense embedder. Builds of earlier
// versions have it in vectors/.
func IsModel(name string) bool { return name == ModelName || name == oldModelName }

// ModelPath returns the path of the builtin dense embedder in a folder of a build.
func ModelPath(out string) string {
	path := filepath.Join(out, ModelName)
	if _, err := os.Stat(path); err != nil {
		old := filepath.Join(out, filepath.FromSlash(oldModelName))
		if _, err := os.Stat(old); err == nil {
			return old
		}
	}
	return path
}

// Name returns the name of a part of a language's shards: vectors/SLUG/part-00007.parquet.
func Name(slug string, part int) string { return shardsFolder + slug + "/" + partName(part) }

// ParentsName returns the name of a part of the whole texts: parents/part-00007.parquet.
func ParentsName(part int) string { return parentsFolder + partName(part) }

func partName(part int) string { return fmt.Sprintf("part-%05d.parquet", part) }

const (
	writeBuffer  = 128 << 10
	rowGroupRows = 16384 // at most; a reader needs memory for a row group
)

// Encoding holds the options of Parquet writers and a pool of compressors, of many megabytes
// each. So a run uses one Encoding for all files. It is safe for concurrent use.
type Encoding struct{ options []parquet.WriterOption }

// NewEncoding returns an encoding with a pool of its own.
func NewEncoding() *Encoding {
	options := []parquet.WriterOption{
		// The format, not the version of s2g: the bytes change only with the format.
		parquet.CreatedBy("s2g", strconv.Itoa(Format), "vectors"),
		// Most of a point is its vector, which hardly compresses at any level.
		parquet.Compression(&zstd.Codec{Level: zstd.SpeedFastest}),
		parquet.MaxRowsPerRowGroup(rowGroupRows),
		parquet.WriteBufferSize(writeBuffer),
	}
	// No query selects a range of texts or weights, and the bounds of a text are as long as a text.
	for _, path := range [][]string{
		{"text"}, {"title"}, {"content_hash"},
		{"dense", "list", "element"}, {"sparse_indices", "list", "element"}, {"sparse_values", "list", "element"},
	} {
		options = append(options, parquet.SkipPageBounds(path...))
	}
	return &Encoding{options}
}

// Write writes a Parquet file of points or parents. The bytes depend on the rows alone.
func Write[T Point | Parent](out io.Writer, e *Encoding, rows iter.Seq[T]) error {
	w := NewWriter[T](out, e)
	for row := range rows {
		if err := w.Write(row); err != nil {
			return err
		}
	}
	return w.Close()
}

// Writer writes a Parquet file of points or parents, as [Write] does, row by row.
//
// Each file has a writer of its own: after parquet-go's Reset (v0.32.0) the columns have
// lost their paths, and the footer of a second file lacks them. Rows are written one by
// one, because of a fault in parquet-go's writeRowsFuncOfOptional: it writes several rows in
// groups of 64, and after n rows without a value and n rows with one it takes the rest of
// the group to have a value. Zero values become values there instead of NULL.
type Writer[T Point | Parent] struct {
	w   *parquet.GenericWriter[T]
	row []T
}

// NewWriter returns a writer of a file.
func NewWriter[T Point | Parent](out io.Writer, e *Encoding) *Writer[T] {
	return &Writer[T]{parquet.NewGenericWriter[T](out, e.options...), make([]T, 1)}
}

// Write writes a row. It keeps nothing of it.
func (w *Writer[T]) Write(row T) error {
	w.row[0] = row
	_, err := w.w.Write(w.row)
	return err
}

// Close writes the rest of the file.
func (w *Writer[T]) Close() error { return w.w.Close() }

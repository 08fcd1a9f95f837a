package vectors

import (
	"io"
	"iter"
	"strconv"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

const (
	writeBuffer  = 128 << 10
	rowGroupRows = 16384 // at most; a reader needs memory for a row group
)

// writeParquet writes a Parquet file of T, whose struct tags are the schema. The
// bytes depend on the rows alone.
//
// Each file has a writer of its own: parquet-go's Reset (v0.32.0) loses the
// columns' paths, so that the footer of a second file would not have them. Rows are
// given to it one by one: of several together it takes some zero values of an
// optional column for values, not for NULL. Where a value follows n rows without
// one and is followed, after n rows with one, by none, writeRowsFuncOfOptional
// takes the rest of 64 rows to have one.
func writeParquet[T any](out io.Writer, rows iter.Seq[T], options []parquet.WriterOption) error {
	w := parquet.NewGenericWriter[T](out, options...)
	one := make([]T, 1)
	for one[0] = range rows {
		if _, err := w.Write(one); err != nil {
			return err
		}
	}
	return w.Close()
}

// writerOptions are made once a run, because compressors, of many megabytes each,
// are pooled in them.
func writerOptions() []parquet.WriterOption {
	options := []parquet.WriterOption{
		// Not the version of s2g: the bytes are to change with the format alone.
		parquet.CreatedBy("s2g", strconv.Itoa(format), "vectors"),
		// Most of a point is its vector, which hardly compresses at any level.
		parquet.Compression(&zstd.Codec{Level: zstd.SpeedFastest}),
		parquet.MaxRowsPerRowGroup(rowGroupRows),
		parquet.WriteBufferSize(writeBuffer),
	}
	// Nobody looks for a range of texts or weights, and a text's bounds are as long as a text.
	for _, path := range [][]string{
		{"text"}, {"title"}, {"content_hash"},
		{"dense", "list", "element"}, {"sparse_indices", "list", "element"}, {"sparse_values", "list", "element"},
	} {
		options = append(options, parquet.SkipPageBounds(path...))
	}
	return options
}

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
	writeRows    = 64    // rows handed to the writer together
)

// writeParquet writes a Parquet file of T, whose struct tags are the schema. The
// bytes depend on the rows alone.
//
// Each file has a writer of its own: parquet-go's Reset (v0.32.0) loses the
// columns' paths, so that the footer of a second file would not have them.
func writeParquet[T any](out io.Writer, rows iter.Seq[T], options []parquet.WriterOption) error {
	w := parquet.NewGenericWriter[T](out, options...)
	batch := make([]T, 0, writeRows)
	for row := range rows {
		if batch = append(batch, row); len(batch) == cap(batch) {
			if _, err := w.Write(batch); err != nil {
				return err
			}
			batch = batch[:0]
		}
	}
	if _, err := w.Write(batch); err != nil {
		return err
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

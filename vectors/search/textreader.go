package search

import (
	"errors"

	"s2g/vectors/shard"
)

// textReader reads the texts of points. It keeps shards open, because opening one takes
// longer than reading some rows.
type textReader struct {
	files   []shardFile
	readers map[int]*shard.Reader // by the number of the file
}

// open returns the reader of a file at a row.
func (t *textReader) open(file int, row int64) (*shard.Reader, error) {
	r := t.readers[file]
	if r == nil {
		if len(t.readers) == mostOpen {
			if err := t.Close(); err != nil {
				return nil, err
			}
		}
		if t.readers == nil {
			t.readers = map[int]*shard.Reader{}
		}
		var err error
		if r, err = shard.Open(t.files[file].path, "text"); err != nil {
			return nil, err
		}
		t.readers[file] = r
	}
	return r, r.SeekRow(row)
}

// Close closes all files.
func (t *textReader) Close() (err error) {
	for _, r := range t.readers {
		err = errors.Join(err, r.Close())
	}
	clear(t.readers)
	return err
}

package plan

import (
	"path/filepath"
	"strings"
)

// What each output takes, in parts of the dump as XML in UTF-8. Tables: rows,
// indexes and what InnoDB leaves free. Graph and vectors: of a site whose
// questions nearly all have a selected language, which is the worst case.
const (
	tablesShare    = 1.5
	redoLog        = 256 << 20 // of the private server, whatever the dump's size
	sortShare      = 1.0       // of Posts alone, where they are not in order of their ids
	modelSize      = 64 << 20
	reserve        = 64 << 20
	serverOverhead = 512 << 20 // of mariadbd beside its buffer pool
	sentShare      = 0.6       // at least, of XML: what ingest sends to the server
)

// graphShare is the graph's size by --compress and --materialize.
func graphShare(compress string, materialize bool) float64 {
	switch {
	case compress == "none" && materialize:
		return 3.0
	case compress == "none":
		return 1.2
	case materialize:
		return 0.6
	}
	return 0.4
}

// vectorsText is what shards and parents take beside dense vectors, by --units.
func vectorsText(answers bool) float64 {
	if answers {
		return 0.45
	}
	return 0.2
}

// chunksPerPost is how many chunks there are in all languages, for each post of
// the dump, by --units.
func chunksPerPost(answers bool) float64 {
	if answers {
		return 1.5
	}
	return 0.6
}

// BuiltinDimensions is the length of the built-in embedder's vectors.
const BuiltinDimensions = 256

// unknownDimensions is taken for that of an endpoint, which is not known before it
// is asked: the largest models in use have so many.
const unknownDimensions = 4096

// expansion is how many bytes of XML a compressed byte mostly is.
func expansion(name string) int64 {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".xml":
		return 1
	case ".gz":
		return 5
	case ".zst":
		return 6
	}
	return 7 // .bz2, .xz, .7z
}

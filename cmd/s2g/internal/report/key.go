package report

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"s2g/schema"
	"s2g/schema/manifest"
)

// keyName is the name of the page's meta element that holds the key.
const keyName = "s2g-build"

// head is how far into the page its key stands at most, in bytes.
const head = 4096

// Key names what a report is made from: the stages' keys and ends, the options,
// the tool and the page's own format.
func Key(o Options) (string, error) {
	parts := []any{format, o.Manifest.Tool, o.Manifest.Dump, o.Site, o.Languages, o.Other}
	for _, name := range []string{manifest.Ingest, manifest.Graph, manifest.Vectors} {
		if s := o.Manifest.Stages[name]; s != nil {
			parts = append(parts, name, s.Key, s.Finished)
		}
	}
	return manifest.Key(parts...)
}

// Fresh reports whether the report in OUT is that of the build. A file of that
// name that is no report is a usage fault.
func Fresh(o Options) (bool, error) {
	key, err := Key(o)
	if err != nil {
		return false, err
	}
	f, err := os.Open(filepath.Join(o.Out, FileName))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("reading the report of an earlier run: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, head))
	if err != nil {
		return false, fmt.Errorf("reading the report of an earlier run: %w", err)
	}
	_, after, ours := bytes.Cut(text, []byte(`<meta name="`+keyName+`" content="`))
	if !ours {
		return false, schema.Faultf(schema.FaultUsage, "give the build a folder of its own, or move the file", "%s is a report.html that s2g has not written", f.Name())
	}
	return bytes.HasPrefix(after, []byte(key+`"`)), nil
}

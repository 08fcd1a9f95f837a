package graphdb

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"s2g/graph/rdf4j"
	"s2g/schema"
	"s2g/schema/manifest"
)

// importChunk limits the files in GraphDB's queue. GraphDB imports one after the other,
// and a restart loses the queue.
const importChunk = 16

// pollEvery is the time between two requests for the state of an import.
const pollEvery = time.Second

// importAll loads files through GraphDB's import folder, chunk by chunk.
func (l *loader) importAll(ctx context.Context, files []manifest.File) error {
	if _, err := os.Stat(l.ImportDir); err != nil {
		return schema.Faultf(schema.FaultUsage, "it takes GraphDB's graphdb.workbench.importDirectory, as this machine sees it", "option import-dir: %w", err)
	}
	for chunk := range slices.Chunk(files, importChunk) {
		err := l.withRetries(ctx, "importing "+nameRange(chunk), func(ctx context.Context) error { return l.importFiles(ctx, chunk) })
		if rdf4j.IsStatus(err, http.StatusNotFound) {
			return schema.Faultf(schema.FaultUsage, "leave option import-dir out", "the server imports no files of its own: %w", err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// importFiles imports the files without a mark, and waits until it has marked them. It
// places them in a new folder of the import folder: GraphDB keeps states by file name,
// and those of an earlier import must not count.
func (l *loader) importFiles(ctx context.Context, files []manifest.File) (err error) {
	files, err = l.unmarked(ctx, files)
	if err != nil || len(files) == 0 {
		return err
	}
	folder := fmt.Sprintf("s2g-%s-%08x", l.repository.ID(), rand.Uint32())
	defer func() { err = errors.Join(err, os.RemoveAll(filepath.Join(l.ImportDir, folder))) }()
	queued := map[string]manifest.File{} // by name in the import folder
	var names []string
	for _, f := range files {
		name, err := l.place(f, folder)
		if err != nil {
			return err
		}
		queued[name] = f
		names = append(names, name)
	}
	if err := l.repository.Import(ctx, names); err != nil {
		return err
	}
	for len(queued) > 0 {
		select {
		case <-time.After(cmp.Or(l.pollEvery, pollEvery)):
		case <-ctx.Done():
			return ctx.Err()
		}
		if err := l.markImported(ctx, queued); err != nil {
			return err
		}
	}
	return nil
}

// markImported marks the files that GraphDB reports as done, and removes them
// from queued.
func (l *loader) markImported(ctx context.Context, queued map[string]manifest.File) error {
	states, err := l.repository.ServerFiles(ctx)
	if err != nil {
		return err
	}
	var done []manifest.File
	for _, s := range states {
		f, ours := queued[s.Name]
		switch {
		case !ours:
		case s.Status == rdf4j.ImportDone:
			done = append(done, f)
			delete(queued, s.Name)
		case s.Status == rdf4j.ImportError:
			return unreadable(f, errors.New("GraphDB reports: "+s.Message))
		case s.Status == rdf4j.ImportNone:
			return fmt.Errorf("importing %s: %w", f.Name, errImportLost)
		}
	}
	if len(done) == 0 {
		return nil
	}
	err = l.inTransaction(ctx, func(tx *rdf4j.Transaction) error {
		return tx.Add(ctx, rdf4j.Data{Media: rdf4j.Turtle, Graph: LoadGraph(l.build.Site), Body: l.build.marks(done)})
	})
	if err != nil {
		return err
	}
	l.reportLoaded(rows(done))
	return nil
}

// place puts a file into a folder of the import folder, as a hard link where
// possible, and returns its name relative to the import folder.
func (l *loader) place(f manifest.File, folder string) (string, error) {
	if _, err := l.build.read(f); err != nil { // compares the SHA-256
		return "", err
	}
	base, recoded := strings.CutSuffix(path.Base(f.Name), ".zst")
	if recoded {
		base += ".gz"
	}
	at := filepath.Join(l.ImportDir, folder, base)
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		return "", fmt.Errorf("placing %s in the import folder: %w", f.Name, err)
	}
	if !recoded && os.Link(l.build.path(f), at) == nil {
		return path.Join(folder, base), nil
	}
	d, err := l.build.data(f)
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(at, d.Body, 0o644); err != nil {
		return "", fmt.Errorf("placing %s in the import folder: %w", f.Name, err)
	}
	return path.Join(folder, base), nil
}

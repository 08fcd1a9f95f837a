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

// importChunk is how many files GraphDB has queued at a time: it imports them
// one after the other, and what it has not begun is not lost with it.
const importChunk = 16

// pollEvery is the time between two looks at an import.
const pollEvery = time.Second

// importAll has GraphDB read the files itself. They are put into a folder of
// their own in its import folder, so that what it says of them is of this load.
// A file gets its mark when GraphDB says that it is done.
func (l *loader) importAll(ctx context.Context, files []manifest.File) (err error) {
	if _, err := os.Stat(l.ImportDir); err != nil {
		return schema.Faultf(schema.FaultUsage, "it is GraphDB's graphdb.workbench.importDirectory, as this machine sees it", "--import-dir: %w", err)
	}
	for chunk := range slices.Chunk(files, importChunk) {
		err := l.patience.do(ctx, "importing "+described(chunk), func() error { return l.importFiles(ctx, chunk) })
		if rdf4j.IsStatus(err, http.StatusNotFound) {
			return schema.Faultf(schema.FaultUsage, "leave --import-dir out", "the server imports no files of its own: %w", err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (l *loader) importFiles(ctx context.Context, files []manifest.File) (err error) {
	files, err = l.lacking(ctx, files)
	if err != nil || len(files) == 0 {
		return err
	}
	folder := fmt.Sprintf("s2g-%s-%08x", l.repository.ID(), rand.Uint32())
	defer func() { err = errors.Join(err, os.RemoveAll(filepath.Join(l.ImportDir, folder))) }()
	byName := map[string]manifest.File{}
	var names []string
	for _, f := range files {
		name, err := l.place(f, folder)
		if err != nil {
			return err
		}
		byName[name] = f
		names = append(names, name)
	}
	if err := l.repository.Import(ctx, names); err != nil {
		return err
	}
	for len(byName) > 0 {
		select {
		case <-time.After(cmp.Or(l.pollEvery, pollEvery)):
		case <-ctx.Done():
			return ctx.Err()
		}
		if err := l.poll(ctx, byName); err != nil {
			return err
		}
	}
	return nil
}

// poll marks the files that are done, and takes them off the list.
func (l *loader) poll(ctx context.Context, byName map[string]manifest.File) error {
	states, err := l.repository.ServerFiles(ctx)
	if err != nil {
		return err
	}
	var done []manifest.File
	for _, s := range states {
		f, ours := byName[s.Name]
		switch {
		case !ours:
		case s.Status == rdf4j.ImportDone:
			done = append(done, f)
			delete(byName, s.Name)
		case s.Status == rdf4j.ImportError:
			return unreadable(f, errors.New("GraphDB says: "+s.Message))
		case s.Status == rdf4j.ImportNone: // it has forgotten: it was started anew
			return fmt.Errorf("importing %s: %w", f.Name, errAgain)
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
	l.report(rows(done))
	return nil
}

// place puts a file where GraphDB finds it, as a link where that can be, and
// returns its name there.
func (l *loader) place(f manifest.File, folder string) (string, error) {
	if _, err := l.build.read(f); err != nil { // it is what the manifest names
		return "", err
	}
	base, recoded := strings.CutSuffix(path.Base(f.Name), ".zst")
	if recoded {
		base += ".gz"
	}
	at := filepath.Join(l.ImportDir, folder, base)
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		return "", fmt.Errorf("putting %s into the import folder: %w", f.Name, err)
	}
	if !recoded && os.Link(l.build.path(f), at) == nil {
		return path.Join(folder, base), nil
	}
	d, err := l.build.data(f)
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(at, d.Body, 0o644); err != nil {
		return "", fmt.Errorf("putting %s into the import folder: %w", f.Name, err)
	}
	return path.Join(folder, base), nil
}

package ingest

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"s2g/ingest/dump"
	"s2g/schema"
)

// BenchmarkIngest ingests a dump, and beside it has the server load TSV files
// that were made before: the time below which no ingest can be.
func BenchmarkIngest(b *testing.B) {
	folder := b.TempDir()
	rows := map[string]int{"Posts": 30_000, "Votes": 150_000}
	var size int64
	for _, t := range schema.Tables() {
		doc := document(t.Name, rows[t.Name])
		size += int64(len(doc))
		if err := os.WriteFile(filepath.Join(folder, t.Name+".xml"), doc, 0o600); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, t.Name+".tsv"), tsvOf(b, t, doc), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	g := newTarget(b)
	b.Run("ingest", func(b *testing.B) {
		b.SetBytes(size)
		for b.Loop() {
			if err := g.run(Options{Dump: folder}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("LOAD DATA", func(b *testing.B) {
		b.SetBytes(size)
		for b.Loop() {
			if err := g.loadFiles(folder, false); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("LOAD DATA and indexes", func(b *testing.B) {
		b.SetBytes(size)
		for b.Loop() {
			if err := g.loadFiles(folder, true); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// tsvOf converts a document.
func tsvOf(b *testing.B, t schema.Table, doc []byte) []byte {
	c := newConverter(t, t.Name+".xml")
	s := dump.NewScanner(bytes.NewReader(doc), dump.Config{Root: strings.ToLower(t.Name), Columns: c.attributes()})
	out := &batch{}
	out.reset()
	for s.Scan() {
		c.add(out, s.Record())
	}
	if s.Err() != nil {
		b.Fatal(s.Err())
	}
	return out.tsv
}

// loadFiles has the server load a folder's TSV files side by side.
func (g target) loadFiles(folder string, indexes bool) error {
	group, ctx := errgroup.WithContext(context.Background())
	for _, t := range schema.Tables() {
		group.Go(func() error {
			if err := g.db.Stage(ctx, t); err != nil {
				return err
			}
			f, err := os.Open(filepath.Join(folder, t.Name+".tsv"))
			if err != nil {
				return err
			}
			defer f.Close()
			if _, err := g.db.Load(ctx, t, f); err != nil || !indexes {
				return err
			}
			return g.db.Index(ctx, t)
		})
	}
	return group.Wait()
}

package ingest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"s2g/ingest/dump"
	"s2g/schema"
	"s2g/schema/manifest"
)

// format is counted up when ingest makes other rows of the same dump.
const format = 2

// A Plan is what an ingest would read.
type Plan struct {
	Dump *dump.Dump
	Key  string // hash of all that the tables depend on

	form string            // hash of what turns the dump's bytes into tables
	sums map[string]string // Options.TableHashes
}

// NewPlan finds the dump. Its key tells a dump from another by names, sizes and
// times of its files: where manifest.Fresh(manifest.Ingest, Key) holds, there is
// nothing to do.
func NewPlan(o Options) (*Plan, error) {
	d, err := dump.Find(o.Dump, dump.Options{Site: o.DumpSite, Without: o.Without, Tmp: o.tmp})
	if err != nil {
		return nil, err
	}
	type file struct {
		Name string
		Size int64
		Time time.Time
	}
	var files []file
	for _, f := range d.Files {
		files = append(files, file{f.Name, f.Size, f.ModTime.UTC()})
	}
	// The tables that are read, the others being those of --without; and by what
	// name: an archive of several sites has a Posts of each.
	var members [][2]string
	for _, s := range d.Streams {
		for _, m := range s.Members {
			members = append(members, [2]string{m.Table, m.Name})
		}
	}
	form, err := manifest.Key(format, schema.DDL)
	if err != nil {
		return nil, err
	}
	of := []any{format, schema.DDL, d.Site, files, members}
	if o.TableHashes != nil {
		of = []any{format, schema.DDL, d.Site, o.TableHashes}
	}
	key, err := manifest.Key(of...)
	if err != nil {
		return nil, err
	}
	return &Plan{Dump: d, Key: key, form: form, sums: o.TableHashes}, nil
}

// Size returns the compressed bytes that will be read.
func (p *Plan) Size() int64 {
	var n int64
	for _, s := range p.Dump.Streams {
		n += s.Size
	}
	return n
}

// TableHashes reads all tables of the dump, and returns the SHA-256 of each one's bytes, in
// hexadecimal, by name. It loads nothing. They are for Options.TableHashes. Archives that stand
// in archives are spooled in the folder tmp, "" being the system's.
func TableHashes(ctx context.Context, tmp string, o Options) (map[string]string, error) {
	o.tmp, o.TableHashes = tmp, nil
	plan, err := NewPlan(o)
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex
	sums := map[string]string{}
	g, ctx := errgroup.WithContext(ctx)
	for _, s := range plan.Dump.Streams {
		g.Go(func() error {
			return eachSum(ctx, s, func(table, sum string) {
				mu.Lock()
				defer mu.Unlock()
				sums[table] = sum
			})
		})
	}
	return sums, g.Wait()
}

func eachSum(ctx context.Context, s *dump.Stream, tell func(table, sum string)) error {
	r, err := s.Open(ctx)
	if err != nil {
		return err
	}
	defer r.Close()
	for range s.Members {
		m, err := r.Next()
		if err != nil {
			return err
		}
		sum := sha256.New()
		if _, err := io.Copy(sum, r); err != nil {
			return fmt.Errorf("reading %s: %w", m.Name, err)
		}
		tell(m.Table, hex.EncodeToString(sum.Sum(nil)))
	}
	return nil
}

// Made reports whether a build's tables were made of the same bytes by the same
// rules, whatever the names and times of the files. It knows of plans with sums.
func (p *Plan) SameTables(of manifest.Dump) bool {
	sums := map[string]string{}
	for name, t := range of.Tables {
		sums[name] = t.SHA256
	}
	return p.sums != nil && of.Form == p.form && of.Site == p.Dump.Site && maps.Equal(sums, p.sums)
}

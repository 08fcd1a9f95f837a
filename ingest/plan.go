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

// format is part of each key. It is raised when ingest produces other rows from
// the same dump.
const format = 2

// A Plan is what an ingest would read.
type Plan struct {
	Dump *dump.Dump
	Key  string // hash of all that the tables depend on

	form   string            // hash of what turns the dump's bytes into tables
	hashes map[string]string // Options.TableHashes
}

// NewPlan finds the dump and reads no table. Where manifest.Manifest.Fresh holds
// for the plan's key, the tables of the dump are in service.
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
	// The tables to read and their names in the dump: option without and, where an
	// archive holds several sites, the site change them.
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
	inputs := []any{format, schema.DDL, d.Site, files, members}
	if o.TableHashes != nil {
		inputs = []any{format, schema.DDL, d.Site, o.TableHashes}
	}
	key, err := manifest.Key(inputs...)
	if err != nil {
		return nil, err
	}
	return &Plan{Dump: d, Key: key, form: form, hashes: o.TableHashes}, nil
}

// SameTables reports whether the tables of build hold the same bytes of a dump,
// converted by the same rules, whatever the names and times of the files. It is
// false for a plan without table hashes.
func (p *Plan) SameTables(build manifest.Dump) bool {
	hashes := map[string]string{}
	for name, t := range build.Tables {
		hashes[name] = t.SHA256
	}
	return p.hashes != nil && build.Form == p.form && build.Site == p.Dump.Site && maps.Equal(hashes, p.hashes)
}

// TableHashes reads all tables of the dump and returns the SHA-256 of each one's
// decoded bytes, in hexadecimal, by table. It loads nothing. Archives inside
// archives are spooled in the folder tmp; "" is the system's.
func TableHashes(ctx context.Context, tmp string, o Options) (map[string]string, error) {
	o.tmp, o.TableHashes = tmp, nil
	plan, err := NewPlan(o)
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex
	hashes := map[string]string{}
	g, ctx := errgroup.WithContext(ctx)
	for _, s := range plan.Dump.Streams {
		g.Go(func() error {
			return s.Each(ctx, func(m dump.Member, r io.Reader) error {
				sum := sha256.New()
				if _, err := io.Copy(sum, r); err != nil {
					return fmt.Errorf("read %s: %w", m.Name, err)
				}
				mu.Lock()
				defer mu.Unlock()
				hashes[m.Table] = hex.EncodeToString(sum.Sum(nil))
				return nil
			})
		})
	}
	return hashes, g.Wait()
}

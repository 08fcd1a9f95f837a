package ingest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"sync"

	"golang.org/x/sync/errgroup"

	"s2g/ingest/dump"
	"s2g/schema/manifest"
)

// Sums reads all tables of the dump, and returns the SHA-256 of each one's bytes, in
// hexadecimal, by name. It loads nothing. They are for Options.Sums. Archives that stand
// in archives are spooled in the folder tmp, "" being the system's.
func Sums(ctx context.Context, tmp string, o Options) (map[string]string, error) {
	o.tmp, o.Sums = tmp, nil
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
func (p *Plan) Made(of manifest.Dump) bool {
	sums := map[string]string{}
	for name, t := range of.Tables {
		sums[name] = t.SHA256
	}
	return p.sums != nil && of.Form == p.form && of.Site == p.Dump.Site && maps.Equal(sums, p.sums)
}

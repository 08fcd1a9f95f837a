package ingest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"

	"golang.org/x/sync/errgroup"

	"s2g/schema/manifest"
)

// SameBytes reads all tables of the dump and reports whether they are, to the byte,
// those that a build was made of, whatever the names and times of the files. It
// loads nothing.
func (p *Plan) SameBytes(ctx context.Context, of manifest.Dump) (bool, error) {
	if of.Form != p.form || of.Site != p.Dump.Site || len(of.Tables) != len(p.Dump.Tables()) {
		return false, nil
	}
	same := make([]bool, len(p.Dump.Streams))
	g, ctx := errgroup.WithContext(ctx)
	for i, s := range p.Dump.Streams {
		g.Go(func() error {
			r, err := s.Open(ctx)
			if err != nil {
				return err
			}
			defer r.Close()
			equal := true
			for range s.Members {
				m, err := r.Next()
				if err != nil {
					return err
				}
				sum := sha256.New()
				if _, err := io.Copy(sum, r); err != nil {
					return fmt.Errorf("reading %s: %w", m.Name, err)
				}
				equal = equal && of.Tables[m.Table].SHA256 == hex.EncodeToString(sum.Sum(nil))
			}
			same[i] = equal
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return false, err
	}
	for _, s := range same {
		if !s {
			return false, nil
		}
	}
	return true, nil
}

package ingest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"s2g/ingest/dump"
	"s2g/schema"
)

// load reads a table from r into its staging table, and checks that all of it
// arrived.
func (in *ingest) load(ctx context.Context, t schema.Table, m dump.Member, r io.Reader) (*loaded, error) {
	in.o.Log.Info("loading", "table", t.Name, "from", m.Name)
	source := &hashingReader{r: r, sum: sha256.New()}
	l := &loaded{Member: m.Name}
	g, ctx := errgroup.WithContext(ctx)
	to := newFeed(ctx, 2*in.o.Workers+2)
	g.Go(func() error {
		if err := in.convert(ctx, t, m, source, to, l); err != nil {
			return err
		}
		if err := in.o.judge(m.Name, &l.Tally); err != nil {
			return err
		}
		to.finish() // only now may the server take what it has for the table
		return nil
	})
	g.Go(func() error {
		got, err := in.db.Load(ctx, t, to)
		if err != nil {
			return err
		}
		if got.Affected != l.Rows || got.Count != l.Rows || got.Warnings != 0 {
			return fmt.Errorf("load %s: %d rows were sent, the server says %d are stored, counts %d, and has %d warnings",
				t.Name, l.Rows, got.Affected, got.Count, got.Warnings)
		}
		return nil
	})
	if err := g.Wait(); err != nil {
		return nil, err
	}
	l.Bytes, l.SHA256 = source.n, hex.EncodeToString(source.sum.Sum(nil))
	for _, c := range l.Tally.classes() {
		in.o.Log.Warn("bad rows", "table", t.Name, "class", c, "rows", l.Tally.Counts[c])
	}
	return l, nil
}

// convert sends a table's rows to a feed in the order of their Ids.
func (in *ingest) convert(ctx context.Context, t schema.Table, m dump.Member, r io.Reader, to *feed, l *loaded) error {
	order := newOrderer(in.dir.Tmp(), to, func(id int64) {
		l.Tally.add(reject{Table: t.Name, File: m.Name, Class: DuplicateID, ID: strconv.FormatInt(id, 10)})
		l.Tally.Bad++
	})
	defer order.close()
	config := dump.ScanConfig{Name: m.Name, Root: strings.ToLower(t.Name), Columns: newConverter(t, m.Name).attributes()}
	workers := make(chan *converter, in.o.Workers)
	for range in.o.Workers {
		workers <- newConverter(t, m.Name)
	}
	err := dump.Parallel(ctx, r, config, in.o.Workers, func(s *dump.Scanner) (*batch, error) {
		c := <-workers
		defer func() { workers <- c }()
		b := to.empty()
		for s.Scan() {
			c.add(b, s.Record())
		}
		return b, s.Err()
	}, func(b *batch) error {
		l.Tally.merge(&b.tally)
		l.Newest = max(l.Newest, string(b.newest))
		in.progress(t.Name)
		return order.add(b)
	})
	if err == nil {
		err = order.finish()
	}
	if err != nil {
		return fmt.Errorf("ingest %s: %w", t.Name, err)
	}
	l.Rows, l.Last, l.Sent = order.rows, order.last, order.bytes
	return nil
}

// A hashingReader hashes and counts what is read through it.
type hashingReader struct {
	r   io.Reader
	sum hash.Hash
	n   int64
}

func (h *hashingReader) Read(p []byte) (int, error) {
	n, err := h.r.Read(p)
	h.sum.Write(p[:n])
	h.n += int64(n)
	return n, err
}

package ingest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"s2g/ingest/dump"
	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/projection"
	"s2g/schema/tables"
)

// A loadedTable is the result of loading one table. As JSON it is the table's
// checkpoint in the run's journal, written once the table is loaded and indexed.
type loadedTable struct {
	Member      string        `json:"member"` // name of the document in messages
	File        string        `json:"file"`   // file of the dump that holds it
	Size        int64         `json:"size"`
	Time        time.Time     `json:"time"`
	Bytes       int64         `json:"bytes"`       // of decoded XML
	SHA256      string        `json:"sha_256"`     // of the decoded XML
	Rows        int64         `json:"rows"`        // in the table
	Last        int64         `json:"last"`        // the largest Id
	Sent        int64         `json:"sent"`        // bytes of TSV
	Fingerprint string        `json:"fingerprint"` // of the rows in the table; see [tables.Fingerprint]
	Newest      string        `json:"newest"`      // the latest CreationDate, as DATETIME(3)
	Rejects     rejectSummary `json:"tally"`

	posts *projection.Writer // of Posts; nil for other tables
}

// record writes the table's checkpoint.
func (l *loadedTable) record(journal *manifest.Run, t schema.Table) error {
	text, err := json.Marshal(l)
	if err != nil {
		return fmt.Errorf("record that %s is loaded: %w", t.Name, err)
	}
	return journal.Note(t.Name, l.Rows, string(text))
}

// loadTable loads the document r of a table into its staging table, and compares
// the rows that were sent with those that the server reports as stored.
func (in *ingestRun) loadTable(ctx context.Context, t schema.Table, m dump.Member, r io.Reader) (*loadedTable, error) {
	in.o.Log.Info("loading", "table", t.Name, "from", m.Name)
	source := &hashingReader{r: r, sum: sha256.New()}
	l := &loadedTable{Member: m.Name}
	if t.Name == "Posts" {
		var err error
		if l.posts, err = projection.NewWriter(in.dir.Tmp(), in.plan.Key); err != nil {
			return nil, err
		}
		defer l.posts.Close() // after Commit it has nothing to remove
	}
	g, ctx := errgroup.WithContext(ctx)
	to := newBatchQueue(ctx.Done(), 2*in.o.Workers+1+in.o.Connections)
	g.Go(func() error {
		if err := in.convert(ctx, t, m, source, to, l); err != nil {
			return err
		}
		if err := in.o.checkRejects(m.Name, &l.Rejects); err != nil {
			return err
		}
		to.close() // MariaDB keeps the rows; after an error the statements fail with ctx
		return nil
	})
	loaded := make([]tables.Loaded, in.o.Connections)
	for i := range loaded {
		g.Go(func() (err error) {
			loaded[i], err = in.db.Load(ctx, t, &loadDataReader{queue: to})
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	var sum tables.Loaded
	for _, got := range loaded {
		sum.Affected += got.Affected
		sum.Warnings += got.Warnings
	}
	if sum.Affected != l.Rows || sum.Warnings != 0 {
		return nil, fmt.Errorf("load %s: %d rows were sent, MariaDB reports %d stored and %d warnings", t.Name, l.Rows, sum.Affected, sum.Warnings)
	}
	l.Bytes, l.SHA256 = source.n, hex.EncodeToString(source.sum.Sum(nil))
	if want := in.o.TableHashes[t.Name]; want != "" && want != l.SHA256 {
		return nil, schema.Faultf(schema.FaultService, "wait until nothing writes to the dump, and run again",
			"%s changed after it was read to identify the dump: its SHA-256 was %s and is %s", m.Name, want, l.SHA256)
	}
	if l.posts != nil {
		if err := l.posts.Commit(in.dir.Private()); err != nil {
			return nil, err
		}
	}
	for _, c := range l.Rejects.classes() {
		in.o.Log.Warn("bad rows", "table", t.Name, "class", c, "rows", l.Rejects.Counts[c])
	}
	return l, nil
}

// index adds the indexes to a loaded table. Then it counts the rows, because a
// count before would read the whole table.
func (in *ingestRun) index(ctx context.Context, t schema.Table, l *loadedTable) error {
	in.o.Log.Info("indexing", "table", t.Name)
	if err := in.db.Index(ctx, t); err != nil {
		return err
	}
	rows, err := in.db.Count(ctx, t)
	if err == nil && rows != l.Rows {
		err = fmt.Errorf("load %s: %d rows were sent and reported as stored, MariaDB counts %d", t.Name, l.Rows, rows)
	}
	return err
}

// convert sends the rows of a document as TSV in the order of their Ids, and
// counts them in l.
func (in *ingestRun) convert(ctx context.Context, t schema.Table, m dump.Member, r io.Reader, to *batchQueue, l *loadedTable) error {
	order := newIDOrderer(in.dir.Tmp(), to, func(id int64) {
		l.Rejects.count(Reject{Table: t.Name, File: m.Name, Class: duplicateID, ID: strconv.FormatInt(id, 10)})
		l.Rejects.Bad++
	})
	defer order.close()
	if l.posts != nil {
		var parser projection.LineParser
		order.sent = func(line []byte) error { return l.posts.Add(parser.Parse(line)) }
	}
	idle := make(chan *converter, in.o.Workers)
	for range in.o.Workers {
		idle <- newConverter(t, m.Name)
	}
	err := dump.Parallel(ctx, r, scanConfig(t, m.Name), in.o.Workers, func(s *dump.Scanner) (*rowBatch, error) {
		c := <-idle
		defer func() { idle <- c }()
		b := to.newBatch()
		for s.Scan() {
			c.appendRow(b, s.Record())
		}
		return b, s.Err()
	}, func(b *rowBatch) error {
		l.Rejects.merge(&b.rejects)
		l.Newest = max(l.Newest, string(b.newest))
		in.reportProgress(t.Name)
		return order.write(b)
	})
	if err == nil {
		err = order.flush()
	}
	if err != nil {
		return fmt.Errorf("ingest %s: %w", t.Name, err)
	}
	l.Rows, l.Last, l.Sent, l.Fingerprint = order.fingerprint.Rows, order.last, order.bytes, order.fingerprint.String()
	return nil
}

// scanConfig describes the document of a table. name is what errors call it.
func scanConfig(t schema.Table, name string) dump.ScanConfig {
	c := dump.ScanConfig{Name: name, Root: strings.ToLower(t.Name)}
	for _, col := range t.Columns {
		c.Columns = append(c.Columns, col.Name)
	}
	return c
}

// A hashingReader hashes and counts the bytes that are read through it.
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

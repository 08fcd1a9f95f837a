package tables

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"

	"github.com/twmb/murmur3"
	"golang.org/x/sync/errgroup"

	"s2g/schema"
)

// Fingerprint identifies the rows of a table, in any order. A load computes it from
// the rows that it sends, and FingerprintOf from the rows that the table holds. It
// detects changes by mistake; it resists no one who computes it, too.
type Fingerprint struct {
	Rows int64
	sum  uint64 // of the murmur3 of all rows
}

// Add adds a row: a line of TSV as Load reads it, without its line feed.
func (f *Fingerprint) Add(line []byte) {
	f.Rows++
	f.sum += murmur3.Sum64(line)
}

// Merge adds the rows of another fingerprint.
func (f *Fingerprint) Merge(other Fingerprint) {
	f.Rows += other.Rows
	f.sum += other.sum
}

// String returns the fingerprint as the number of rows and 16 hexadecimal digits,
// as "4711-00c0ffee00c0ffee".
func (f Fingerprint) String() string { return fmt.Sprintf("%d-%016x", f.Rows, f.sum) }

// rangeRows is the number of rows in a range of ids that one query of
// FingerprintOf reads, where ids have no gaps.
const rangeRows = 1 << 20

// FingerprintOf reads all rows of the table of t in service, by up to workers
// queries side by side; 0 is GOMAXPROCS. progress receives the number of further
// rows that were read, from several goroutines; it may be nil.
func (db *DB) FingerprintOf(ctx context.Context, t schema.Table, workers int, progress func(rows int64)) (Fingerprint, error) {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	var first, last int64
	err := db.EachRow(ctx, "SELECT MIN(Id), MAX(Id) FROM "+quote(t.Name), func(row [][]byte) error {
		first, last = Int(row[0]), Int(row[1])
		return nil
	})
	if err != nil {
		return Fingerprint{}, fmt.Errorf("fingerprint of %s: %w", t.Name, err)
	}
	var columns []string
	for _, c := range t.Columns {
		columns = append(columns, quote(c.Name))
	}
	query := "SELECT " + strings.Join(columns, ", ") + " FROM " + quote(t.Name) + " WHERE Id BETWEEN ? AND ?"

	// Ids may have gaps of any size, so few ranges cover all of them.
	width := max(rangeRows, (last-first)/int64(64*workers)+1)
	var mu sync.Mutex
	var all Fingerprint
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(workers)
	for from := first; ; from += width {
		to := last
		if last-from >= width {
			to = from + width - 1
		}
		g.Go(func() error {
			part, err := db.fingerprintRange(ctx, query, from, to, progress)
			mu.Lock()
			defer mu.Unlock()
			all.Merge(part)
			return err
		})
		if to == last {
			break
		}
	}
	if err := g.Wait(); err != nil {
		return Fingerprint{}, fmt.Errorf("fingerprint of %s: %w", t.Name, err)
	}
	return all, nil
}

// progressRows is the number of rows after which FingerprintOf reports progress.
const progressRows = 10_000

func (db *DB) fingerprintRange(ctx context.Context, query string, from, to int64, progress func(int64)) (f Fingerprint, err error) {
	var line []byte
	reported := int64(0)
	report := func() {
		if progress != nil && f.Rows > reported {
			progress(f.Rows - reported)
			reported = f.Rows
		}
	}
	err = db.EachRow(ctx, query, func(row [][]byte) error {
		line = AppendRow(line[:0], row)
		f.Add(line)
		if f.Rows-reported == progressRows {
			report()
		}
		return nil
	}, from, to)
	report()
	return f, err
}

// Look compares the tables in service with those that an ingest of the named
// tables leaves: their names, columns and indexes. It reads no row. It returns the
// first difference as a sentence, empty where there is none. Tables that are not of
// the schema do not count.
func (db *DB) Look(ctx context.Context, names []string) (difference string, err error) {
	existing, err := db.TableNames(ctx)
	if err != nil {
		return "", err
	}
	wanted := make(map[string]bool)
	for _, name := range names {
		wanted[name] = true
	}
	for _, t := range schema.Tables() {
		switch {
		case wanted[t.Name] && !existing[t.Name]:
			return fmt.Sprintf("the table %s is missing", t.Name), nil
		case !wanted[t.Name] && existing[t.Name]:
			return fmt.Sprintf("the table %s exists, which the ingest left out", t.Name), nil
		case !wanted[t.Name]:
			continue
		}
		same, err := db.hasForm(ctx, t)
		if err != nil {
			return "", fmt.Errorf("reading the columns of %s: %w", t.Name, err)
		}
		if !same {
			return fmt.Sprintf("the table %s has other columns or indexes than an ingest creates", t.Name), nil
		}
	}
	return "", nil
}

// hasForm reports whether a table in service has the columns and indexes of the
// schema.
func (db *DB) hasForm(ctx context.Context, t schema.Table) (bool, error) {
	var have, want []string
	err := db.EachRow(ctx, "SELECT column_name FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = ? ORDER BY ordinal_position",
		func(row [][]byte) error {
			have = append(have, string(row[0]))
			return nil
		}, t.Name)
	if err != nil {
		return false, err
	}
	for _, c := range t.Columns {
		want = append(want, c.Name)
	}
	if strings.Join(have, ",") != strings.Join(want, ",") {
		return false, nil
	}
	_, indexes := schema.TableDDL(t, t.Name)
	found := -1
	err = db.EachRow(ctx, "SELECT COUNT(DISTINCT index_name) FROM information_schema.statistics WHERE table_schema = DATABASE() AND table_name = ?",
		func(row [][]byte) error {
			found = int(Int(row[0]))
			return nil
		}, t.Name)
	return found == len(indexes)+1, err
}

// Compare compares the tables in service with the fingerprints that a load
// computed, by table. It returns the number of rows that it read, and the first
// difference as a sentence, empty where there is none. It looks at the tables'
// names and columns first. progress is as in FingerprintOf.
func (db *DB) Compare(ctx context.Context, fingerprints map[string]string, workers int, progress func(rows int64)) (rows int64, difference string, err error) {
	var names []string
	for name := range fingerprints {
		names = append(names, name)
	}
	if difference, err = db.Look(ctx, names); err != nil || difference != "" {
		return 0, difference, err
	}
	for _, t := range schema.Tables() {
		want, ok := fingerprints[t.Name]
		if !ok {
			continue
		}
		got, err := db.FingerprintOf(ctx, t, workers, progress)
		if err != nil {
			return rows, "", err
		}
		rows += got.Rows
		if got.String() != want {
			return rows, DescribeDifference(t.Name, got, want), nil
		}
	}
	return rows, "", nil
}

// DescribeDifference describes how the fingerprint of a table differs from the one
// that an ingest left.
func DescribeDifference(table string, got Fingerprint, want string) string {
	count, _, _ := strings.Cut(want, "-")
	if n := fmt.Sprint(got.Rows); n != count {
		return fmt.Sprintf("the table %s has %s rows, the ingest left %s", table, n, count)
	}
	return fmt.Sprintf("a row of the table %s has changed since the ingest: its fingerprint is %s, not %s", table, got, want)
}

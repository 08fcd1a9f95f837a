package postscan

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"s2g/schema"
	"s2g/schema/schematest"
	"s2g/schema/tables"
	"s2g/schema/tables/tablestest"
)

var server tablestest.Server

func TestMain(m *testing.M) { server.Main(m) }

var loaded sync.Once

// load puts posts in service, once: in dense blocks and far from each other, with bodies
// of all sizes, some of them larger than a piece, and columns without a value.
func load(t *testing.T) *tables.DB {
	t.Helper()
	db := server.Open(t)
	loaded.Do(func() { loadPosts(t, db) })
	return db
}

func loadPosts(t *testing.T, db *tables.DB) {
	t.Helper()
	var tsv strings.Builder
	write := func(id, kind int64, parent, body string) {
		values := map[string]string{"Id": fmt.Sprint(id), "PostTypeId": fmt.Sprint(kind), "ParentId": parent, "Body": body,
			"CreationDate": "2015-03-01 10:00:00.000", "Title": "title " + fmt.Sprint(id), "Tags": "", "Score": fmt.Sprint(id % 7)}
		for i, c := range posts().Columns {
			if i > 0 {
				tsv.WriteByte('\t')
			}
			if v, ok := values[c.Name]; ok {
				tsv.WriteString(v)
			} else {
				tsv.WriteString(`\N`)
			}
		}
		tsv.WriteByte('\n')
	}
	for id := int64(-3); id < 60_000; id += 1 + id&1 {
		size := 100
		if id%5000 == 0 {
			size = pieceBytes + 1000
		}
		kind, parent := schema.PostQuestion, `\N`
		if id%3 == 0 {
			kind, parent = schema.PostAnswer, fmt.Sprint(id-1)
		}
		write(id, kind, parent, strings.Repeat(string(rune('a'+(id+26)%26)), size))
	}
	for _, id := range []int64{1 << 30, 1 << 31, math.MaxInt64 - 5000, math.MaxInt64} {
		write(id, schema.PostQuestion, `\N`, "far")
	}
	if err := db.Stage(t.Context(), posts()); err != nil {
		t.Fatal(err)
	}
	_, err := db.Load(t.Context(), posts(), strings.NewReader(tsv.String()))
	if err := errors.Join(err, db.Index(t.Context(), posts())); err != nil {
		t.Fatal(err)
	}
	if err := db.Swap(t.Context(), "dump", []schema.Table{posts()}); err != nil {
		t.Fatal(err)
	}
}

func posts() schema.Table {
	for _, table := range schema.Tables() {
		if table.Name == "Posts" {
			return table
		}
	}
	panic("no table Posts")
}

// text returns a row as one string.
func text(row [][]byte) string {
	var b strings.Builder
	for _, v := range row {
		if v == nil {
			b.WriteString("NULL,")
		} else {
			fmt.Fprintf(&b, "%q,", v)
		}
	}
	return b.String()
}

// cut returns ascending ranges of about n ids that begin with an id.
func cut(r *rand.Rand, first, n int64) (list [][2]int64) {
	for lo := first; lo < 60_000; {
		hi := lo + 1 + r.Int64N(2*n)
		list = append(list, [2]int64{lo, hi})
		if lo = hi + 1; r.IntN(10) == 0 {
			lo += r.Int64N(3 * n) // a gap that the stage does not read
		}
	}
	last := list[len(list)-1][1] + 1
	return append(list, [2]int64{last, 1 << 30}, [2]int64{1<<30 + 1, math.MaxInt64})
}

// readAll reads ranges on some workers that take them in order. It returns the rows by range.
func readAll(ctx context.Context, s Source, ranges [][2]int64, workers int, slow func()) ([][]string, error) {
	defer s.Close()
	rows := make([][]string, len(ranges))
	group, ctx := errgroup.WithContext(ctx)
	type job struct {
		at int
		Range
	}
	todo := make(chan job)
	s.Begin(ranges[0][0])
	group.Go(func() error {
		defer close(todo)
		for at, r := range ranges {
			select {
			case todo <- job{at, s.Range(r[0], r[1])}:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	for range workers {
		group.Go(func() error {
			for j := range todo {
				err := j.Each(ctx, func(row [][]byte) error {
					slow()
					rows[j.at] = append(rows[j.at], text(row))
					return nil
				})
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	return rows, group.Wait()
}

// Two stages that read other ranges, with other workers and speeds, and begin elsewhere,
// get the rows that queries of their own return, whatever the memory.
func TestSharedHasTheRowsOfTheTable(t *testing.T) {
	schematest.Long(t)
	db := load(t)
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	types := [][]int64{nil, {schema.PostQuestion}}
	for round, size := range []int64{1, pieceBytes, 3 * pieceBytes, SharedBytes} {
		questions := round%2 == 0
		shared, sources := share(t.Context(), db, size, Selection{}, Selection{Types: types[1], Questions: questions})
		var group errgroup.Group
		for i, source := range sources {
			first := []int64{math.MinInt64, -3, 1, 30_000}[r.IntN(4)]
			ranges := cut(r, max(first, -4096), []int64{4096, 20_000}[i])
			ranges[0][0] = first
			workers, slow := 1+r.IntN(3), r.IntN(2) == 0
			group.Go(func() error {
				got, err := readAll(t.Context(), source, ranges, workers, func() {
					if slow {
						runtime.Gosched()
					}
				})
				if err != nil {
					return err
				}
				own := Table{DB: db, Selection: Selection{Types: types[i], Questions: questions}}
				want, err := readAll(t.Context(), own, ranges, 1, func() {})
				if diff := cmp.Diff(want, got); diff != "" {
					err = errors.Join(err, fmt.Errorf("source %d in %d bytes: -want +got\n%s", i, size, diff[:min(len(diff), 2000)]))
				}
				return err
			})
		}
		if err := group.Wait(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		shared.Close()
		if peak := shared.Peak(); peak > size+2*maxQueries*pieceBytes {
			t.Errorf("seed %d: %d bytes of rows in a memory of %d", seed, peak, size)
		}
	}
}

// A stage that ends early no longer holds the other back, and one that never begins does not.
func TestSharedWithAStageThatEnds(t *testing.T) {
	db := load(t)
	ranges := [][2]int64{{math.MinInt64, 20_000}, {20_001, math.MaxInt64}}
	want, err := readAll(t.Context(), Table{DB: db}, ranges, 1, func() {})
	if err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	for name, end := range map[string]func(Source) error{
		"before it begins": func(s Source) error { s.Close(); return broken },
		"without a range":  func(s Source) error { s.Begin(math.MinInt64); s.Close(); return broken },
		"in a range": func(s Source) error {
			defer s.Close()
			s.Begin(math.MinInt64)
			return s.Range(math.MinInt64, math.MaxInt64).Each(t.Context(), func([][]byte) error { return broken })
		},
	} {
		shared, sources := share(t.Context(), db, pieceBytes, Selection{}, Selection{})
		var got [][]string
		var group errgroup.Group
		group.Go(func() (err error) {
			got, err = readAll(t.Context(), sources[0], ranges, 2, func() {})
			return err
		})
		if err := end(sources[1]); !errors.Is(err, broken) {
			t.Errorf("%s: %v", name, err)
		}
		if err := group.Wait(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff[:min(len(diff), 2000)])
		}
		shared.Close()
	}
}

// Rows are read into the memory of dropped ones, but for that of a row larger than a piece.
func TestSharedUsesMemoryAgain(t *testing.T) {
	s := &Shared{}
	s.changed.L = &s.mu
	for size, again := range map[int]bool{10: true, pieceBytes + 1: false} {
		row := make([][]byte, columns)
		row[ID], row[Body] = []byte("7"), make([]byte, size)
		b := &block{hi: BlockIDs - 1}
		s.blocks = []*block{b}
		p := s.newPiece()
		p.add(row)
		s.keep(b, p)
		if next := s.newPiece(); (next == p) != again || len(next.ids)+len(next.lengths)+len(next.values) > 0 {
			t.Errorf("%d bytes: used again: %t", size, next == p)
		}
	}
}

// A range that begins before those that the stage may open is read by a query of its own.
func TestSharedReadsBackwards(t *testing.T) {
	db := load(t)
	shared, sources := share(t.Context(), db, pieceBytes, Selection{Types: []int64{schema.PostQuestion}})
	defer shared.Close()
	ranges := [][2]int64{{10_000, 40_000}, {1, 500}, {40_001, 59_000}}
	got, err := readAll(t.Context(), sources[0], ranges, 1, func() {})
	if err != nil {
		t.Fatal(err)
	}
	want, err := readAll(t.Context(), Table{db, Selection{Types: []int64{schema.PostQuestion}}}, ranges, 1, func() {})
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff[:min(len(diff), 2000)])
	}
}

// A failure of the scan is one of every stage, and the end of a context ends what waits.
func TestSharedThatFails(t *testing.T) {
	db := load(t)
	shared, sources := share(t.Context(), db, pieceBytes, Selection{}, Selection{})
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("gone")
	sources[1].Begin(math.MinInt64) // and reads nothing
	_, err := readAll(ctx, sources[0], [][2]int64{{math.MinInt64, math.MaxInt64}}, 1, func() { cancel(gone) })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	shared.Close()

	db = server.Database(t) // without tables
	shared, sources = share(t.Context(), db, pieceBytes, Selection{}, Selection{})
	defer shared.Close()
	var failed [2]error
	var group sync.WaitGroup
	for i, s := range sources {
		group.Go(func() { _, failed[i] = readAll(t.Context(), s, [][2]int64{{1, math.MaxInt64}}, 1, func() {}) })
	}
	group.Wait()
	for _, err := range failed {
		if err == nil || !strings.Contains(err.Error(), "Posts") {
			t.Errorf("%v", err)
		}
	}
}

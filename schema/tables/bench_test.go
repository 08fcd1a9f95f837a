package tables

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"s2g/schema"
)

// postsTSV returns n rows of Posts, about as large as real ones.
func postsTSV(n int) []byte {
	rnd := rand.New(rand.NewPCG(1, 1))
	var pool strings.Builder
	for pool.Len() < 1<<20 {
		fmt.Fprintf(&pool, "%s ", strings.Repeat(string(rune('a'+rnd.IntN(26))), 1+rnd.IntN(9)))
	}
	text := func(n int) string {
		at := rnd.IntN(pool.Len() - n)
		return pool.String()[at : at+n]
	}
	var tsv bytes.Buffer
	for i := range n {
		const date = "2012-07-31 21:42:52.667"
		body := text(200 + rnd.IntN(2000))
		if id := 2 * i; i%3 == 0 {
			fmt.Fprintf(&tsv, "%d\t1\t%d\t\\N\t%s\t\\N\t%d\t%d\t%s\\n\\n%s\t%d\t\\N\t\\N\t\\N\t%s\t%s\t%s\t|c#|.net|\t2\t3\t\\N\t\\N\t\\N\tCC BY-SA 3.0\n",
				id, id+2, date, rnd.IntN(50), rnd.IntN(1e6), body, body[:99], rnd.IntN(1e7), date, date, text(60))
		} else {
			fmt.Fprintf(&tsv, "%d\t2\t\\N\t%d\t%s\t\\N\t%d\t\\N\t%s\t%d\t\\N\t\\N\t\\N\t\\N\t%s\t\\N\t\\N\t\\N\t1\t\\N\t\\N\t\\N\tCC BY-SA 3.0\n",
				id, id-i%3*2, date, rnd.IntN(50), body, rnd.IntN(1e7), date)
		}
	}
	return tsv.Bytes()
}

func votesTSV(n int) []byte {
	rnd := rand.New(rand.NewPCG(2, 2))
	var tsv bytes.Buffer
	for i := range n {
		fmt.Fprintf(&tsv, "%d\t%d\t2\t\\N\t2012-07-31 00:00:00.000\t\\N\n", i, rnd.IntN(1e6))
	}
	return tsv.Bytes()
}

func BenchmarkLoad(b *testing.B) {
	db := open(b)
	for name, tsv := range map[string][]byte{"Posts": postsTSV(40_000), "Votes": votesTSV(500_000)} {
		b.Run(name, func(b *testing.B) {
			t := table(b, name)
			rows := bytes.Count(tsv, []byte("\n"))
			b.SetBytes(int64(len(tsv)))
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				if err := db.Stage(b.Context(), t); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
				if _, err := db.Load(b.Context(), t, bytes.NewReader(tsv)); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(rows*b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

func BenchmarkIndex(b *testing.B) {
	db := open(b)
	tsv := votesTSV(500_000)
	t := table(b, "Votes")
	for b.Loop() {
		b.StopTimer()
		if err := errors.Join(db.Stage(b.Context(), t), loadError(b, db, t, tsv)); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		if err := db.Index(b.Context(), t); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(500_000*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}

func loadError(b *testing.B, db *DB, t schema.Table, tsv []byte) error {
	_, err := db.Load(b.Context(), t, bytes.NewReader(tsv))
	return err
}

// BenchmarkQuery reads whole tables with Query, and with database/sql for comparison.
func BenchmarkQuery(b *testing.B) {
	db := open(b)
	serve(b, db, "bench", map[string]string{"Posts": string(postsTSV(40_000)), "Votes": string(votesTSV(500_000))})
	readers := []struct {
		name string
		read func(*testing.B, *DB, string) (rows, size int)
	}{{"Rows", readRows}, {"RawBytes", readRawBytes}}
	for _, name := range []string{"Posts", "Votes"} {
		for _, r := range readers {
			b.Run(name+"/"+r.name, func(b *testing.B) {
				b.ReportAllocs()
				var rows, size int
				for b.Loop() {
					rows, size = r.read(b, db, "SELECT * FROM "+name+" ORDER BY Id")
				}
				b.SetBytes(int64(size))
				b.ReportMetric(float64(rows*b.N)/b.Elapsed().Seconds(), "rows/s")
			})
		}
	}
}

func readRows(b *testing.B, db *DB, query string) (n, size int) {
	rows, err := db.Query(b.Context(), query)
	if err != nil {
		b.Fatal(err)
	}
	for rows.Scan() {
		n++
		for _, v := range rows.Record() {
			size += len(v)
		}
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		b.Fatal(err)
	}
	return n, size
}

func readRawBytes(b *testing.B, db *DB, query string) (n, size int) {
	rows, err := db.SQL().QueryContext(b.Context(), query)
	if err != nil {
		b.Fatal(err)
	}
	columns, err := rows.Columns()
	if err != nil {
		b.Fatal(err)
	}
	values, into := make([]sql.RawBytes, len(columns)), make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			b.Fatal(err)
		}
		n++
		for _, v := range values {
			size += len(v)
		}
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		b.Fatal(err)
	}
	return n, size
}

// BenchmarkOpen starts and stops the server of an existing database, and joins a running one.
func BenchmarkOpen(b *testing.B) {
	dir := b.TempDir()
	cycle := func(b *testing.B) {
		for b.Loop() {
			db, err := Open(b.Context(), ServerOptions{Dir: dir, Memory: minPool, Access: Load})
			if err != nil {
				b.Fatal(err)
			}
			if err := db.Close(); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.Run("start and stop", cycle)
	openIn(b, dir)
	b.Run("join", cycle)
}

package tables

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestQueryGivesText(t *testing.T) {
	db := open(t)
	got := all(t, db, `SELECT 1, -9223372036854775808, 18446744073709551615, NULL, '', 'x', 1.50, 0.25e0,
		CAST('2008-07-31 21:42:52.667' AS DATETIME(3)), CAST(1 AS SIGNED) = 1, ?, ?`, "it's", int64(-7))
	want := [][]string{{"1", "-9223372036854775808", "18446744073709551615", `\N`, "", "x", "1.50", "0.25",
		"2008-07-31 21:42:52.667", "1", "it's", "-7"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestQueryKeepsARowUntilTheNextScan(t *testing.T) {
	db := open(t)
	const n = 300_000
	rows, err := db.Query(t.Context(), "SELECT seq, REPEAT('x', seq % 100), seq + 1 FROM seq_1_to_"+strconv.Itoa(n))
	if err != nil {
		t.Fatal(err)
	}
	var i int64
	for rows.Scan() {
		i++
		r := rows.Record()
		if Int(r[0]) != i || len(r[1]) != int(i%100) || Int(r[2]) != i+1 {
			t.Fatalf("row %d: %s", i, r)
		}
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil || i != n {
		t.Errorf("%d rows, %v", i, err)
	}
}

func TestQueryErrors(t *testing.T) {
	db := open(t)
	if _, err := db.Query(t.Context(), "SELECT nothing"); err == nil {
		t.Error("no error of a bad query")
	}
	rows, err := db.Query(t.Context(), "SELECT IF(seq < 1000, 1, (SELECT 1 UNION SELECT seq)) FROM seq_1_to_2000")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Scan() {
	}
	if rows.Err() == nil {
		t.Error("no error of a query that fails half way")
	}
}

func TestEachRow(t *testing.T) {
	db := open(t)
	var got []string
	collect := func(row [][]byte) error {
		got = append(got, string(row[0]))
		return nil
	}
	if err := db.EachRow(t.Context(), "SELECT seq FROM seq_1_to_5 WHERE seq IN ("+IDList([]int64{2, -1, 4})+") OR seq = ?", collect, 5); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"2", "4", "5"}, got); diff != "" {
		t.Error(diff)
	}
	got = nil
	if err := db.EachRow(t.Context(), "SELECT seq FROM seq_1_to_5 WHERE seq IN ("+IDList(nil)+")", collect); err != nil || got != nil {
		t.Errorf("an empty list finds %q, error %v", got, err)
	}
	enough := errors.New("enough")
	n := 0
	err := db.EachRow(t.Context(), "SELECT /* stopped */ seq FROM seq_1_to_1000000000", func([][]byte) error {
		n++
		return enough
	})
	if !errors.Is(err, enough) || n != 1 {
		t.Errorf("error %v after %d rows, want the callback's after one", err, n)
	}
	running(t, db, "stopped", 0)
	if err := db.EachRow(t.Context(), "SELECT nothing", collect); err == nil {
		t.Error("no error of a bad query")
	}
}

func TestHasTable(t *testing.T) {
	db := open(t)
	serve(t, db, "k", map[string]string{"Tags": ""})
	for name, want := range map[string]bool{"Tags": true, "PostLinks": false, "tags": false} {
		if got, err := db.HasTable(t.Context(), name); err != nil || got != want {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

// running waits until the server runs n queries that contain the marker.
func running(t *testing.T, db *DB, marker string, n int) {
	t.Helper()
	var got int
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		err := db.SQL().QueryRow("SELECT COUNT(*) FROM information_schema.processlist WHERE id <> CONNECTION_ID() AND info LIKE ?",
			"%"+marker+"%").Scan(&got)
		if err != nil {
			t.Fatal(err)
		}
		if got == n {
			return
		}
	}
	t.Fatalf("%d queries run, want %d", got, n)
}

func TestQueryEndsWithItsContext(t *testing.T) {
	db := open(t)
	t.Run("before the first row", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() {
			_, err := db.Query(ctx, "SELECT /* slow */ COUNT(*) FROM seq_1_to_1000000 a, seq_1_to_1000000 b WHERE a.seq + b.seq % 7 = 3")
			done <- err
		}()
		running(t, db, "slow", 1)
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
		running(t, db, "slow", 0)
	})
	t.Run("among rows", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		rows, err := db.Query(ctx, "SELECT /* long */ seq FROM seq_1_to_1000000000")
		if err != nil {
			t.Fatal(err)
		}
		rows.Scan()
		cancel()
		for rows.Scan() {
		}
		if !errors.Is(rows.Err(), context.Canceled) {
			t.Errorf("error %v", rows.Err())
		}
		if err := rows.Close(); err != nil {
			t.Error(err)
		}
		running(t, db, "long", 0)
	})
}

func TestCloseEndsQuery(t *testing.T) {
	db := open(t)
	rows, err := db.Query(t.Context(), "SELECT /* early */ seq FROM seq_1_to_1000000000")
	if err != nil {
		t.Fatal(err)
	}
	rows.Scan()
	if err := errors.Join(rows.Close(), rows.Close()); err != nil {
		t.Error(err)
	}
	if rows.Scan() {
		t.Error("a row after Close")
	}
	running(t, db, "early", 0)
}

func TestInt(t *testing.T) {
	for text, want := range map[string]int64{"": 0, "0": 0, "42": 42, "-1": -1, "9223372036854775807": 1<<63 - 1, "-9223372036854775808": -1 << 63} {
		if got := Int([]byte(text)); got != want {
			t.Errorf("Int(%q) = %d", text, got)
		}
	}
	if got := Int(nil); got != 0 {
		t.Errorf("Int(nil) = %d", got)
	}
}

// A connection serves successive queries, unless a result was not read to its end.
func TestQueriesShareConnections(t *testing.T) {
	db := open(t)
	id := func() string { return all(t, db, "SELECT CONNECTION_ID()")[0][0] }
	first := id()
	if next := id(); next != first {
		t.Errorf("connection %s after %s", next, first)
	}
	rows, err := db.Query(t.Context(), "SELECT seq, CONNECTION_ID() FROM seq_1_to_1000000")
	if err != nil {
		t.Fatal(err)
	}
	rows.Scan()
	if used := string(rows.Record()[1]); used != first {
		t.Errorf("connection %s after %s", used, first)
	}
	if other := id(); other == first {
		t.Error("a connection with a result under way serves another query")
	}
	if err := rows.Close(); err != nil {
		t.Fatal(err)
	}
	second := id()
	if second == first {
		t.Error("a connection is used again whose result was not read")
	}
	if _, err := db.SQL().Exec("KILL " + second); err != nil {
		t.Fatal(err)
	}
	if third := id(); third == second {
		t.Error("a connection that was killed is used again")
	}
}

package projection

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"s2g/schema/tables"
)

// opened opens a database with a folder. Its log is in the buffer.
func opened(t *testing.T, db *tables.DB, folder string, locked bool) (*tables.DB, *bytes.Buffer) {
	t.Helper()
	var log bytes.Buffer
	db, err := tables.Open(t.Context(), tables.ServerOptions{DSN: db.DSN(), Dir: folder, Locked: locked, Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db, &log
}

// readAll returns the posts that Read passes on after the last call of begin.
func readAll(t *testing.T, db *tables.DB) (posts []Post) {
	t.Helper()
	err := Read(t.Context(), db, func(rows int64) (func(*Post), error) {
		posts = make([]Post, 0, rows)
		return func(p *Post) {
			post := *p
			post.Tags = append([]byte{}, p.Tags...)
			posts = append(posts, post)
		}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return posts
}

func rows(n int) (list []map[string]string) {
	for i := range n {
		row := map[string]string{"Id": fmt.Sprint(3 * i), "PostTypeId": fmt.Sprint(1 + i%5), "Score": fmt.Sprint(i%7 - 3), "ParentId": fmt.Sprint(i), "AcceptedAnswerId": fmt.Sprint(i + 2)}
		if i%5 == 0 {
			row["Tags"] = fmt.Sprintf("|a%d|c++|", i%11)
		}
		list = append(list, row)
	}
	return list
}

// The file, a scan, and a scan that writes the file give the same posts. A file that is
// missing, cut or altered is made again under the lock, and by nobody else.
func TestReadMakesTheFileAgain(t *testing.T) {
	base := server.Database(t)
	load(t, base, rows(5000)...)
	want := readAll(t, base) // without a folder
	if len(want) != 5000 {
		t.Fatalf("%d posts", len(want))
	}
	folder := t.TempDir()
	name := path(folder, "test")
	reader, readerLog := opened(t, base, folder, false)
	writer, writerLog := opened(t, base, folder, true)
	check := func(what string, db *tables.DB) {
		t.Helper()
		if diff := difference(want, readAll(t, db)); diff != "" {
			t.Errorf("%s: %s", what, diff)
		}
	}
	check("no file, no lock", reader)
	if entries, _ := os.ReadDir(folder); len(entries) > 0 {
		t.Errorf("a process without the lock has written %v", entries)
	}
	check("no file", writer)
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if readerLog.Len()+writerLog.Len() > 0 {
		t.Errorf("a missing file is logged: %s%s", readerLog, writerLog)
	}
	other := somePosts(10) // of no load: a user's server may be changed by others
	if err := os.WriteFile(name, write(t, "test", other), 0o600); err != nil {
		t.Fatal(err)
	}
	check("a file of other rows", reader)
	if !bytes.Contains(readerLog.Bytes(), []byte("it has 10 posts")) {
		t.Errorf("log: %s", readerLog)
	}
	damages := map[string]func() []byte{
		"an altered block": func() []byte { b := bytes.Clone(whole); b[len(b)-100] ^= 4; return b },
		"a cut file":       func() []byte { return whole[:len(whole)/2] },
		"an empty file":    func() []byte { return nil },
		"a cut last block": func() []byte { return whole[:len(whole)-1] },
	}
	for what, content := range damages {
		damaged := content()
		if err := os.WriteFile(name, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		readerLog.Reset()
		writerLog.Reset()
		check(what, reader)
		if now, _ := os.ReadFile(name); !bytes.Equal(now, damaged) {
			t.Errorf("%s: a process without the lock has changed it", what)
		}
		leftover := filepath.Join(folder, "posts-123.tmp") // of a killed process
		if err := os.WriteFile(leftover, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		check(what, writer)
		if now, _ := os.ReadFile(name); !bytes.Equal(now, whole) {
			t.Errorf("%s: it is not made again", what)
		}
		for _, log := range []*bytes.Buffer{readerLog, writerLog} {
			if !bytes.Contains(log.Bytes(), []byte("damaged")) {
				t.Errorf("%s: log %q", what, log)
			}
		}
		if entries, _ := os.ReadDir(folder); len(entries) != 1 {
			t.Errorf("%s: the folder has %v", what, entries)
		}
	}
	writerLog.Reset()
	check("a whole file", writer)
	if writerLog.Len() > 0 {
		t.Error(writerLog)
	}
}

// Read takes the posts from the file and not from the table.
func TestReadTakesTheFile(t *testing.T) {
	base := server.Database(t)
	load(t, base, rows(100)...)
	db, _ := opened(t, base, t.TempDir(), true)
	want := readAll(t, db)
	if _, err := base.SQL().Exec("UPDATE Posts SET Score = 99"); err != nil { // as no load does
		t.Fatal(err)
	}
	if diff := difference(want, readAll(t, db)); diff != "" {
		t.Error("the posts are not those of the file: " + diff)
	}
}

// After a load of another dump the file before is not read, and is removed.
func TestReadAfterAnotherLoad(t *testing.T) {
	base := server.Database(t)
	folder := t.TempDir()
	db, _ := opened(t, base, folder, true)
	for _, key := range []string{"first", "second"} {
		load(t, base, rows(100)...)
		if _, err := base.SQL().Exec("UPDATE S2GDump SET DumpKey = ?", key); err != nil {
			t.Fatal(err)
		}
		if _, err := base.SQL().Exec("UPDATE Posts SET Score = ?", len(key)); err != nil {
			t.Fatal(err)
		}
		if got := readAll(t, db)[0].Score; int(got) != len(key) {
			t.Errorf("%s: score %d", key, got)
		}
		if entries, _ := os.ReadDir(folder); len(entries) != 1 || filepath.Join(folder, entries[0].Name()) != path(folder, key) {
			t.Errorf("%s: the folder has %v", key, entries)
		}
	}
}

// A folder that cannot be written, and a file that cannot be read, cost a scan and no
// error.
func TestReadWithoutAFolderToWriteTo(t *testing.T) {
	base := server.Database(t)
	load(t, base, rows(100)...)
	folder := filepath.Join(t.TempDir(), "missing")
	db, log := opened(t, base, folder, true)
	if n := len(readAll(t, db)); n != 100 || !bytes.Contains(log.Bytes(), []byte("is not stored")) {
		t.Errorf("%d posts, log %s", n, log)
	}
	folder = t.TempDir()
	if err := os.Mkdir(path(folder, "test"), 0o700); err != nil { // a folder in its place
		t.Fatal(err)
	}
	db, log = opened(t, base, folder, false)
	if n := len(readAll(t, db)); n != 100 || log.Len() == 0 {
		t.Errorf("%d posts, log %s", n, log)
	}
}

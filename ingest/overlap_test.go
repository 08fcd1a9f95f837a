package ingest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"s2g/ingest/sample"
	"s2g/schema/schematest"
)

// The rows of an archive reach the server while the rest is still compressed. The decoder in this test decodes half of
// Posts, and the rest only when the server has taken rows.
func TestLoadBeginsBeforeTheDecoderEnds(t *testing.T) {
	schematest.Long(t)
	schematest.Tool(t, "7z")
	decoder, err := exec.LookPath("7z")
	if err != nil {
		t.Fatal(err)
	}
	xml, folder := t.TempDir(), t.TempDir()
	stats, err := sample.Write(t.Context(), sample.Options{Posts: 5000, Out: xml})
	if err != nil {
		t.Fatal(err)
	}
	archive := filepath.Join(folder, "s2g.example.com.7z")
	pack := exec.Command(decoder, "a", "-mx1", archive, "Posts.xml")
	pack.Dir = xml
	if out, err := pack.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	posts, err := os.Stat(filepath.Join(xml, "Posts.xml"))
	if err != nil {
		t.Fatal(err)
	}
	stored := filepath.Join(folder, "stored")
	script := fmt.Sprintf("#!/bin/sh\n'%s' \"$@\" | { head -c %d; while [ ! -e '%s' ]; do sleep .1; done; cat; }\n", decoder, posts.Size()/2, stored)
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "7z"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))

	g := privateTarget(t, t.TempDir())
	defer g.close()
	written := func() int {
		var name, value string
		if err := g.db.SQL().QueryRow("SHOW GLOBAL STATUS LIKE 'Handler_write'").Scan(&name, &value); err != nil {
			t.Fatal(err)
		}
		n, err := strconv.Atoi(value)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	ended := make(chan error, 1)
	go func() {
		ended <- g.run(Options{Dump: archive, Without: []string{"comments", "votes", "links", "tags"}})
	}()
	const others = 1000                                 // rows that statements write to temporary tables
	for begun := written(); written() < begun+others; { // a load that waits for the decoder never ends, and the test's timeout fails it
		select {
		case err := <-ended:
			t.Fatal("the ingest has ended before its decoder: ", err)
		case <-time.After(50 * time.Millisecond):
		}
	}
	if err := os.WriteFile(stored, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if got := g.value("SELECT COUNT(*) FROM Posts"); got != fmt.Sprint(stats.Posts) {
		t.Errorf("%s posts, want %d", got, stats.Posts)
	}
}

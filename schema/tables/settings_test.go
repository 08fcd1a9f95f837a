package tables

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"testing"

	"s2g/schema/schematest"
)

// A scan of a table that exceeds the buffer pool reads from the page cache, not from the disk.
func TestScansReadThePageCache(t *testing.T) {
	schematest.Long(t)
	schematest.Tool(t, "mariadbd")
	const pool = 16 << 20
	dir := t.TempDir()
	db, err := Open(t.Context(), ServerOptions{Dir: dir, Access: Load, Memory: pool, Data: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	tsv := postsTSV(40_000)
	serve(t, db, "posts", map[string]string{"Posts": string(tsv)})
	scan := func() {
		if n := len(all(t, db, "SELECT COUNT(*), SUM(LENGTH(Body)) FROM Posts")); n != 1 {
			t.Fatalf("%d rows", n)
		}
	}
	scan()
	before := diskReads(t, readPID(dir))
	scan()
	if read := diskReads(t, readPID(dir)) - before; read > int64(len(tsv))/2 {
		t.Errorf("a scan of %d bytes has read %d from the disk", len(tsv), read)
	}
}

// diskReads returns the bytes that a process has read from disks.
func diskReads(t *testing.T, pid int) (n int64) {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/io", pid))
	schematest.Need(t, err == nil, fmt.Sprint("the system does not count reads: ", err))
	for s := bufio.NewScanner(bytes.NewReader(b)); s.Scan(); {
		if k, _ := fmt.Sscanf(s.Text(), "read_bytes: %d", &n); k == 1 {
			return n
		}
	}
	t.Fatalf("no read_bytes in %s", b)
	return 0
}

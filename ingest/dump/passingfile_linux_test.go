package dump

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"s2g/schema/schematest"
)

func TestPagesBehindALargeFileAreDropped(t *testing.T) {
	content := make([]byte, 4*dropEvery)
	rand.Read(content)
	path := filepath.Join(t.TempDir(), "Posts.xml")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := f.Sync(); err != nil { // pages that are not written stay
		t.Fatal(err)
	}
	size := int64(len(content))
	cached := func(large int64) int {
		t.Helper()
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(passing(f, size, large))
		if err != nil || !bytes.Equal(got, content) {
			t.Fatalf("read %d bytes, error %v", len(got), err)
		}
		return residentPages(t, f, len(content))
	}
	pages := len(content) / os.Getpagesize()
	all, left := cached(size+1), cached(size)
	schematest.Need(t, all > pages/2, fmt.Sprintf("of %d pages %d are cached", pages, all))
	if left > pages/4 {
		t.Errorf("of %d pages %d stay in the cache, %d without dropping", pages, left, all)
	}
}

// residentPages returns the number of a file's pages in the page cache.
func residentPages(t *testing.T, f *os.File, size int) (n int) {
	t.Helper()
	mapped, err := unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(mapped)
	pages := make([]byte, (size+os.Getpagesize()-1)/os.Getpagesize())
	if _, _, errno := unix.Syscall(unix.SYS_MINCORE, mappedAddress(mapped), uintptr(size), mappedAddress(pages)); errno != 0 {
		t.Fatal(errno)
	}
	for _, p := range pages {
		n += int(p & 1)
	}
	return n
}

func mappedAddress(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }

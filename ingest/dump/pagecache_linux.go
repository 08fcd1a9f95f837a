package dump

import (
	"os"

	"golang.org/x/sys/unix"
)

// dropPages drops a part of a file from the page cache, where the system can.
func dropPages(f *os.File, offset, length int64) {
	_ = unix.Fadvise(int(f.Fd()), offset, length, unix.FADV_DONTNEED)
}

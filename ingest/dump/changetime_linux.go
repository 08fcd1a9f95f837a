package dump

import (
	"io/fs"
	"syscall"
)

// changeTime returns when a file's content or attributes last changed, which no
// program can set back.
func changeTime(info fs.FileInfo) (syscall.Timespec, bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return syscall.Timespec{}, false
	}
	return st.Ctim, true
}

package manifest

import (
	"bytes"
	"os"
	"runtime/debug"
	"strconv"
)

// PeakRSS returns the largest resident set of this process, in bytes, since the
// last stage began; 0 where the system does not tell.
func PeakRSS() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, _ := bytes.Cut(status, []byte("VmHWM:"))
	line, _, _ := bytes.Cut(rest, []byte("kB"))
	kib, err := strconv.ParseInt(string(bytes.TrimSpace(line)), 10, 64)
	if err != nil {
		return 0
	}
	return kib << 10
}

// resetPeakRSS has the kernel forget the peak (proc(5), clear_refs 5). Where it
// refuses, the peak is that of the whole process, which is not wrong, only
// coarser.
func resetPeakRSS() {
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
}

// HoldMemory has the garbage collector hold the process to so many bytes, as
// well as it can: by itself it lets garbage take as much as everything else. A
// stage whose index is large would take twice that. A limit that is lower
// already, as by GOMEMLIMIT, stays. The function that it returns ends it.
func HoldMemory(bytes int64) (release func()) {
	before := debug.SetMemoryLimit(-1)
	debug.SetMemoryLimit(min(before, bytes))
	return func() { debug.SetMemoryLimit(before) }
}

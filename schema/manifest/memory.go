package manifest

import (
	"bytes"
	"os"
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

package schematest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// CPUSeconds returns the processor time, in seconds, of this process and of each
// mariadbd whose data are below folder ("": none); 0 where the system does not report
// it. Benchmarks report it beside the wall time, because other work on the machine
// disturbs it less.
func CPUSeconds(folder string) float64 {
	var own syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &own); err != nil {
		return 0
	}
	total := float64(own.Utime.Nano()+own.Stime.Nano()) / 1e9
	if folder == "" {
		return total
	}
	for _, pid := range ServerPIDs(folder) {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			continue
		}
		_, rest, _ := strings.Cut(string(stat), ") ") // rest begins with field 3, after the name
		if f := strings.Fields(rest); len(f) > 12 {
			user, _ := strconv.Atoi(f[11])
			system, _ := strconv.Atoi(f[12])
			total += float64(user+system) / 100 // ticks, on every Linux of today
		}
	}
	return total
}

// ServerPIDs returns the process ids of each mariadbd whose data are below a folder.
func ServerPIDs(folder string) []int {
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	var pids []int
	for _, l := range lines {
		text, err := os.ReadFile(l)
		if err != nil || !bytes.Contains(text, []byte("--datadir="+folder+"/")) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(l))); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

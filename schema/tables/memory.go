package tables

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

const (
	minPool = 256 << 20
	maxPool = 16 << 30
)

// DefaultMemory returns the buffer pool of a private server, bytes: a quarter
// of the smaller of the machine's memory and the cgroup's limit, from 256 MiB
// to 16 GiB.
func DefaultMemory() int64 {
	return min(max(machineMemory("/proc", "/sys/fs/cgroup")/4, minPool), maxPool)
}

// machineMemory returns what this process may use, 0 where that is not known.
func machineMemory(proc, cgroup string) int64 {
	total := statusKiB(filepath.Join(proc, "meminfo"), "MemTotal:")
	for _, limit := range cgroupLimits(proc, cgroup) {
		if limit > 0 && (total == 0 || limit < total) {
			total = limit
		}
	}
	return total
}

// cgroupLimits reads the limits of the process's cgroup and of those above it:
// memory.max of version 2, memory.limit_in_bytes of version 1. Inside a
// container the path that /proc names is often not mounted, but its root is.
func cgroupLimits(proc, root string) []int64 {
	b, _ := os.ReadFile(filepath.Join(proc, "self", "cgroup"))
	var limits []int64
	for line := range strings.Lines(string(b)) {
		part := strings.SplitN(strings.TrimSpace(line), ":", 3) // id:controllers:path
		if len(part) != 3 {
			continue
		}
		base, file := root, "memory.max"
		if part[1] != "" {
			if !strings.Contains(","+part[1]+",", ",memory,") {
				continue
			}
			base, file = filepath.Join(root, "memory"), "memory.limit_in_bytes"
		}
		for dir := filepath.Clean("/" + part[2]); ; dir = filepath.Dir(dir) {
			limits = append(limits, readInt(filepath.Join(base, dir, file)))
			if dir == "/" {
				break
			}
		}
	}
	return limits
}

// readInt returns the number that a file holds, 0 for "max" or no file.
func readInt(path string) int64 {
	b, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	n, err := strconv.ParseInt(string(bytes.TrimSpace(b)), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// statusKiB returns the value of a "Name:   123 kB" line, in bytes, 0 if there is none.
func statusKiB(path, name string) int64 {
	f, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		field := strings.Fields(s.Text())
		if len(field) >= 2 && field[0] == name {
			n, err := strconv.ParseInt(field[1], 10, 64)
			if err != nil {
				return 0
			}
			return n << 10
		}
	}
	return 0
}

// Package memory reads from the operating system how much memory the machine has
// and processes use, and limits that of this process.
//
// ResetPeak and Limit change the state of the whole process: package main calls
// them, libraries do not.
package memory

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
)

// Machine returns the memory that this process may use, in bytes: that of the
// machine, or the limit of its cgroup where that is lower; 0 where neither is
// known.
func Machine() int64 { return machine("/proc", "/sys/fs/cgroup") }

// Available returns how much of Machine new work may take, in bytes, without
// swapping: free memory and page cache, as the system estimates it; Machine where it
// does not. Other processes of the cgroup count only on the machine as a whole.
func Available() int64 { return available("/proc", Machine()) }

func available(proc string, machine int64) int64 {
	if n := kilobytes(filepath.Join(proc, "meminfo"), "MemAvailable:"); n > 0 && (n < machine || machine == 0) {
		return n
	}
	return machine
}

func machine(proc, cgroup string) int64 {
	total := kilobytes(filepath.Join(proc, "meminfo"), "MemTotal:")
	for _, limit := range cgroupLimits(proc, cgroup) {
		if limit > 0 && (total == 0 || limit < total) {
			total = limit
		}
	}
	return total
}

// cgroupLimits returns the limits of the process's cgroup and of its ancestors:
// memory.max of version 2, memory.limit_in_bytes of version 1. Inside a
// container the path in /proc is often not mounted, but its root is.
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
			// a file that is missing, or holds "max", sets no limit
			text, _ := os.ReadFile(filepath.Join(base, dir, file))
			limit, _ := strconv.ParseInt(string(bytes.TrimSpace(text)), 10, 64)
			limits = append(limits, limit)
			if dir == "/" {
				break
			}
		}
	}
	return limits
}

// Peak returns the largest resident set of this process since it started, or
// since ResetPeak, in bytes; 0 where the system does not report it.
func Peak() int64 { return kilobytes("/proc/self/status", "VmHWM:") }

// PeakOf returns the largest resident set of another process, as Peak.
func PeakOf(pid int) int64 { return kilobytes(fmt.Sprintf("/proc/%d/status", pid), "VmHWM:") }

// ResetPeak makes Peak measure from now on (proc(5), clear_refs 5). Where the
// kernel refuses, Peak stays that of the whole process.
func ResetPeak() {
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
}

// Limit sets the memory limit of the garbage collector (runtime/debug) to bytes,
// unless a lower one, as of GOMEMLIMIT, is in force. Without a limit garbage may
// take as much as all live memory. restore sets the previous limit.
func Limit(bytes int64) (restore func()) {
	before := debug.SetMemoryLimit(-1)
	debug.SetMemoryLimit(min(before, bytes))
	return func() { debug.SetMemoryLimit(before) }
}

// kilobytes returns the value of a line "name   123 kB" of a file, in bytes; 0
// where there is none.
func kilobytes(path, name string) int64 {
	f, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if field := strings.Fields(s.Text()); len(field) >= 2 && field[0] == name {
			n, _ := strconv.ParseInt(field[1], 10, 64) // 0 where it is not a number
			return n << 10
		}
	}
	return 0
}

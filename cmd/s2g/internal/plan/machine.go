package plan

import (
	"fmt"
	"syscall"

	"github.com/dustin/go-humanize"

	"s2g/schema"
)

// freeDisk returns the bytes that the user can still write to the file system of
// a folder, or of the nearest one above it that is there.
func freeDisk(folder string) (int64, error) {
	dir, err := nearest(folder)
	if err != nil {
		return 0, err
	}
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return 0, fmt.Errorf("looking for free disk on %s: %w", dir, err)
	}
	return int64(s.Bavail) * s.Bsize, nil
}

// Err is the fault of a machine that has too little, or nil.
func (p *Plan) Err() error {
	if p.Disk.Lacks() {
		return schema.Faultf(schema.FaultResources, "free some, choose another --out, or see what takes how much with --dry-run",
			"too little disk: the build needs about %s more, %s are free", size(p.Disk.Needs), size(p.Disk.Has))
	}
	if p.Tables != nil && p.Tables.Lacks() {
		return schema.Faultf(schema.FaultResources, "free some, or see what takes how much with --dry-run",
			"too little disk for the tables: they need about %s more, %s are free there", size(p.Tables.Needs), size(p.Tables.Has))
	}
	if p.Memory.Lacks() {
		return schema.Faultf(schema.FaultResources, "give a smaller --db-memory, or use a larger machine",
			"too little memory: the build needs about %s, this machine has %s", size(p.Memory.Needs), size(p.Memory.Has))
	}
	return nil
}

func size(n int64) string { return humanize.IBytes(uint64(max(n, 0))) }

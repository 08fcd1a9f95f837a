package manifest

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"s2g/schema"
)

// CheckAtRest returns a service fault if another process changes the build in OUT in
// place: a first build, or one that overwrites. A build beside the one in service
// leaves that at rest.
func CheckAtRest(out string) error {
	if holder := soleHolder(out); holder != "" && changesInPlace(out) {
		return busyFault(out, holder)
	}
	return nil
}

// CheckStayed returns a service fault if another process may have changed the build
// in OUT while it was read: it works there, and not beside the build in service.
func CheckStayed(out string) error {
	holder := soleHolder(out)
	if holder == "" {
		return nil
	}
	if _, err := os.Stat(NextFolder(out)); err == nil {
		return nil
	}
	return busyFault(out, holder)
}

func busyFault(out, holder string) error {
	return schema.Faultf(schema.FaultService, "try again when it has ended", "another s2g changes the build in %s: process %s holds its lock", out, holder)
}

// soleHolder returns the id of the process that holds the lock of OUT alone, empty
// if none does.
func soleHolder(out string) string {
	f, err := schema.OpenRegular(filepath.Join(out, ".s2g", "lock"))
	if err != nil {
		return "" // no build has begun, or this is a copy
	}
	defer unlockFolder(f)
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB); !errors.Is(err, syscall.EWOULDBLOCK) {
		return ""
	}
	id, _ := schema.ReadRegular(f.Name())
	return cmp.Or(strings.TrimSpace(string(id)), "(unknown)")
}

// changesInPlace reports whether the process that holds the lock of OUT writes the
// build in service: it has no tables yet, or a stage has a journal there.
func changesInPlace(out string) bool {
	m, err := load(out)
	if err != nil || m.Stages[Ingest] == nil {
		return true
	}
	for _, stage := range []string{Graph, Vectors} {
		if _, err := os.Stat(journalPath(out, stage)); err == nil {
			return true
		}
	}
	return false
}

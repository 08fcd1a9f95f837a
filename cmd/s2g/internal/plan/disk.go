package plan

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// occupation is the disk that the outputs of earlier runs occupy, in bytes.
type occupation struct{ tables, graph, vectors int64 }

// databaseFolder returns the folder of the private server's tables.
func databaseFolder(out string) string { return filepath.Join(out, ".s2g", "db") }

// occupied adds up the files in OUT, or in its next folder, whose links lead to files in service.
func occupied(out string) (o occupation, err error) {
	for _, part := range []struct {
		folder string
		sum    *int64
	}{
		{databaseFolder(out), &o.tables},
		{filepath.Join(out, "graph"), &o.graph},
		{filepath.Join(out, "vectors"), &o.vectors},
		{filepath.Join(out, "parents"), &o.vectors},
		{filepath.Join(out, "model.bin"), &o.vectors},
	} {
		if info, err := os.Lstat(part.folder); err == nil && info.Mode()&fs.ModeSymlink != 0 && part.sum != &o.tables {
			continue
		}
		n, err := folderSize(part.folder)
		if err != nil {
			return o, fmt.Errorf("adding up the files in %s: %w", out, err)
		}
		*part.sum += n
	}
	return o, nil
}

// folderSize adds up the blocks of a folder's files. Files that vanish meanwhile or may not be read do not count.
func folderSize(folder string) (n int64, err error) {
	if folder, err = filepath.EvalSymlinks(folder); errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	} else if err != nil {
		return 0, err
	}
	err = filepath.WalkDir(folder, func(_ string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
			return nil
		case err != nil:
			return err
		case !d.Type().IsRegular():
			return nil
		}
		info, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if s, ok := info.Sys().(*syscall.Stat_t); ok {
			n += s.Blocks * 512 // a file with holes takes less than its length
		}
		return nil
	})
	return n, err
}

// tablesHaveOwnDisk reports whether the private database is on another file system than OUT: its folder may be a mount
// or a link.
func tablesHaveOwnDisk(out string) (bool, error) {
	a, err := device(out)
	if err != nil {
		return false, err
	}
	b, err := device(databaseFolder(out))
	return a != b, err
}

// device returns the number of the file system of a folder, or of its nearest parent that exists.
func device(folder string) (uint64, error) {
	dir, err := existingParent(folder)
	if err != nil {
		return 0, err
	}
	var s syscall.Stat_t
	if err := syscall.Stat(dir, &s); err != nil {
		return 0, fmt.Errorf("finding the disk of %s: %w", dir, err)
	}
	return uint64(s.Dev), nil
}

// existingParent returns the folder, or its nearest parent that exists.
func existingParent(folder string) (string, error) {
	dir, err := filepath.Abs(folder)
	if err != nil {
		return "", fmt.Errorf("finding the disk of %s: %w", folder, err)
	}
	for {
		_, err := os.Stat(dir)
		if err == nil {
			return dir, nil
		}
		if !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) {
			return "", fmt.Errorf("finding the disk of %s: %w", folder, err)
		}
		dir = filepath.Dir(dir)
	}
}

// freeDisk returns the bytes that the user can still write to the file system of a folder, or of its nearest parent that
// exists.
func freeDisk(folder string) (int64, error) {
	dir, err := existingParent(folder)
	if err != nil {
		return 0, err
	}
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return 0, fmt.Errorf("reading the free disk of %s: %w", dir, err)
	}
	return int64(s.Bavail) * s.Bsize, nil
}

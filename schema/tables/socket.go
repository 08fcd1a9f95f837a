package tables

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

const (
	socketName = "db.sock"
	// maxSocketPath is the limit of sockaddr_un, without its NUL.
	maxSocketPath = 107
)

// socketPath returns the path of the socket of dir's server: in dir, or, where
// that path is too long, in a folder of its own in the system's temporary folder.
// A link in dir points there, so that commands with another TMPDIR find it.
func socketPath(dir string) (string, error) {
	path := filepath.Join(dir, socketName)
	if len(path) <= maxSocketPath {
		return path, nil
	}
	if target, err := os.Readlink(path); err == nil && ownFolder(filepath.Dir(target)) == nil {
		return target, nil
	}
	sum := sha256.Sum256([]byte(dir))
	folder := filepath.Join(os.TempDir(), fmt.Sprintf("s2g-%d-%x", os.Getuid(), sum[:8]))
	if err := os.Mkdir(folder, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("creating a folder for the socket: %w", err)
	}
	if err := ownFolder(folder); err != nil {
		return "", err
	}
	target := filepath.Join(folder, socketName)
	if len(target) > maxSocketPath {
		return "", fmt.Errorf("no folder for a socket: the path %s is too long, too; set TMPDIR to a shorter one", target)
	}
	link := path + ".link"
	_ = os.Remove(link) // a run that was killed at this point leaves it
	if err := os.Symlink(target, link); err != nil {
		return "", fmt.Errorf("linking to the socket: %w", err)
	}
	if err := os.Rename(link, path); err != nil {
		return "", fmt.Errorf("linking to the socket: %w", err)
	}
	return target, nil
}

// ownFolder checks that only this user can enter the folder path: the temporary
// folder is public, and the server has no passwords.
func ownFolder(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return fmt.Errorf("checking the folder of the socket: %w", err)
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !info.IsDir() || info.Mode().Perm() != 0o700 || !ok || int(st.Uid) != os.Getuid() {
		return fmt.Errorf("other users can enter %s, or it is not a folder; remove it", path)
	}
	return nil
}

// removeSocket removes the socket of a stopped server, with its folder and link.
func removeSocket(dir, socket string) {
	_ = os.Remove(socket) // only a killed server leaves it
	if folder := filepath.Dir(socket); folder != dir {
		_ = os.Remove(folder)
		_ = os.Remove(filepath.Join(dir, socketName))
	}
}

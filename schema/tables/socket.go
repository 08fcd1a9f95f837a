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
	// maxSocketPath is what fits sockaddr_un, its NUL left out.
	maxSocketPath = 107
)

// socketPath returns where the server of dir listens: in dir, or, where that
// makes too long a path, in a folder of its own under the system's temporary
// one, to which a link in dir leads. So a command with another TMPDIR finds it.
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
		return "", fmt.Errorf("making a folder for the socket: %w", err)
	}
	if err := ownFolder(folder); err != nil {
		return "", err
	}
	target := filepath.Join(folder, socketName)
	if len(target) > maxSocketPath {
		return "", fmt.Errorf("no folder for a socket: %s is too long a path too; set TMPDIR to a shorter one", target)
	}
	link := path + ".link"
	_ = os.Remove(link) // left by a run that was killed here
	if err := os.Symlink(target, link); err != nil {
		return "", fmt.Errorf("linking to the socket: %w", err)
	}
	if err := os.Rename(link, path); err != nil {
		return "", fmt.Errorf("linking to the socket: %w", err)
	}
	return target, nil
}

// ownFolder checks that path is a folder that only this user can enter: the
// temporary folder is everybody's, and the server has no passwords.
func ownFolder(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return fmt.Errorf("checking the folder of the socket: %w", err)
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !info.IsDir() || info.Mode().Perm() != 0o700 || !ok || int(st.Uid) != os.Getuid() {
		return fmt.Errorf("%s is not a folder of this user's alone; remove it", path)
	}
	return nil
}

// removeSocket removes what a server that has stopped leaves of its socket.
func removeSocket(dir, socket string) {
	_ = os.Remove(socket) // a server that was killed leaves it; nothing listens to it
	if folder := filepath.Dir(socket); folder != dir {
		_ = os.Remove(folder)
		_ = os.Remove(filepath.Join(dir, socketName))
	}
}

// Package private protects what other users and other programs must not have: the
// folder OUT/.s2g, whose database has no passwords, and the secrets in the
// environment of this process.
package private

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"s2g/schema"
)

// MakeFolder creates a folder that only this user may enter, with its parents, or
// checks the one that exists. It takes the rights of other users away, and reports
// whether they had any. A link, a file, or the folder of another user is a usage
// fault.
func MakeFolder(path string) (tightened bool, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return false, fmt.Errorf("creating a folder: %w", err)
	}
	if err := os.Mkdir(path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return false, fmt.Errorf("creating a folder: %w", err)
	}
	info, err := checkFolder(path)
	if err != nil {
		return false, err
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() {
		return false, schema.Faultf(schema.FaultUsage, "run as that user, or give the folder to this one with chown -R",
			"%s belongs to user %d, not to user %d, who runs s2g", path, st.Uid, os.Geteuid())
	}
	if info.Mode().Perm()&0o077 == 0 {
		return false, nil
	}
	if err := os.Chmod(path, 0o700); err != nil {
		return false, schema.Faultf(schema.FaultUsage, "run chmod 700 on it, or choose a file system with modes",
			"other users can enter %s: %w", path, err)
	}
	if info, err = os.Lstat(path); err == nil && info.Mode().Perm()&0o077 != 0 {
		err = schema.Faultf(schema.FaultUsage, "choose a file system with modes", "other users can enter %s, and its file system stores no other mode", path)
	}
	return true, err
}

// CheckFolder returns a usage fault if path is a link or a file. It accepts folders
// of other users and modes, as network file systems have them.
func CheckFolder(path string) error {
	_, err := checkFolder(path)
	return err
}

func checkFolder(path string) (fs.FileInfo, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, fmt.Errorf("checking a folder: %w", err)
	}
	if !info.IsDir() {
		kind := "a file"
		if info.Mode()&fs.ModeSymlink != 0 {
			kind = "a link"
		}
		return nil, schema.Faultf(schema.FaultUsage, "remove it, or choose another folder with option out",
			"%s is %s: s2g keeps what is private only in a folder of its own", path, kind)
	}
	return info, nil
}

// passed has the variables that Environment keeps: what programs need to find
// their files, to speak a language, and to load libraries.
var passed = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "TZ", "LANG", "LANGUAGE", "TERM",
	"GOTRACEBACK", "GOMAXPROCS", "GOCOVERDIR", // of the supervisor, which is s2g itself
}

// passedPrefixes are the beginnings of further variables that Environment keeps:
// locales, and libraries such as another allocator for MariaDB.
var passedPrefixes = []string{"LC_", "LD_", "DYLD_", "MALLOC_"}

// Environment returns the environment for a child process: the variables of this
// one that hold no secret, and then own.
func Environment(own ...string) []string {
	var kept []string
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		if slices.Contains(passed, name) || slices.ContainsFunc(passedPrefixes, func(p string) bool { return strings.HasPrefix(name, p) }) {
			kept = append(kept, variable)
		}
	}
	return append(kept, own...)
}

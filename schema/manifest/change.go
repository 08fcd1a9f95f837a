package manifest

import (
	"os"
	"path/filepath"
)

// BeforeChange is called before each change of the files of a build by this package; its
// error prevents the change. It is nil but in tests, which end runs at each of their
// steps with it: once every change fails, the folder is as after a kill.
var BeforeChange func() error

func beforeChange() error {
	if BeforeChange == nil {
		return nil
	}
	return BeforeChange()
}

func renameFile(from, to string) error {
	if err := beforeChange(); err != nil {
		return err
	}
	return os.Rename(from, to)
}

func removeFile(path string) error {
	if err := beforeChange(); err != nil {
		return err
	}
	return os.Remove(path)
}

// removeAll is os.RemoveAll. Each file in the folder is a change.
func removeAll(path string) error {
	if info, err := os.Lstat(path); BeforeChange != nil && err == nil && info.IsDir() {
		entries, err := os.ReadDir(path)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if err := removeAll(filepath.Join(path, e.Name())); err != nil {
				return err
			}
		}
	}
	if err := beforeChange(); err != nil {
		return err
	}
	return os.RemoveAll(path)
}

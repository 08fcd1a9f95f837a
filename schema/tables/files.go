package tables

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"s2g/schema"
)

// filesRecord is the name in OUT/.s2g of the record of the tables' files. The
// supervisor writes it after a load, when the server has ended regularly. A start
// for changes and a recovery remove it. A read-only server changes no file.
const filesRecord = "db.files"

// tableFile is a file of a table in the private database.
type tableFile struct {
	Name string    `json:"name"`
	Size int64     `json:"size"`
	Time time.Time `json:"time"`
}

// FilesState is what the files of a private database show about its tables.
type FilesState uint8

// The states of the files.
const (
	FilesUnknown FilesState = iota // a server may have changed them since the last load: Compare decides
	FilesSame                      // those that the last load left
	FilesMissing                   // a table's file is gone, or there is no database
)

// LookAtFiles compares the files of the private database in dir, OUT/.s2g, with
// their record. It starts no server. names are the tables that must exist.
func LookAtFiles(dir string, names []string) (FilesState, error) {
	now, err := listFiles(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return FilesMissing, nil
	}
	if err != nil {
		return FilesUnknown, fmt.Errorf("looking at the tables' files: %w", err)
	}
	for _, name := range append([]string{dumpTable}, names...) {
		if !slices.ContainsFunc(now, func(f tableFile) bool { return f.Name == name+".ibd" }) {
			return FilesMissing, nil
		}
	}
	text, err := schema.ReadRegular(filepath.Join(dir, filesRecord))
	if errors.Is(err, fs.ErrNotExist) {
		return FilesUnknown, nil
	}
	if err != nil {
		return FilesUnknown, fmt.Errorf("looking at the tables' files: %w", err)
	}
	var recorded []tableFile
	if json.Unmarshal(text, &recorded) != nil || !slices.Equal(recorded, now) {
		return FilesUnknown, nil
	}
	return FilesSame, nil
}

// RecordFiles records the files of the private database after Compare has found
// its tables unchanged. Its server must be read-only, or not run.
func RecordFiles(dir string) error { return recordFiles(dir) }

func recordFiles(dir string) error {
	files, err := listFiles(dir)
	if err == nil {
		var text []byte
		if text, err = json.Marshal(files); err == nil {
			err = os.WriteFile(filepath.Join(dir, filesRecord), text, 0o600)
		}
	}
	if err != nil {
		return fmt.Errorf("recording the tables' files: %w", err)
	}
	return nil
}

func removeFilesRecord(dir string) error {
	if err := os.Remove(filepath.Join(dir, filesRecord)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("removing the record of the tables' files: %w", err)
	}
	return nil
}

// listFiles lists the files of the tables in service, ordered by name: data and
// definition of each.
func listFiles(dir string) ([]tableFile, error) {
	entries, err := os.ReadDir(filepath.Join(dir, dataDir, privateDatabase))
	if err != nil {
		return nil, err
	}
	served := []string{dumpTable}
	for _, t := range schema.Tables() {
		served = append(served, t.Name)
	}
	var files []tableFile
	for _, e := range entries {
		name, suffix, _ := strings.Cut(e.Name(), ".")
		if suffix != "ibd" && suffix != "frm" || !slices.Contains(served, name) {
			continue
		}
		info, err := e.Info()
		if err != nil {
			return nil, err
		}
		files = append(files, tableFile{e.Name(), info.Size(), info.ModTime().UTC()})
	}
	return files, nil
}

// RemoveDatabase removes the private database in dir, OUT/.s2g, because a table of it is
// damaged so that no statement can replace it. The next Open creates another. tmp is a
// folder on the same file system, which the caller empties after a kill. A database
// in use is a service fault.
func RemoveDatabase(dir, tmp string) error {
	users, err := openLock(filepath.Join(dir, usersLock))
	if err != nil {
		return err
	}
	defer unlock(users)
	unused, err := tryLock(users, syscall.LOCK_EX)
	if err != nil {
		return err
	}
	if !unused {
		return schema.Faultf(schema.FaultService, "end it, or try again when it has ended",
			"a table of the private database is damaged, and %s uses the database", strings.Join(otherUsers(dir, users), ", "))
	}
	server, err := openLock(filepath.Join(dir, serverLock))
	if err != nil {
		return err
	}
	defer unlock(server)
	if ended, err := tryLock(server, syscall.LOCK_EX); err != nil {
		return err
	} else if !ended {
		return schema.Faultf(schema.FaultService, "try again when it has ended", "a table of the private database is damaged, and its server is still ending")
	}
	// Renamed first: a part of a database would be taken for one.
	gone := filepath.Join(tmp, dataDir)
	if err = os.Rename(filepath.Join(dir, dataDir), gone); errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err = errors.Join(err, removeFilesRecord(dir), os.RemoveAll(gone)); err != nil {
		return fmt.Errorf("removing the damaged database: %w", err)
	}
	return nil
}

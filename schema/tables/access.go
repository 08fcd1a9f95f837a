package tables

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"s2g/schema"
)

// Access is what a user of the tables does with them. It determines how a private
// server that Open starts is set up: one for readers changes no table, whichever
// program connects to it.
type Access string

// The kinds of access. A private server has one for its whole life; see
// accessFile.
const (
	Read Access = ""     // reads; sessions and private servers are read-only
	Load Access = "load" // replaces the tables as a whole, by Stage, Load, Index and Swap
	Edit Access = "edit" // changes tables by SQL of a person: they are no longer those of the dump
)

// admits reports whether a user with another access may join a server of this one.
// Readers may join any server, because their sessions are read-only.
func (a Access) admits(other Access) bool { return other == Read || other == a }

// String returns the work that needs the access, for messages.
func (a Access) String() string {
	switch a {
	case Load:
		return "loading a dump"
	case Edit:
		return "editing"
	}
	return "reading"
}

// The files of the private server's users in OUT/.s2g.
const (
	accessFile  = "db.access" // the Access of the server that runs
	usersFolder = "db.using"  // a file for each user: its name in messages, locked while it uses the server
)

// runningAccess returns the access of dir's server, which must run.
func runningAccess(dir string) (Access, error) {
	text, err := schema.ReadRegular(filepath.Join(dir, accessFile))
	if errors.Is(err, os.ErrNotExist) {
		return Load, nil // a server of an earlier version
	}
	if err != nil {
		return "", fmt.Errorf("reading how the private server was started: %w", err)
	}
	return Access(text), nil
}

// commandWord matches a part of a command's name, as "load" and "qdrant".
var commandWord = regexp.MustCompile(`^[a-z]+$`)

// processName returns the name of this process in messages of other processes, as
// "s2g load qdrant (process 4711)". It has no flags and no SQL.
func processName() string {
	name := filepath.Base(os.Args[0])
	for _, word := range os.Args[1:min(len(os.Args), 3)] {
		if !commandWord.MatchString(word) {
			break
		}
		name += " " + word
	}
	return fmt.Sprintf("%s (process %d)", name, os.Getpid())
}

// enter makes this process one of the named users of dir's server, until the file
// is closed and removed.
func enter(dir string) (*os.File, error) {
	folder := filepath.Join(dir, usersFolder)
	if err := os.Mkdir(folder, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return nil, fmt.Errorf("entering the private server: %w", err)
	}
	f, err := os.CreateTemp(folder, "user-*")
	if err != nil {
		return nil, fmt.Errorf("entering the private server: %w", err)
	}
	if err := flock(f, syscall.LOCK_EX); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if _, err := f.WriteString(processName()); err != nil {
		return nil, errors.Join(fmt.Errorf("entering the private server: %w", err), f.Close(), os.Remove(f.Name()))
	}
	return f, nil
}

// otherUsers returns the names of dir's users other than own, and removes the files
// of those that were killed.
func otherUsers(dir string, own *os.File) []string {
	var names []string
	files, _ := filepath.Glob(filepath.Join(dir, usersFolder, "user-*"))
	for _, path := range files {
		if path == own.Name() {
			continue
		}
		f, err := schema.OpenRegular(path)
		if err != nil {
			continue // it has just left
		}
		if free, err := tryLock(f, syscall.LOCK_SH); err == nil && free {
			_ = os.Remove(path)
		} else if name, _ := schema.ReadRegular(path); len(name) > 0 {
			names = append(names, string(name))
		}
		_ = f.Close()
	}
	slices.Sort(names)
	return names
}

// inUse returns the fault of a server that other users have started for another
// access.
func inUse(wanted, running Access, users []string) error {
	return schema.Faultf(schema.FaultService, "end it, or try again when it has ended",
		"the private database is open for %s, not for %s: %s uses it", running, wanted, strings.Join(users, ", "))
}

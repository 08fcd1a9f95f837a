package schema

import (
	"bytes"
	"io/fs"
	"os"
	"syscall"
)

// OpenRegular opens a file for reading. A pipe, a device or a socket is a usage
// fault at once: opening or reading one may wait for ever, deaf to signals.
func OpenRegular(path string) (*os.File, error) {
	if info, err := os.Stat(path); err == nil { // opening a device may change it
		if err := CheckRegular(path, info); err != nil {
			return nil, err
		}
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat() // of what is open, whatever replaced the path since
	if err == nil {
		err = CheckRegular(path, info)
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// ReadRegular returns the content of a file; see [OpenRegular].
func ReadRegular(path string) ([]byte, error) {
	f, err := OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	text := bytes.NewBuffer(make([]byte, 0, info.Size()+bytes.MinRead)) // no second allocation
	_, err = text.ReadFrom(f)
	return text.Bytes(), err
}

// CheckRegular returns an error if a path is no regular file: a usage fault for a
// pipe, a device or a socket, and the error of the operating system for a folder.
func CheckRegular(path string, info fs.FileInfo) error {
	kind := "no regular file"
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		return &fs.PathError{Op: "open", Path: path, Err: syscall.EISDIR}
	case mode&fs.ModeNamedPipe != 0:
		kind = "a pipe"
	case mode&fs.ModeSocket != 0:
		kind = "a socket"
	case mode&fs.ModeDevice != 0:
		kind = "a device"
	}
	return Faultf(FaultUsage, "give a regular file in its place", "%s is %s", path, kind)
}

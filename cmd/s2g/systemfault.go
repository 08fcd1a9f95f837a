package main

import (
	"errors"
	"io/fs"
	"net"
	"slices"
	"syscall"

	"s2g/schema"
)

// systemFault gives an error of the operating system that no package has classified its class: the folders and files that
// the user has named, the limits of the machine, or a connection.
func systemFault(err error) error {
	if _, classified := errors.AsType[*schema.Error](err); classified {
		return err
	}
	is := func(codes ...error) bool {
		return slices.ContainsFunc(codes, func(code error) bool { return errors.Is(err, code) })
	}
	var connection *net.OpError
	switch {
	case errors.As(err, &connection):
		return schema.Faultf(schema.FaultService, "check that the server runs, and run again", "%w", err)
	case is(fs.ErrPermission, syscall.EROFS):
		return schema.Faultf(schema.FaultUsage, "check who owns the file or folder and its mode, or choose another", "%w", err)
	case is(syscall.ENOTDIR, syscall.EISDIR, syscall.ELOOP, syscall.ENAMETOOLONG):
		return schema.Faultf(schema.FaultUsage, "check the path", "%w", err)
	case is(syscall.EDQUOT, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.EFBIG):
		return schema.Faultf(schema.FaultResources, "raise the limit (ulimit -a, quota) or free some, and run again", "%w", err)
	}
	return err
}

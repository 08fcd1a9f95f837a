//go:build !linux

package tables

import "syscall"

// diesWithParent: other systems have no such thing. A supervisor that is killed
// leaves its server behind; one whose users are killed does not.
func diesWithParent() *syscall.SysProcAttr { return nil }

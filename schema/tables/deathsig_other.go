//go:build !linux

package tables

import "syscall"

// diesWithParent returns nil: other systems have no such attribute. There a killed
// supervisor leaves its server behind; killed users do not.
func diesWithParent() *syscall.SysProcAttr { return nil }

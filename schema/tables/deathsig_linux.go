package tables

import "syscall"

// diesWithParent returns the attribute that makes the kernel kill a child when the
// thread that started it ends, even by SIGKILL. That thread must be locked to its
// goroutine.
func diesWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}

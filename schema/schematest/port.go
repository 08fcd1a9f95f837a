package schematest

import (
	"math/rand/v2"
	"net"
	"strconv"
	"syscall"
	"testing"
)

// Port returns a TCP port of 127.0.0.1 that nothing listens on, for a server that must
// have the same port after a restart. No connection gets it meanwhile, because it is
// below those that systems assign (from 32768 on).
func Port(t testing.TB) string {
	t.Helper()
	for range 100 {
		port := strconv.Itoa(15_000 + rand.IntN(15_000))
		if l, err := net.Listen("tcp", "127.0.0.1:"+port); err == nil {
			l.Close()
			return port
		}
	}
	t.Fatal("no free port between 15000 and 30000")
	return ""
}

// DeadAddress returns an address, host:port, that refuses connections as long as the
// test runs. The port is bound, so that no other server gets it.
func DeadAddress(t testing.TB) string {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	syscall.CloseOnExec(fd)
	t.Cleanup(func() { syscall.Close(fd) })
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	bound, err := syscall.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	return "127.0.0.1:" + strconv.Itoa(bound.(*syscall.SockaddrInet4).Port)
}

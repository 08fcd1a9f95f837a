package tables

import (
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"s2g/schema"
	"s2g/schema/schematest"
)

// What is no MariaDB at the address of a DSN is named, and does not hold a command up. No message holds the password.
func TestHostileServers(t *testing.T) {
	const password = "sesame-4711"
	packet := func(text string) string { return string([]byte{byte(len(text)), byte(len(text) >> 8), 0, 0}) + text }
	for name, c := range map[string]struct {
		talk  func(net.Conn)
		fault schema.Fault
		says  string
		slow  bool
	}{
		"a web server": {func(c net.Conn) {
			_, _ = c.Read(make([]byte, 4096))
			_, _ = io.WriteString(c, "HTTP/1.1 400 Bad Request\r\nServer: nginx\r\n\r\n")
		}, schema.FaultUsage, "a web server (nginx) answers", true},
		"SSH":                  {func(c net.Conn) { _, _ = io.WriteString(c, "SSH-2.0-OpenSSH_9.2\r\n"); _, _ = io.Copy(io.Discard, c) }, schema.FaultUsage, "an SSH server answers", true},
		"no answer":            {func(c net.Conn) { _, _ = io.Copy(io.Discard, c) }, schema.FaultService, "answers nothing", true},
		"connections that end": {func(net.Conn) {}, schema.FaultService, "connecting to the database", false},
		"endless bytes": {func(c net.Conn) {
			for b := []byte(strings.Repeat("\xff", 64<<10)); ; {
				if _, err := c.Write(b); err != nil {
					return
				}
			}
		}, schema.FaultUsage, "another protocol", false},
		"a refusal": {func(c net.Conn) {
			_, _ = io.WriteString(c, packet("\xff\x15\x04#28000Access denied for "+password))
			_, _ = io.Copy(io.Discard, c)
		}, schema.FaultUsage, "Access denied", false},
		"a cut greeting": {func(c net.Conn) { _, _ = io.WriteString(c, "J\x00\x00\x00\x0a5.5") }, schema.FaultService, "connecting to the database", false},
	} {
		t.Run(name, func(t *testing.T) {
			if c.slow {
				schematest.Long(t)
			}
			t.Parallel()
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			go func() {
				for {
					conn, err := l.Accept()
					if err != nil {
						return
					}
					go func() { defer conn.Close(); c.talk(conn) }()
				}
			}()
			began := time.Now()
			_, err = Open(t.Context(), ServerOptions{DSN: "joe:" + password + "@tcp(" + l.Addr().String() + ")/so"})
			fault, remedy := schema.FaultOf(err)
			if err == nil || fault != c.fault || remedy == "" || !strings.Contains(err.Error()+remedy, c.says) || time.Since(began) > 2*time.Minute {
				t.Errorf("fault %v after %v: %v (%s)", fault, time.Since(began), err, remedy)
			}
			if name != "a refusal" && strings.Contains(err.Error()+remedy, password) { // package main hides what the server quotes
				t.Errorf("it prints the password: %v", err)
			}
		})
	}
	for _, dsn := range []string{"joe:" + password + "/so", "joe:" + password + "@tcp(h)so", password, "joe:" + password + "@/"} {
		_, err := Open(t.Context(), ServerOptions{DSN: dsn})
		if fault, _ := schema.FaultOf(err); fault != schema.FaultUsage || strings.Contains(err.Error(), password) {
			t.Errorf("%s: fault %v: %v", dsn, fault, err)
		}
	}
}

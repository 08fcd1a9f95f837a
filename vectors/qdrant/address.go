package qdrant

import (
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"s2g/schema"
)

// The ports of a Qdrant server.
const (
	grpcPort = 6334
	restPort = 6333
)

// Address is where a server takes gRPC calls.
type Address struct {
	Host string // a name or an IP address, without brackets
	Port int
	TLS  bool
}

// ParseAddress reads host, host:port, http://host:port or https://host:port, where
// https means TLS. The port is 6334 unless it is given. What is no such address is a
// usage fault, and so is port 6333, which speaks REST.
func ParseAddress(value string) (Address, error) {
	const form = "give host:port, or https://host:port for TLS"
	text := value
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	u, err := url.Parse(text)
	if err != nil {
		// the error repeats the URL, which may hold a secret
		return Address{}, schema.Faultf(schema.FaultUsage, form, "the address of Qdrant is not a URL")
	}
	switch {
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return Address{}, schema.Faultf(schema.FaultUsage, "give the API key as the environment variable S2G_QDRANT_API_KEY", "the address of Qdrant holds more than a host and a port")
	case u.Scheme != "http" && u.Scheme != "https":
		return Address{}, schema.Faultf(schema.FaultUsage, form, "%q: Qdrant is not reached by %s", value, u.Scheme)
	case u.Hostname() == "" || strings.Trim(u.Path, "/") != "":
		return Address{}, schema.Faultf(schema.FaultUsage, form, "%q is not the address of a Qdrant server", value)
	}
	a := Address{Host: u.Hostname(), Port: grpcPort, TLS: u.Scheme == "https"}
	if port := u.Port(); port != "" {
		if a.Port, err = strconv.Atoi(port); err != nil || a.Port < 1 || a.Port > 1<<16-1 {
			return Address{}, schema.Faultf(schema.FaultUsage, form, "%q has no good port", value)
		}
	}
	if a.Port == restPort {
		return Address{}, schema.Faultf(schema.FaultUsage, "give port 6334, where Qdrant takes gRPC", "%q: port 6333 is Qdrant's REST", value)
	}
	return a, nil
}

// String is the address as a URL, as http://127.0.0.1:6334; https is TLS.
func (a Address) String() string {
	scheme := "http"
	if a.TLS {
		scheme = "https"
	}
	return scheme + "://" + net.JoinHostPort(a.Host, strconv.Itoa(a.Port))
}

// local says whether what is sent there stays on this machine.
func (a Address) local() bool {
	if a.Host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(a.Host)
	return err == nil && ip.IsLoopback()
}

// dialled is the host as the client wants it, which puts a colon and the port after it.
func (a Address) dialled() string {
	if strings.Contains(a.Host, ":") {
		return "[" + a.Host + "]"
	}
	return a.Host
}

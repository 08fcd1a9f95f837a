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

// Address is the address of a server's gRPC API.
type Address struct {
	Host string // a name or an IP address, without brackets
	Port int
	TLS  bool
}

// ParseAddress parses host, host:port, http://host:port or https://host:port, where
// https means TLS. The default port is 6334. Another form is a usage fault, and so is
// port 6333, which serves REST.
func ParseAddress(value string) (Address, error) {
	const form = "give host:port, or https://host:port for TLS"
	text := value
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	u, err := url.Parse(text)
	if err != nil {
		// without the URL, which may hold a secret
		return Address{}, schema.Faultf(schema.FaultUsage, form, "the address of Qdrant is not a URL")
	}
	switch {
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return Address{}, schema.Faultf(schema.FaultUsage, "give the API key as the environment variable S2G_QDRANT_API_KEY", "the address of Qdrant holds more than a host and a port")
	case u.Scheme != "http" && u.Scheme != "https":
		return Address{}, schema.Faultf(schema.FaultUsage, form, "%q: Qdrant has no API over %s", value, u.Scheme)
	case u.Hostname() == "" || strings.Trim(u.Path, "/") != "":
		return Address{}, schema.Faultf(schema.FaultUsage, form, "%q is not the address of a Qdrant server", value)
	}
	a := Address{Host: u.Hostname(), Port: grpcPort, TLS: u.Scheme == "https"}
	if port := u.Port(); port != "" {
		if a.Port, err = strconv.Atoi(port); err != nil || a.Port < 1 || a.Port > 1<<16-1 {
			return Address{}, schema.Faultf(schema.FaultUsage, form, "%q has an invalid port", value)
		}
	}
	if a.Port == restPort {
		return Address{}, schema.Faultf(schema.FaultUsage, "give port 6334, that of gRPC", "%q: port 6333 is that of Qdrant's REST API", value)
	}
	return a, nil
}

// String returns the address as a URL, as http://127.0.0.1:6334; https means TLS.
func (a Address) String() string {
	scheme := "http"
	if a.TLS {
		scheme = "https"
	}
	return scheme + "://" + a.hostPort()
}

// hostPort returns the host and the port, joined by a colon.
func (a Address) hostPort() string { return net.JoinHostPort(a.Host, strconv.Itoa(a.Port)) }

// isLocal reports whether the server is on this machine.
func (a Address) isLocal() bool {
	if a.Host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(a.Host)
	return err == nil && ip.IsLoopback()
}

// dialHost returns the host for the client, which appends a colon and the port.
func (a Address) dialHost() string {
	if strings.Contains(a.Host, ":") {
		return "[" + a.Host + "]"
	}
	return a.Host
}

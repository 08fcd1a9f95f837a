package remote

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"regexp"
	"strings"
	"time"
)

// Protocol is a kind of server, as seen from its first bytes.
type Protocol uint8

// The protocols that [Identify] distinguishes.
const (
	Unknown Protocol = iota
	HTTP             // HTTP/1 without TLS
	TLS              // anything behind TLS
	GRPC             // HTTP/2 without TLS
	Other            // another protocol, as MariaDB's
	Silent           // it accepts connections and sends nothing
)

// Peer is what answers at an address.
type Peer struct {
	Protocol Protocol
	Name     string // for messages, as "Qdrant's REST API"; empty if Unknown
}

// identifyTimeout limits each of the three connections of Identify.
const identifyTimeout = 1500 * time.Millisecond

// Identify returns what answers at host:port. It connects up to three times, without any credentials.
func Identify(ctx context.Context, address string) Peer {
	host, _, _ := net.SplitHostPort(address)
	first, open := exchange(ctx, address, "GET / HTTP/1.1\r\nHost: "+host+"\r\nAccept: application/json, */*\r\nConnection: close\r\n\r\n")
	if !open {
		return Peer{}
	}
	if p := classify(first); p.Protocol != Unknown {
		return p
	}
	if speaksTLS(ctx, address, host) {
		return Peer{TLS, "a server with TLS"}
	}
	// the preface of HTTP/2 and an empty frame of settings
	second, _ := exchange(ctx, address, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00")
	if p := classify(second); p.Protocol != Unknown {
		return p
	}
	if len(first) == 0 && len(second) == 0 {
		return Peer{Silent, "something that accepts connections and answers nothing"}
	}
	return Peer{Other, "a server of another protocol"}
}

// exchange sends a request and returns the first bytes of the answer, and whether the address accepts a connection.
func exchange(ctx context.Context, address, request string) (answer []byte, open bool) {
	ctx, cancel := context.WithTimeout(ctx, identifyTimeout)
	defer cancel()
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, false
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	_, _ = io.WriteString(conn, request) // the server may have closed it after a greeting
	answer, _ = io.ReadAll(io.LimitReader(conn, 4<<10))
	return answer, true
}

func speaksTLS(ctx context.Context, address, host string) bool {
	ctx, cancel := context.WithTimeout(ctx, identifyTimeout)
	defer cancel()
	// Nothing is sent over this connection, so any certificate does.
	d := tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true, ServerName: host, NextProtos: []string{"h2", "http/1.1"}}}
	conn, err := d.DialContext(ctx, "tcp", address)
	if err == nil {
		_ = conn.Close()
		return true
	}
	_, alert := errors.AsType[tls.AlertError](err)
	return alert || strings.Contains(err.Error(), "remote error: tls:")
}

var (
	qdrantVersion = regexp.MustCompile(`"version"\s*:\s*"([0-9A-Za-z.+-]{1,30})"`)
	serverHeader  = regexp.MustCompile(`(?im)^server:\s*(\S[^\r\n]*)`)
)

// classify recognizes a server by its first bytes.
func classify(answer []byte) Peer {
	text := string(answer)
	lower := strings.ToLower(text)
	switch {
	case len(answer) == 0:
		return Peer{}
	case len(answer) >= 3 && (answer[0] == 0x15 || answer[0] == 0x16) && answer[1] == 3: // a record of TLS
		return Peer{TLS, "a server with TLS"}
	case len(answer) >= 9 && answer[0] == 0 && answer[5]&0x80 == 0 && (answer[3] == 4 || answer[3] == 7): // SETTINGS, GOAWAY
		return Peer{GRPC, "a gRPC or HTTP/2 server"}
	case len(answer) >= 5 && answer[3] == 0 && (answer[4] == 10 || answer[4] == 0xff):
		return Peer{Other, "MariaDB or MySQL"}
	case strings.HasPrefix(text, "SSH-"):
		return Peer{Other, "an SSH server"}
	case strings.HasPrefix(text, "-ERR"), strings.HasPrefix(text, "-NOAUTH"), strings.HasPrefix(text, "-DENIED"):
		return Peer{Other, "Redis"}
	case strings.HasPrefix(text, "220 "), strings.HasPrefix(text, "220-"), strings.HasPrefix(text, "+OK "), strings.HasPrefix(text, "* OK"):
		return Peer{Other, "a mail or FTP server"}
	case strings.HasPrefix("HTTP/", text): // no more of it within the time
		return Peer{HTTP, "a slow web server"}
	case !strings.HasPrefix(text, "HTTP/"):
		if IsPage("", answer) {
			return Peer{HTTP, "a web server"}
		}
		return Peer{}
	case strings.HasPrefix(text, "HTTP/1") && RequiresTLS(lower):
		return Peer{TLS, "a server with TLS"}
	case strings.Contains(lower, `"title":"qdrant`):
		name := "Qdrant's REST API"
		if found := qdrantVersion.FindStringSubmatch(text); found != nil {
			name += ", version " + found[1]
		}
		return Peer{HTTP, name}
	case strings.Contains(lower, "graphdb"):
		return Peer{HTTP, "GraphDB"}
	case strings.Contains(lower, "rdf4j"):
		return Peer{HTTP, "RDF4J"}
	}
	head, body, _ := bytes.Cut(answer, []byte("\r\n\r\n"))
	name := "a web server"
	if found := serverHeader.FindSubmatch(head); found != nil {
		name += " (" + Secrets{}.Text(string(found[1]), 40) + ")"
	}
	if page := PageTitle(body); page != "" {
		name += fmt.Sprintf(" with the page %q", page)
	}
	return Peer{HTTP, name}
}

// RequiresTLS reports whether the text of a plain HTTP answer is that the port is one of TLS, in the words of Go, nginx, Apache
// and Tomcat.
func RequiresTLS(text string) bool {
	lower := strings.ToLower(text)
	for _, words := range []string{"http request to an https server", "plain http request was sent to https port", "speaking plain http to an ssl-enabled", "requires tls"} {
		if strings.Contains(lower, words) {
			return true
		}
	}
	return false
}

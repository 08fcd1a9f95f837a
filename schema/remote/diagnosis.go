package remote

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// MaxHeader limits the header of an answer, in bytes.
const MaxHeader = 256 << 10

// Target is the server that a client expects at an address.
type Target struct {
	Address string   // host:port
	TLS     bool     // the client uses TLS
	Wanted  Protocol // HTTP or GRPC
	Server  string   // its name, as "Qdrant"
}

// NewTarget returns the target of a URL whose scheme is http or https.
func NewTarget(u *url.URL, server string) Target {
	t := Target{Address: u.Host, TLS: u.Scheme == "https", Wanted: HTTP, Server: server}
	if u.Port() == "" {
		port := "80"
		if t.TLS {
			port = "443"
		}
		t.Address = net.JoinHostPort(u.Hostname(), port)
	}
	return t
}

// WrongServerError reports that something else than the expected server answers, or that its certificate is refused. A
// retry does not help.
type WrongServerError struct {
	Address string
	Found   string // what answers
	Remedy  string
	Later   bool  // it may be gone later, as a page of maintenance: a fault of the service, not of the configuration
	Err     error // may be nil
}

// Error returns the address, what answers there, and the error that has shown it.
func (e *WrongServerError) Error() string {
	text := e.Address + ": " + e.Found
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// Unwrap returns the error that has shown it.
func (e *WrongServerError) Unwrap() error { return e.Err }

// Page returns the error of an answer that is a web page.
func (t Target) Page(status int, body []byte, s Secrets) *WrongServerError {
	found := fmt.Sprintf("a web page (status %d)", status)
	if name := PageTitle(body); name != "" {
		found += fmt.Sprintf(" titled %q", s.Text(name, 80))
	}
	return &WrongServerError{Address: t.Address, Found: found + " answers in place of " + t.Server, Later: true,
		Remedy: "a proxy, a login page or another service answers there: check host, port and path, and the variables HTTP_PROXY, HTTPS_PROXY and NO_PROXY"}
}

// TooLong returns the error of an answer that exceeds the limit of what is read.
func (t Target) TooLong(limit int64) *WrongServerError {
	return &WrongServerError{Address: t.Address, Found: fmt.Sprintf("the answer is longer than %d bytes, more than %s sends", limit, t.Server), Later: true,
		Remedy: "another service may answer there: check host, port and path"}
}

// Diagnose returns why err, the failure of a connection or a first request, is no fault that passes: the certificate is
// refused, or another protocol answers. It returns nil where a retry may help. It connects to the address where err does not
// suffice, but not where a proxy of the environment stands between.
func (t Target) Diagnose(ctx context.Context, err error) *WrongServerError {
	text := err.Error()
	has := func(parts ...string) bool {
		for _, part := range parts {
			if strings.Contains(text, part) {
				return true
			}
		}
		return false
	}
	wrong := func(found, remedy string) *WrongServerError {
		return &WrongServerError{Address: t.Address, Found: found, Remedy: remedy, Err: err}
	}
	switch {
	case has("x509: certificate is valid for", "x509: certificate is not valid for any names", "because it doesn't contain any IP SANs"):
		return wrong("the certificate is of another host", "give the host by the name in the certificate")
	case has("x509: certificate has expired"):
		return wrong("the certificate has expired or is not yet valid", "renew the server's certificate, or set this machine's clock")
	case has("x509:"):
		return wrong("the certificate is not trusted", "set SSL_CERT_FILE to a file with the certificate of the server or of its authority, as PEM")
	case has("tls: certificate required", "tls: bad certificate"):
		return wrong("the server requires a certificate of the client", "let a proxy present it: s2g has no client certificates")
	case has("first record does not look like a TLS handshake", "server gave HTTP response to HTTPS client"):
		return wrong("there is no TLS on this port"+t.Answering(ctx), "give http:// in place of https://, or the port of TLS")
	case has("Proxy Authentication Required"):
		return wrong("the proxy requires a user", "give it in HTTPS_PROXY, as http://USER:PASSWORD@HOST:PORT")
	case has("response headers exceeded", "too many 1xx"):
		e := wrong("the answer has an endless header", "another service may answer there: check host, port and path")
		e.Later = true
		return e
	case has("missing selected ALPN property", "no application protocol"):
		return wrong("a server with TLS and without gRPC answers", t.remedy(Peer{HTTP, ""}))
	case has("remote error: tls:", "tls: server selected unsupported"):
		return wrong("the server refuses the TLS handshake", "check host and port: it requires TLS 1.2 or newer on both sides")
	}
	definite := has("malformed HTTP", "readLoopPeekFail", "Unsolicited response", "looked like an HTTP/1.1 header", "http2: frame too large", "unsupported protocol scheme")
	if !definite && !has("EOF", "reset by peer", "broken pipe", "error reading server preface", "server closed", "no answer within", "deadline exceeded", "i/o timeout") {
		return nil
	}
	if t.proxied() {
		if definite {
			return wrong("another protocol answers", "check host, port and proxy")
		}
		return nil
	}
	p := Identify(ctx, t.Address)
	switch {
	case p.Protocol == Unknown && !definite, p.Protocol == Silent && !definite:
		return nil // it may be starting
	case t.TLS && p.Protocol == TLS, !t.TLS && p.Protocol == t.Wanted:
		if !definite {
			return nil
		}
	}
	if p.Name == "" {
		return wrong("another protocol answers in place of "+t.Server, t.remedy(p))
	}
	// err is the consequence in the words of a library
	return &WrongServerError{Address: t.Address, Found: p.Name + " answers in place of " + t.Server, Remedy: t.remedy(p)}
}

// Foreign returns the error of a first request that is answered with a status as 404, where a known other server answers. err
// is the error of that status.
func (t Target) Foreign(ctx context.Context, err error) *WrongServerError {
	if t.proxied() || t.TLS {
		return nil
	}
	p := Identify(ctx, t.Address)
	if p.Protocol == Unknown || p.Protocol == Silent || strings.HasPrefix(p.Name, "a web server") || strings.Contains(t.Server, p.Name) {
		return nil
	}
	return &WrongServerError{Address: t.Address, Found: p.Name + " answers in place of " + t.Server, Remedy: t.remedy(p), Err: err}
}

// Answering returns what answers, for the end of a sentence: ", an SSH server answers". It is empty where nothing is known.
func (t Target) Answering(ctx context.Context) string {
	if t.proxied() {
		return ""
	}
	switch p := Identify(ctx, t.Address); {
	case p.Name == "":
		return ""
	case p.Protocol == Silent:
		return " is " + p.Name
	default:
		return ", " + p.Name + " answers"
	}
}

// remedy returns what to do about a server of another protocol.
func (t Target) remedy(p Peer) string {
	switch {
	case p.Protocol == TLS && !t.TLS:
		return "give https:// in place of http://"
	case t.Wanted == GRPC && p.Protocol == HTTP:
		return "give the port of Qdrant's gRPC API, 6334 by default; 6333 is that of REST"
	case t.Wanted == HTTP && p.Protocol == GRPC:
		return "give the port of the server's HTTP API: this one speaks gRPC, as Qdrant's 6334"
	}
	return "check host and port"
}

// proxied reports whether a proxy of the environment stands between.
func (t Target) proxied() bool {
	scheme := "http"
	if t.TLS || t.Wanted == GRPC { // gRPC uses HTTPS_PROXY
		scheme = "https"
	}
	proxy, err := http.ProxyFromEnvironment(&http.Request{URL: &url.URL{Scheme: scheme, Host: t.Address}})
	return err != nil || proxy != nil
}

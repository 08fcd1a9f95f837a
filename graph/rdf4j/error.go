package rdf4j

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"time"

	"s2g/schema/remote"
)

// maxMessage limits the message of a StatusError, and maxRead what is read of the answer
// for it, in bytes.
const (
	maxMessage = 1 << 10
	maxRead    = 64 << 10
)

// StatusError is an answer with a status other than 2xx.
type StatusError struct {
	Server  string // host and port
	Request string // as "PUT /repositories/books"
	Status  int
	Message string // the server's, as [remote.Secrets.Text] returns it; may be empty

	RetryAfter time.Duration // the pause that the server requests; 0: none
}

// Error returns server, request, status and message.
func (e *StatusError) Error() string {
	text := fmt.Sprintf("%s %s: %d %s", e.Server, e.Request, e.Status, http.StatusText(e.Status))
	if e.Message != "" {
		text += ": " + e.Message
	}
	return text
}

// malformed matches the message of a server that cannot read the data. In a transaction
// GraphDB's status is then 500, and that of RDF4J's own stores 400.
var malformed = regexp.MustCompile(`MALFORMED DATA|RDFParseException|UnsupportedRDFormat|Invalid IRI`)

// Malformed reports whether the server could not read the data, so that a retry does
// not help.
func (e *StatusError) Malformed() bool {
	return e.Status == http.StatusUnsupportedMediaType ||
		e.Status == http.StatusBadRequest || e.Status >= 500 && malformed.MatchString(e.Message)
}

// IsStatus reports whether err is a StatusError of that status.
func IsStatus(err error, status int) bool {
	e, ok := errors.AsType[*StatusError](err)
	return ok && e.Status == status
}

// NoResponseError is a request without a complete answer. It is unknown whether the
// server has carried it out.
type NoResponseError struct {
	Server, Request string // as in StatusError
	Err             error
}

// Error returns server, request and cause.
func (e *NoResponseError) Error() string { return e.Server + " " + e.Request + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *NoResponseError) Unwrap() error { return e.Err }

// Timeout reports whether the request exceeded its time limit.
func (e *NoResponseError) Timeout() bool {
	_, ok := errors.AsType[errTimeout](e.Err)
	return ok
}

// AnswerError is an answer with status 2xx that is not what the protocol defines.
type AnswerError struct {
	Server, Request string // as in StatusError
	Err             error
}

// Error returns server, request and cause.
func (e *AnswerError) Error() string { return e.Server + " " + e.Request + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *AnswerError) Unwrap() error { return e.Err }

// RetryAfter returns the pause that the server requests with a status, 0 for none.
func RetryAfter(err error) time.Duration {
	if e, ok := errors.AsType[*StatusError](err); ok {
		return e.RetryAfter
	}
	return 0
}

// Temporary reports whether the same request may succeed later: the server is
// unreachable, closes the connection, exceeds the time limit, or answers 408, 429 or
// 5xx. Malformed data, an ended context and an untrusted certificate are not temporary.
func Temporary(err error) bool {
	if _, ok := errors.AsType[*remote.WrongServerError](err); ok {
		return false
	}
	if _, ok := errors.AsType[*NoResponseError](err); ok {
		_, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
		return !untrusted && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded)
	}
	e, ok := errors.AsType[*StatusError](err)
	if !ok {
		return false
	}
	switch e.Status {
	case http.StatusRequestTimeout, http.StatusTooManyRequests:
		return true
	case http.StatusNotImplemented, http.StatusHTTPVersionNotSupported, http.StatusInsufficientStorage:
		return false
	}
	return e.Status >= 500 && !e.Malformed()
}

// errTimeout is the cause of a request that exceeded its time limit.
type errTimeout struct{ limit time.Duration }

func (e errTimeout) Error() string { return "no answer within " + e.limit.String() }

// check returns the error of an answer that is not of status 2xx, or a web page.
func (c *Client) check(ctx context.Context, r request, answer *http.Response) error {
	status, media := answer.StatusCode, answer.Header.Get("Content-Type")
	if status/100 == 2 && !remote.IsPage(media, nil) {
		c.answered.Store(true)
		return nil
	}
	text, _ := io.ReadAll(io.LimitReader(answer.Body, maxRead)) // a part of a message is better than none
	page := remote.IsPage(media, text)
	// A server's own pages report errors, and those of a proxy that the server is down.
	if page && (status/100 == 2 || !c.answered.Load() && !mayBePage(status)) {
		return c.target.Page(status, text, c.secrets)
	}
	e := &StatusError{Server: c.base.Host, Request: c.name(r), Status: status, RetryAfter: remote.RetryAfter(answer.Header.Get("Retry-After"), time.Now())}
	message := string(text)
	switch {
	case status/100 == 3:
		message = "redirects to " + answer.Header.Get("Location")
	case page:
		message = remote.PageText(text)
	}
	e.Message = c.secrets.Text(message, maxMessage)
	if !c.answered.Load() {
		return c.examineStatus(ctx, e, media)
	}
	return e
}

// mayBePage reports whether the answers of a status are often pages: of a proxy, or of a
// server that requires a user.
func mayBePage(status int) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired, http.StatusRequestTimeout, http.StatusTooManyRequests,
		http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return status/100 == 3
}

// examineStatus returns, in place of the error of a first request, a
// [remote.WrongServerError] where another server answers.
func (c *Client) examineStatus(ctx context.Context, e *StatusError, media string) error {
	switch {
	case remote.RequiresTLS(e.Message):
		return &remote.WrongServerError{Address: c.target.Address, Found: "the port requires TLS", Remedy: "give https:// in place of http://", Err: e}
	case strings.HasPrefix(media, "application/grpc"):
		return &remote.WrongServerError{Address: c.target.Address, Found: "a gRPC server answers", Remedy: "give the port of the server's HTTP API", Err: e}
	case e.Status/100 != 4 || e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden || e.Status == http.StatusProxyAuthRequired ||
		e.Status == http.StatusRequestTimeout || e.Status == http.StatusTooManyRequests:
		return e
	}
	if wrong := c.target.Foreign(ctx, e); wrong != nil {
		return wrong
	}
	return e
}

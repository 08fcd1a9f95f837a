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
)

// maxMessage limits the message of a StatusError, in bytes.
const maxMessage = 2 << 10

// StatusError is an answer with a status other than 2xx.
type StatusError struct {
	Server  string // host and port
	Request string // as "PUT /repositories/books"
	Status  int
	Message string // the server's, on one line, at most 2 KiB; may be empty
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

// Temporary reports whether the same request may succeed later: the server is
// unreachable, closes the connection, exceeds the time limit, or answers 408, 429 or
// 5xx. Malformed data, an ended context and an untrusted certificate are not temporary.
func Temporary(err error) bool {
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

// markup matches the tags of HTML, with the contents of styles and scripts.
var markup = regexp.MustCompile(`(?s)<(style|script).*?</(style|script)>|<[^>]*>`)

// statusError reads the message of an answer with a status other than 2xx.
func statusError(server, request string, answer *http.Response) error {
	text, _ := io.ReadAll(io.LimitReader(answer.Body, maxMessage)) // a part of a message is better than none
	message := string(text)
	switch {
	case answer.StatusCode/100 == 3:
		message = "redirects to " + answer.Header.Get("Location")
	case strings.Contains(answer.Header.Get("Content-Type"), "html"):
		message = markup.ReplaceAllString(message, " ")
	}
	message = strings.Join(strings.Fields(strings.ToValidUTF8(message, "")), " ")
	return &StatusError{Server: server, Request: request, Status: answer.StatusCode, Message: message}
}

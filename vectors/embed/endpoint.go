package embed

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"s2g/schema"
)

// RemoteOptions configures requests to an embedder at endpoints. The zero value works.
type RemoteOptions struct {
	RetryFor time.Duration       // how long requests are retried while no endpoint answers; 0: 2 minutes
	Timeout  time.Duration       // of one request; 0: 2 minutes
	Getenv   func(string) string // returns the keys; nil: os.Getenv
	Log      *slog.Logger        // nil: nothing is logged

	inFlight   int           // requests in flight to an endpoint; 0: 2, one that it works on and the next one
	firstPause time.Duration // after a first failure; 0: retry.DefaultFirstPause
}

func (o RemoteOptions) withDefaults() RemoteOptions {
	o.RetryFor = cmp.Or(o.RetryFor, 2*time.Minute)
	o.Timeout = cmp.Or(o.Timeout, 2*time.Minute)
	o.inFlight = cmp.Or(o.inFlight, 2)
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// maxAnswer is the length, in bytes, of the longest answer that is read: the largest batch of the longest vectors, as
// decimal numbers.
const maxAnswer = 256 << 20

// endpoint is one address of a server.
type endpoint struct {
	base     string // URL, as the spec has it
	key      string
	client   *http.Client
	failures atomic.Int64 // in a row
	answered atomic.Bool  // it has given a good answer
}

// endpoints returns the endpoints of a spec. Their key is that of the variable own, else of the variable others, where
// others is not empty. No key goes to another machine unencrypted: a key in own is then an error, a key in others, which
// was set for another purpose, is omitted.
func (s Spec) endpoints(o RemoteOptions, own, others string) ([]*endpoint, error) {
	key, name := o.Getenv(own), own
	if key == "" && others != "" {
		key, name = o.Getenv(others), others
	}
	client := newClient(o.inFlight + tokenizerInFlight)
	var out []*endpoint
	for _, base := range s.Endpoints {
		e := &endpoint{base: base, client: client, key: key}
		if key != "" && strings.HasPrefix(base, "http://") && !isLocal(base) {
			if name == own {
				return nil, schema.Faultf(schema.FaultUsage, "use https", "the key in %s would go to %s unencrypted", name, base)
			}
			o.Log.Warn("the key is omitted, because the connection is not encrypted", "variable", name, "endpoint", base)
			e.key = ""
		}
		out = append(out, e)
	}
	return out, nil
}

// isLocal reports whether a URL is of this machine.
func isLocal(base string) bool {
	u, err := url.Parse(base)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// newClient returns a client that connects to this machine directly, to others through the proxy of the environment (both
// by http.ProxyFromEnvironment), and follows no redirect, which would send texts and key elsewhere.
func newClient(idle int) *http.Client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DialContext = (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext
	t.MaxIdleConns, t.MaxIdleConnsPerHost = 0, idle
	t.DisableCompression = true
	return &http.Client{Transport: t, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// post sends a request, and returns the whole answer of status 200. A path that begins with two slashes is relative to the
// address without the version of the API, where vLLM has its own routes; any other is relative to the base.
func (e *endpoint) post(ctx context.Context, path string, body []byte) ([]byte, error) {
	address := e.base + path
	if rest, ok := strings.CutPrefix(path, "//"); ok {
		address = strings.TrimSuffix(e.base, "/v1") + "/" + rest
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("request to %s: %w", e.base, err)
	}
	req.Header.Set("Content-Type", "application/json")
	if e.key != "" {
		req.Header.Set("Authorization", "Bearer "+e.key)
	}
	resp, err := e.client.Do(req)
	if err != nil {
		dial, ok := errors.AsType[*net.OpError](err)
		if text := e.redactKey(err.Error()); text != err.Error() { // a proxy's error might hold it
			err = errors.New(text)
		}
		return nil, &temporaryError{err: err, busy: ok && dial.Op == "dial"}
	}
	defer resp.Body.Close()
	var answer bytes.Buffer
	if n := resp.ContentLength; n > 0 && n <= maxAnswer {
		answer.Grow(int(n) + bytes.MinRead)
	}
	n, err := answer.ReadFrom(io.LimitReader(resp.Body, maxAnswer+1))
	if err == nil && n > maxAnswer {
		err = fmt.Errorf("longer than %d bytes", maxAnswer)
	}
	if resp.StatusCode != http.StatusOK {
		return nil, e.statusError(resp, answer.Bytes())
	}
	if err != nil {
		return nil, e.answerError(err)
	}
	return answer.Bytes(), nil
}

// answerError returns the error of an answer that cannot be used.
func (e *endpoint) answerError(err error) error {
	return &temporaryError{err: fmt.Errorf("answer of %s: %w", e.base, err)}
}

// statusError returns the error of a status other than 200. An endpoint that has answered before is taken to recover: a
// gateway answers 404 while the server behind it starts.
func (e *endpoint) statusError(resp *http.Response, answer []byte) error {
	message := e.errorMessage(answer)
	err := fmt.Errorf("%s: status %d: %s", e.base, resp.StatusCode, message)
	switch code := resp.StatusCode; {
	case code == http.StatusBadRequest || code == http.StatusRequestEntityTooLarge || code == http.StatusUnprocessableEntity,
		code == http.StatusInternalServerError && isLengthError(message):
		return &refusal{status: code, message: message}
	case code == http.StatusTooManyRequests || code == http.StatusServiceUnavailable:
		return &temporaryError{err: err, after: parseRetryAfter(resp.Header.Get("Retry-After")), status: code, busy: true}
	case code >= 500 || code == http.StatusRequestTimeout || code == http.StatusFailedDependency || e.answered.Load():
		return &temporaryError{err: err, status: code}
	case code == http.StatusUnauthorized || code == http.StatusForbidden:
		return schema.Faultf(schema.FaultUsage, "give the key in the environment, see docs/vectors.md", "%w", err)
	case code >= 300 && code < 400:
		return schema.Faultf(schema.FaultUsage, "give the address that it leads to", "%s redirects to another address", e.base)
	}
	return schema.Faultf(schema.FaultUsage, "see that the address and the model's name are those of the server", "%w", err)
}

// errorMessage returns the error's text in an answer, which servers put in different places, on one line of at most 300
// bytes.
func (e *endpoint) errorMessage(answer []byte) string {
	var a struct {
		Error, Message, Detail json.RawMessage
	}
	message := string(answer)
	if json.Unmarshal(answer, &a) == nil {
		for _, raw := range []json.RawMessage{a.Error, a.Message, a.Detail} {
			var text string
			var object struct{ Message string }
			if json.Unmarshal(raw, &text) == nil && text != "" {
				message = text
				break
			}
			if json.Unmarshal(raw, &object) == nil && object.Message != "" {
				message = object.Message
				break
			}
		}
	}
	message = e.redactKey(message)
	message = strings.Join(strings.Fields(strings.ToValidUTF8(message, "")), " ")
	if len(message) > 300 {
		message = strings.ToValidUTF8(message[:300], "") + "..."
	}
	return message
}

// redactKey replaces the key in a text that may be logged.
func (e *endpoint) redactKey(text string) string {
	if e.key == "" {
		return text
	}
	return strings.ReplaceAll(text, e.key, "***")
}

// parseRetryAfter reads the header of that name: seconds or a date. It returns 0 for anything else.
func parseRetryAfter(header string) time.Duration {
	if seconds, err := strconv.ParseFloat(header, 64); err == nil && seconds >= 0 && seconds < 1e6 {
		return time.Duration(seconds * float64(time.Second))
	}
	if at, err := http.ParseTime(header); err == nil {
		return max(0, time.Until(at))
	}
	return 0
}

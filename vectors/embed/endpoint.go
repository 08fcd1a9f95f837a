package embed

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"s2g/schema"
)

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

// endpoints returns the endpoints of a spec. Their key is in the environment variable own, else in the variable others
// unless that name is empty. No key goes to another machine unencrypted: a key in own is then an error; a key in others,
// which was set for another purpose, is omitted.
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

// statusError returns the error of a status other than 200. Most errors of an endpoint that has answered before are temporary:
// a gateway returns 404 while the server behind it starts.
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

// errorMessage returns the text of an error on one line of at most 300 bytes. Servers put it in different places of the
// answer.
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

// temporaryError is a failure of a request that a retry may resolve.
type temporaryError struct {
	err    error
	after  time.Duration // pause that the server requests; 0: none
	status int           // of HTTP; 0: no answer, or an unreadable one
	busy   bool          // unrelated to the request: the endpoint is overloaded or unreachable
}

func (f *temporaryError) Error() string { return f.err.Error() }
func (f *temporaryError) Unwrap() error { return f.err }

// refusal reports that a server rejects the texts of a request.
type refusal struct {
	status  int
	message string
	crashes bool // the server does not report the fault: it fails on these texts, and answers the control request
	slow    bool // crashes by a timeout
}

func (r *refusal) Error() string {
	if r.crashes {
		return "the server fails on it: " + r.message
	}
	return fmt.Sprintf("status %d: %s", r.status, r.message)
}

// asRefusal returns the refusal in err's chain, or nil.
func asRefusal(err error) *refusal {
	r, _ := errors.AsType[*refusal](err)
	return r
}

// batchTooLarge reports whether the refusal is about the size of the batch, not about one of its texts. (The physical batch
// of llama.cpp is the tokens of one text.)
func (r *refusal) batchTooLarge() bool {
	message := strings.ToLower(r.message)
	if r.crashes {
		return r.slow || strings.Contains(message, "out of memory")
	}
	if strings.Contains(message, "physical batch") {
		return false
	}
	return strings.Contains(message, "batch") || strings.Contains(message, "array") || r.status == 413 && !r.namesLength()
}

// textTooLong reports whether the refusal of a single text is about its length.
func (r *refusal) textTooLong() bool {
	return !r.crashes && (r.namesLength() || r.status == 413)
}

// namesLength reports whether the message is about the length of a text. Each server has its own words.
func (r *refusal) namesLength() bool {
	message := strings.ToLower(r.message)
	for _, word := range []string{"token", "length", "too long", "context", "max_model_len", "too large to process"} {
		if strings.Contains(message, word) {
			return true
		}
	}
	return false
}

// isLengthError reports whether the message of status 500 is about the length of a text, which a retry does not mend:
// llama.cpp ("input is too large to process") and versions of Ollama ("the input length exceeds the context length").
func isLengthError(message string) bool {
	message = strings.ToLower(message)
	return strings.Contains(message, "too large to process") || strings.Contains(message, "exceed") && strings.Contains(message, "context")
}

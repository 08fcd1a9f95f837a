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
	"strings"
	"sync/atomic"
	"time"

	"s2g/schema"
	"s2g/schema/remote"
)

// Limits of what is read of an answer, in bytes.
const (
	maxAnswer      = 256 << 20
	maxErrorAnswer = 64 << 10 // of a status other than 200
	numberBytes    = 32       // a decimal number, generously
	tokenBytes     = 128      // a token of /tokenize for each byte of a request, generously
)

// answerLimit returns the length of the longest answer to a request: the longest vectors as decimal numbers, or tokens.
func answerLimit(texts int, body []byte) int64 {
	return min(maxAnswer, 1<<20+int64(texts)*maxDims*numberBytes+int64(len(body))*tokenBytes)
}

// endpoint is one address of a server.
type endpoint struct {
	base     string // URL, as the spec has it
	key      string
	secrets  remote.Secrets
	target   remote.Target
	client   *http.Client
	failures atomic.Int64 // in a row
	answered atomic.Bool  // it has given a good answer
	examined atomic.Bool  // a failure before it has been examined
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
		u, err := url.Parse(base)
		if err != nil {
			return nil, schema.Faultf(schema.FaultUsage, "", "an endpoint is no URL")
		}
		e := &endpoint{base: base, client: client, key: key, secrets: remote.NewSecrets(key), target: remote.NewTarget(u, "an embedding server")}
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
	t.MaxResponseHeaderBytes = remote.MaxHeader
	return &http.Client{Transport: t, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// post sends a request, and returns the whole answer of status 200, which has at most limit bytes. A path that begins with two slashes is relative to the
// address without the version of the API, where vLLM has its own routes; any other is relative to the base.
func (e *endpoint) post(ctx context.Context, path string, body []byte, limit int64) ([]byte, error) {
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
		return nil, e.examine(ctx, &temporaryError{err: e.secrets.Error(err), busy: ok && dial.Op == "dial"})
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		answer, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorAnswer)) // a part of a message is better than none
		return nil, e.statusError(ctx, resp, answer)
	}
	if encoding := resp.Header.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		return nil, schema.Faultf(schema.FaultService, "switch the compression of answers off at the server, or at the proxy before it",
			"%s compresses its answer (%s), which was not requested", e.base, e.secrets.Text(encoding, 40))
	}
	var answer bytes.Buffer
	if n := resp.ContentLength; n > 0 && n <= limit {
		answer.Grow(int(n) + bytes.MinRead)
	}
	n, err := answer.ReadFrom(io.LimitReader(resp.Body, limit+1))
	switch {
	case n > limit:
		return nil, wrongServer(e.target.TooLong(limit))
	case err != nil:
		return nil, e.answerError(e.secrets.Error(err))
	case remote.IsPage(resp.Header.Get("Content-Type"), answer.Bytes()):
		page := e.target.Page(resp.StatusCode, answer.Bytes(), e.secrets)
		if e.answered.Load() { // a proxy may return it while the server starts
			return nil, &temporaryError{err: page}
		}
		return nil, wrongServer(page)
	}
	return answer.Bytes(), nil
}

// answerError returns the error of an answer that cannot be used.
func (e *endpoint) answerError(err error) error {
	return &temporaryError{err: fmt.Errorf("answer of %s: %w", e.base, err)}
}

// brokenAnswer returns the error of an answer in another form than the API defines, which a retry hardly mends.
func (e *endpoint) brokenAnswer(err error) error {
	return &temporaryError{err: fmt.Errorf("answer of %s: %w", e.base, err), broken: true}
}

// examine returns, in place of the failure of a connection, the fault that is its cause if a retry does not help. It looks at
// the first failure, as long as the endpoint has not given a good answer.
func (e *endpoint) examine(ctx context.Context, failure *temporaryError) error {
	if e.answered.Load() || e.examined.Swap(true) {
		return failure
	}
	if wrong := e.target.Diagnose(context.WithoutCancel(ctx), failure.err); wrong != nil && !errors.Is(ctx.Err(), context.Canceled) {
		return wrongServer(wrong)
	}
	return failure
}

// wrongServer returns the fault of an address where something else answers.
func wrongServer(e *remote.WrongServerError) error {
	fault := schema.FaultUsage
	if e.Later {
		fault = schema.FaultService
	}
	return schema.Faultf(fault, e.Remedy, "%w", e)
}

// statusError returns the error of a status other than 200. Most errors of an endpoint that has answered before are temporary:
// a gateway returns 404 while the server behind it starts.
func (e *endpoint) statusError(ctx context.Context, resp *http.Response, answer []byte) error {
	message := e.errorMessage(answer)
	page := remote.IsPage(resp.Header.Get("Content-Type"), answer)
	if page {
		message = e.secrets.Text(remote.PageText(answer), remote.MaxText)
	}
	err := fmt.Errorf("%s: status %d: %s", e.base, resp.StatusCode, message)
	first := !e.answered.Load()
	switch code := resp.StatusCode; {
	case first && remote.RequiresTLS(message):
		return wrongServer(&remote.WrongServerError{Address: e.target.Address, Found: "the port requires TLS", Remedy: "give https:// in place of http://", Err: err})
	case first && strings.HasPrefix(resp.Header.Get("Content-Type"), "application/grpc"):
		return wrongServer(&remote.WrongServerError{Address: e.target.Address, Found: "a gRPC server answers", Remedy: "give the address of the embedding server", Err: err})
	case first && page && !mayBePage(code):
		return wrongServer(e.target.Page(code, answer, e.secrets))
	case code == http.StatusBadRequest || code == http.StatusRequestEntityTooLarge || code == http.StatusUnprocessableEntity,
		code == http.StatusInternalServerError && isLengthError(message):
		return &refusal{status: code, message: message}
	case code == http.StatusTooManyRequests || code == http.StatusServiceUnavailable:
		return &temporaryError{err: err, after: remote.RetryAfter(resp.Header.Get("Retry-After"), time.Now()), status: code, busy: true}
	case code >= 500 || code == http.StatusRequestTimeout || code == http.StatusFailedDependency || e.answered.Load():
		return &temporaryError{err: err, status: code}
	case code == http.StatusUnauthorized || code == http.StatusForbidden:
		return schema.Faultf(schema.FaultUsage, "give the key in the environment, see docs/vectors.md", "%w", err)
	case code >= 300 && code < 400:
		return schema.Faultf(schema.FaultUsage, "give the address that it leads to", "%s redirects to another address: %s", e.base, e.secrets.Text(resp.Header.Get("Location"), 200))
	}
	if wrong := e.target.Foreign(ctx, err); wrong != nil {
		return wrongServer(wrong)
	}
	return schema.Faultf(schema.FaultUsage, "see that the address and the model's name are those of the server", "%w", err)
}

// mayBePage reports whether the answers of a status are often pages: of a proxy, or of a server that requires a key.
func mayBePage(status int) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired, http.StatusRequestTimeout, http.StatusTooManyRequests,
		http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return status/100 == 3
}

// errorMessage returns the text of an error, fit to be printed. Servers put it in different places of the answer.
func (e *endpoint) errorMessage(answer []byte) string {
	if message := e.reportedError(answer); message != "" {
		return message
	}
	return e.secrets.Text(string(answer), remote.MaxText)
}

// reportedError returns the message of an answer that is an error as JSON; empty: it is none.
func (e *endpoint) reportedError(answer []byte) string {
	var a struct {
		Error, Message, Detail json.RawMessage
	}
	message := ""
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
	return e.secrets.Text(message, remote.MaxText)
}

// temporaryError is a failure of a request that a retry may resolve.
type temporaryError struct {
	err    error
	after  time.Duration // pause that the server requests; 0: none
	status int           // of HTTP; 0: no answer, or an unreadable one
	busy   bool          // unrelated to the request: the endpoint is overloaded or unreachable
	broken bool          // the answer is not what the API defines
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

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

// maxAnswer is the longest answer that is read: the largest batch of the longest vectors, as decimal numbers.
const maxAnswer = 256 << 20

// endpoint is one address of a server.
type endpoint struct {
	base     string // as the spec has it
	key      string
	client   *http.Client
	failed   atomic.Int64 // requests in a row
	answered atomic.Bool  // it has given a good answer before
}

// newClient returns a client that goes directly to this machine, through the proxy of the environment elsewhere (both
// is http.ProxyFromEnvironment's rule), and follows no redirect: that would send texts and key to another place.
func newClient(places int) *http.Client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DialContext = (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext
	t.MaxIdleConns, t.MaxIdleConnsPerHost = 0, places
	t.DisableCompression = true
	return &http.Client{Transport: t, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// root is the address without the version of the API: vLLM's own routes are there.
func (e *endpoint) root() string { return strings.TrimSuffix(e.base, "/v1") }

// local says whether an address is of this machine.
func local(base string) bool {
	u, err := url.Parse(base)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// post sends a request, and returns the whole answer of status 200. A path that begins with a slash is of the base,
// one with two of the root.
func (e *endpoint) post(ctx context.Context, path string, body []byte) ([]byte, error) {
	address := e.base + path
	if rest, ok := strings.CutPrefix(path, "//"); ok {
		address = e.root() + "/" + rest
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
		return nil, &failure{err: e.clean(err), busy: ok && dial.Op == "dial"}
	}
	defer resp.Body.Close()
	answer, err := readAll(resp)
	if resp.StatusCode == http.StatusOK && err != nil {
		return nil, &failure{err: fmt.Errorf("answer of %s: %w", e.base, err)}
	}
	if resp.StatusCode != http.StatusOK {
		return nil, e.fault(resp, answer)
	}
	return answer, nil
}

func readAll(resp *http.Response) ([]byte, error) {
	var b bytes.Buffer
	if n := resp.ContentLength; n > 0 && n <= maxAnswer {
		b.Grow(int(n) + bytes.MinRead)
	}
	n, err := b.ReadFrom(io.LimitReader(resp.Body, maxAnswer+1))
	if err == nil && n > maxAnswer {
		err = fmt.Errorf("it is longer than %d bytes", maxAnswer)
	}
	return b.Bytes(), err
}

// clean keeps the key out of an error's text. (Nothing puts it there; a proxy's error might.)
func (e *endpoint) clean(err error) error {
	if e.key == "" || !strings.Contains(err.Error(), e.key) {
		return err
	}
	return errors.New(strings.ReplaceAll(err.Error(), e.key, "***"))
}

// fault says what a status other than 200 means. What an endpoint that has worked before says of itself is taken to
// pass: a gateway says 404 while what is behind it starts.
func (e *endpoint) fault(resp *http.Response, answer []byte) error {
	said := e.message(answer)
	err := fmt.Errorf("%s: status %d: %s", e.base, resp.StatusCode, said)
	switch code := resp.StatusCode; {
	case code == http.StatusBadRequest || code == http.StatusRequestEntityTooLarge || code == http.StatusUnprocessableEntity,
		code == http.StatusInternalServerError && saysTooLong(said):
		return &refusal{status: code, message: said}
	case code == http.StatusTooManyRequests || code == http.StatusServiceUnavailable:
		return &failure{err: err, after: retryAfter(resp.Header.Get("Retry-After")), status: code, busy: true}
	case code >= 500 || code == http.StatusRequestTimeout || code == http.StatusFailedDependency || e.answered.Load():
		return &failure{err: err, status: code}
	case code == http.StatusUnauthorized || code == http.StatusForbidden:
		return schema.Faultf(schema.FaultUsage, "give the key in the environment; see the section on keys in docs/vectors.md", "%w", err)
	case code >= 300 && code < 400:
		return schema.Faultf(schema.FaultUsage, "give the address that it leads to", "%s redirects to another address", e.base)
	}
	return schema.Faultf(schema.FaultUsage, "see that the address and the model's name are those of the server", "%w", err)
}

// message finds what an answer says of an error, in the ways of different servers.
func (e *endpoint) message(answer []byte) string {
	var a struct {
		Error, Message, Detail json.RawMessage
	}
	said := string(answer)
	if json.Unmarshal(answer, &a) == nil {
		for _, raw := range []json.RawMessage{a.Error, a.Message, a.Detail} {
			var text string
			var object struct{ Message string }
			if json.Unmarshal(raw, &text) == nil && text != "" {
				said = text
				break
			}
			if json.Unmarshal(raw, &object) == nil && object.Message != "" {
				said = object.Message
				break
			}
		}
	}
	if e.key != "" {
		said = strings.ReplaceAll(said, e.key, "***")
	}
	said = strings.Join(strings.Fields(strings.ToValidUTF8(said, "")), " ")
	if len(said) > 300 {
		said = strings.ToValidUTF8(said[:300], "") + "..."
	}
	return said
}

// retryAfter reads the header of that name: seconds, or a date.
func retryAfter(header string) time.Duration {
	if seconds, err := strconv.ParseFloat(header, 64); err == nil && seconds >= 0 && seconds < 1e6 {
		return time.Duration(seconds * float64(time.Second))
	}
	if at, err := http.ParseTime(header); err == nil {
		return max(0, time.Until(at))
	}
	return 0
}

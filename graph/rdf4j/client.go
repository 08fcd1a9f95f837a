// Package rdf4j is a client of the RDF4J REST protocol of RDF4J Server and GraphDB:
// repositories, transactions, SPARQL queries; and of GraphDB's import of files on the
// server. It holds nothing specific to Stack Overflow and imports nothing of this
// project but package remote, which all clients share.
//
//	client, err := rdf4j.New(rdf4j.Config{URL: "http://localhost:7200"})
//	store := client.Repository("books")
//	tx, err := store.Begin(ctx)
//	err = tx.Add(ctx, rdf4j.Data{Media: rdf4j.TriG, Body: text})
//	err = tx.Commit(ctx) // or tx.Rollback(ctx), after any error
//
// A call makes one request and retries nothing. The caller retries; [Temporary] reports
// whether that can help. After an error the caller must roll the transaction back,
// because the server keeps it open with the data that it has read, and would commit
// them.
//
// The protocol is described at https://rdf4j.org/documentation/reference/rest-api/.
package rdf4j

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

	"s2g/schema/remote"
)

// DefaultTimeout limits a request where Config.Timeout is 0.
const DefaultTimeout = 10 * time.Minute

// maxAnswer limits, in bytes, the answers that call reads into memory.
const maxAnswer = 4 << 20

// probeTimeout limits the requests that find out what the server is.
const probeTimeout = 15 * time.Second

// Config configures a Client. Only URL is required.
type Config struct {
	URL string // of the server, as http://localhost:7200 or http://localhost:8080/rdf4j-server

	User, Password string // for HTTP Basic authentication; an empty User: none
	// Token is the Authorization header, as "Bearer …" or GraphDB's "GDB …". It takes
	// precedence over User.
	Token string

	// Timeout limits each request with its answer. An Add or a Commit takes as long as
	// the server needs for the transaction. 0: DefaultTimeout. Once the answer to a
	// query has begun, it limits each row.
	Timeout time.Duration
}

// Client sends requests to one server. Several goroutines may use it.
type Client struct {
	base     *url.URL
	auth     string
	secrets  remote.Secrets
	target   remote.Target
	timeout  time.Duration
	http     http.Client
	answered atomic.Bool // the server has given a good answer
	examined atomic.Bool // a failure before it has been examined
}

// New returns a client and sends nothing. The URL must be an http or https one without
// user, query and fragment.
func New(c Config) (*Client, error) {
	u, err := url.Parse(c.URL)
	if err != nil {
		return nil, errors.New("the URL of the server is malformed") // err may hold a password
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("%s is not the URL of a server, as http://localhost:7200", u.Redacted())
	}
	u.Path = strings.TrimRight(u.Path, "/")
	client := &Client{base: u, timeout: c.Timeout, auth: c.Token, target: remote.NewTarget(u, "GraphDB or RDF4J Server")}
	if client.auth == "" && c.User != "" {
		r := http.Request{Header: http.Header{}}
		r.SetBasicAuth(c.User, c.Password)
		client.auth = r.Header.Get("Authorization")
	}
	_, credentials, _ := strings.Cut(client.auth, " ")
	client.secrets = remote.NewSecrets(c.Password, c.Token, credentials)
	if client.timeout <= 0 {
		client.timeout = DefaultTimeout
	}
	client.http.Transport = &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 15 * time.Second}).DialContext,
		TLSHandshakeTimeout: 10 * time.Second,
		MaxIdleConnsPerHost: 16,
		// An endless header ends here.
		MaxResponseHeaderBytes: remote.MaxHeader,
		IdleConnTimeout:        30 * time.Second,
		ForceAttemptHTTP2:      true,
	}
	// A redirect is an error: it would send a PUT's body and the Authorization header elsewhere.
	client.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return client, nil
}

// URL returns the server's address.
func (c *Client) URL() string { return c.base.String() }

// Close closes idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Protocol returns the server's version of the protocol. It is the smallest request, so
// it serves as the test whether a server is up.
func (c *Client) Protocol(ctx context.Context) (int, error) {
	r := request{method: http.MethodGet, path: []string{"protocol"}, accept: "text/plain", limit: probeTimeout}
	text, err := c.call(ctx, r)
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0, c.answerError(r, fmt.Errorf("%q is no version of the RDF4J protocol", c.secrets.Text(string(text), 40)))
	}
	return n, nil
}

// GraphDBVersion returns the version of GraphDB, as "10.8.3"; empty where the server does
// not report one, as RDF4J Server.
func (c *Client) GraphDBVersion(ctx context.Context) (string, error) {
	r := request{method: http.MethodGet, path: []string{"rest", "info", "version"}, query: url.Values{"local": {"1"}}, accept: "application/json", limit: probeTimeout}
	text, err := c.call(ctx, r)
	if err != nil {
		if _, ok := errors.AsType[*StatusError](err); ok {
			return "", nil
		}
		return "", err
	}
	var info struct {
		ProductVersion string `json:"productVersion"`
	}
	if json.Unmarshal(text, &info) != nil {
		return "", nil
	}
	return c.secrets.Text(info.ProductVersion, 40), nil
}

// request is a request to the server of a Client.
type request struct {
	method   string
	path     []string // unescaped segments below the server's URL
	query    url.Values
	body     []byte
	media    string // of the body
	encoding string // of the body
	accept   string
	limit    time.Duration // 0: the client's
}

// call sends a request and returns the whole answer. An answer other than 2xx is a
// *StatusError.
func (c *Client) call(ctx context.Context, r request) ([]byte, error) {
	answer, err := c.send(ctx, r)
	if err != nil {
		return nil, err
	}
	defer answer.Close()
	text, err := io.ReadAll(io.LimitReader(answer, maxAnswer+1))
	if err != nil {
		return nil, c.noResponse(answer.cause(), r, err)
	}
	if len(text) > maxAnswer {
		return nil, c.target.TooLong(maxAnswer)
	}
	if remote.IsPage("", text) {
		return nil, c.target.Page(http.StatusOK, text, c.secrets)
	}
	return text, nil
}

// answer is the header and the body of an answer. Close ends the request.
type answer struct {
	io.ReadCloser              // the body
	cause         func() error // why the request has ended early: the context's cause or the time limit; nil: it has not
	header        http.Header
	cancel        context.CancelFunc
	timer         *time.Timer
}

func (a *answer) Close() error {
	// read the rest of a small answer, so that the connection can be reused
	_, _ = io.CopyN(io.Discard, a.ReadCloser, 4<<10)
	err := a.ReadCloser.Close()
	a.timer.Stop()
	a.cancel()
	return err
}

// send sends a request and returns the answer as soon as its header is there. The time
// limit applies until the answer is closed or its timer is stopped.
func (c *Client) send(ctx context.Context, r request) (*answer, error) {
	limit := r.limit
	if limit <= 0 || limit > c.timeout {
		limit = c.timeout
	}
	inner, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(limit, func() { cancel(errTimeout{limit}) })
	stop := func() { timer.Stop(); cancel(nil) }

	u := c.base.JoinPath(escaped(r.path)...)
	u.RawQuery = r.query.Encode()
	var body io.Reader
	if r.body != nil {
		body = bytes.NewReader(r.body)
	}
	req, err := http.NewRequestWithContext(inner, r.method, u.String(), body)
	if err != nil {
		stop()
		return nil, fmt.Errorf("%s: %w", c.name(r), err)
	}
	for name, value := range map[string]string{
		"Content-Type": r.media, "Content-Encoding": r.encoding, "Accept": r.accept, "Authorization": c.auth,
	} {
		if value != "" {
			req.Header.Set(name, value)
		}
	}
	got, err := c.http.Do(req)
	if err != nil {
		err = c.noResponse(context.Cause(inner), r, err)
		stop()
		if ctx.Err() == nil {
			err = c.examine(ctx, err)
		}
		return nil, err
	}
	a := &answer{ReadCloser: got.Body, cause: func() error { return context.Cause(inner) }, header: got.Header, cancel: func() { cancel(nil) }, timer: timer}
	if err := c.check(ctx, r, got); err != nil {
		a.Close()
		return nil, err
	}
	return a, nil
}

func escaped(segments []string) []string {
	out := make([]string, len(segments))
	for i, s := range segments {
		out[i] = url.PathEscape(s)
	}
	return out
}

// name returns a request's method, path and action, for messages.
func (c *Client) name(r request) string {
	name := r.method + " /" + strings.Join(r.path, "/")
	if action := r.query.Get("action"); action != "" {
		name += " (" + action + ")"
	}
	return name
}

// noResponse returns the error of a request without a complete answer: its cause, else
// err.
func (c *Client) noResponse(cause error, r request, err error) error {
	if cause != nil {
		err = cause
	}
	return &NoResponseError{Server: c.base.Host, Request: c.name(r), Err: c.secrets.Error(stripURL(err))}
}

// examine returns, in place of the error of a request without an answer, a
// [remote.WrongServerError] where that is the cause. It looks at the first failure, as
// long as the server has not given a good answer.
func (c *Client) examine(ctx context.Context, err error) error {
	if c.answered.Load() || c.examined.Swap(true) {
		return err
	}
	if wrong := c.target.Diagnose(ctx, err); wrong != nil {
		return wrong
	}
	return err
}

// Answering returns what answers at the server's address, for the end of a sentence; see
// [remote.Target.Answering]. It is empty once the server has given a good answer.
func (c *Client) Answering(ctx context.Context) string {
	if c.answered.Load() {
		return ""
	}
	return c.target.Answering(ctx)
}

// answerError returns the error of an answer of status 2xx that is not what the protocol
// defines.
func (c *Client) answerError(r request, err error) error {
	return &AnswerError{Server: c.base.Host, Request: c.name(r), Err: err}
}

// stripURL removes the URL from an error of net/http, because the message repeats it.
func stripURL(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err
	}
	return err
}

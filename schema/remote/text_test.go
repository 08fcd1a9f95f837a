package remote

import (
	"errors"
	"strings"
	"testing"
	"time"
)

const key = "Sesame/4711+ö"

func TestRedact(t *testing.T) {
	s := NewSecrets(key, "joe:"+key, "abc", " ")
	for text, want := range map[string]string{
		"the key " + key + " is bad":                           "the key *** is bad",
		"SESAME/4711+ö, sesame/4711+ö":                         "***, ***",
		"Sesame%2F4711%2B%C3%B6":                               "***",
		`{"got": "Sesame\/4711+ö"}`:                            `{"got": "***"}`,
		"Basic am9lOlNlc2FtZS80NzExK8O2 refused":               "Basic *** refused",
		`{"got": "Sesame/4711+\u00f6"}`:                        `{"got": "***"}`,
		"abc is too short to be a secret":                      "abc is too short to be a secret",
		"dial https://joe:pw@host:1/x failed":                  "dial https://***@host:1/x failed",
		"dial https://joe:p@w@host:1/x failed":                 "dial https://***@host:1/x failed",
		"GET /v1?model=m&api_key=hunter2&n=1":                  "GET /v1?model=m&api_key=***&n=1",
		"GET /?X-Amz-Signature=ab12&token=x":                   "GET /?X-Amz-Signature=***&token=***",
		"http://h/v1?model=m&max_tokens=512&batch_tokens=9":    "http://h/v1?model=m&max_tokens=512&batch_tokens=9",
		"Authorization: Bearer hunter2, Accept: */*":           "Authorization: Bearer ***, Accept: */*",
		`map[Api-Key:[hunter2] Authorization:[Bearer abc]]`:    `map[Api-Key:[***] Authorization:[Bearer ***]]`,
		`{"authorization": "Basic aHVudGVyMg==", "x": 1}`:      `{"authorization": "Basic ***", "x": 1}`,
		`{\"api-key\": \"hunter2\"}`:                           `{\"api-key\": \"***\"}`,
		"api-key=hunter2 was refused":                          "api-key=*** was refused",
		"Set-Cookie: session=hunter2; Path=/":                  "Set-Cookie: ***; Path=/",
		"token Bearer eyJhbGciOiJIUzI1NiJ9.e30.x is old":       "token Bearer *** is old",
		"password: hunter2":                                    "password: ***",
		"Access denied for user 'a'@'b' (using password: YES)": "Access denied for user 'a'@'b' (using password: YES)",
		"write it as user:password@tcp(host:3306)/database":    "write it as user:password@tcp(host:3306)/database",
		"set S2G_GRAPHDB_USER and S2G_GRAPHDB_PASSWORD":        "set S2G_GRAPHDB_USER and S2G_GRAPHDB_PASSWORD",
		"a key is required; the token count is 12":             "a key is required; the token count is 12",
		"": "",
	} {
		if got := s.Redact(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := (Secrets{}).Redact("nothing"); got != "nothing" {
		t.Error(got)
	}
}

func TestText(t *testing.T) {
	s := NewSecrets("open-sesame-4711")
	for text, want := range map[string]string{
		"\x1b[31mred\x1b[0m \x1b]0;title\x07":                "[31mred[0m ]0;title",
		"a\r\nb\tc\u2028d\x85e\x00f":                         "a b c def",
		"\u202egnp.exe\u2069 \u200bx\ufeff":                  "gnp.exe x",
		"bad \xff\xfe UTF-8 \U000e0041":                      "bad UTF-8",
		"open-\u200bsesame\x00-4711":                         "***",             // hidden from a search before the characters go
		"the echo is open-ses":                               "the echo is ***", // cut within the secret
		"日本 ü ok":                                            "日本 ü ok",
		strings.Repeat("x", 30):                              strings.Repeat("x", 24) + "…",
		strings.Repeat("ü", 30):                              strings.Repeat("ü", 12) + "…",
		"123456789 123456789 open-sesame-4711 and more text": "123456789 123456789 ***…",
	} {
		limit := 24
		if strings.Contains(text, "title") || strings.Contains(text, "exe") {
			limit = MaxText
		}
		if got := s.Text(text, limit); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	err := s.Error(errors.Join(errors.New("open-sesame-4711"), errTest))
	if err.Error() != "*** test" || !errors.Is(err, errTest) || s.Error(errTest) != errTest {
		t.Error(err)
	}
}

var errTest = errors.New("test")

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"7": 7 * time.Second, " 7 ": 7 * time.Second, "0.5": time.Second / 2, "0": 0, "-1": 0, "NaN": 0, "": 0, "soon": 0,
		"1e300": 365 * 24 * time.Hour, "Inf": 365 * 24 * time.Hour,
		"Sun, 01 Mar 2026 12:01:30 GMT":  90 * time.Second,
		"Sunday, 01-Mar-26 12:00:05 GMT": 5 * time.Second,
		"Sun, 01 Mar 2026 11:00:00 GMT":  0,
	} {
		if got := RetryAfter(value, now); got != want {
			t.Errorf("%q: %v, want %v", value, got, want)
		}
	}
}

func TestPages(t *testing.T) {
	const body = "\ufeff <!DOCTYPE html>\n<html><head><title> Sign\nin </title><style>b{}</style></head><body>\x1bHello<!-- x > --> <b>you</b><script>1 < 2</script>"
	if !IsPage("", []byte(body)) || !IsPage("Text/HTML; charset=x", nil) || IsPage("application/json", []byte(`{"a": "<html>"}`)) {
		t.Error("a page is not recognized")
	}
	if title, text := PageTitle([]byte(body)), PageText([]byte(body)); title != "Sign in" || text != "Sign in Hello you" {
		t.Errorf("%q, %q", title, text)
	}
}

func TestClassify(t *testing.T) {
	for answer, want := range map[string]Peer{
		"":                        {},
		"H":                       {HTTP, "a slow web server"},
		"HTTP/1.1 200 OK\r\n\r\n": {HTTP, "a web server"},
		"HTTP/1.1 404 X\r\nServer: nginx/1.24\x1b[1m\r\n\r\n":                                         {HTTP, "a web server (nginx/1.24[1m)"},
		"HTTP/1.1 200 OK\r\n\r\n<title>GitLab</title>":                                                {HTTP, `a web server with the page "GitLab"`},
		"HTTP/1.1 200 OK\r\n\r\n{\"title\":\"qdrant - vector search engine\",\"version\":\"1.16.0\"}": {HTTP, "Qdrant's REST API, version 1.16.0"},
		"HTTP/1.1 200 OK\r\nServer: GraphDB/10.8\r\n\r\n":                                             {HTTP, "GraphDB"},
		"HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n":           {TLS, "a server with TLS"},
		"\x15\x03\x01\x00\x02\x02\x16":                                                                {TLS, "a server with TLS"},
		"\x00\x00\x06\x04\x00\x00\x00\x00\x00\x00\x05\x00\x00@\x00":                                   {GRPC, "a gRPC or HTTP/2 server"},
		"J\x00\x00\x00\x0a5.5.5-10.11":                                                                {Other, "MariaDB or MySQL"},
		"E\x00\x00\x00\xffj\x04Host '1.2.3.4' is not allowed":                                         {Other, "MariaDB or MySQL"},
		"SSH-2.0-x\r\n":   {Other, "an SSH server"},
		"-ERR unknown":    {Other, "Redis"},
		"220 mail ESMTP":  {Other, "a mail or FTP server"},
		"\x80\x01nothing": {},
	} {
		if got := classify([]byte(answer)); got != want {
			t.Errorf("%q: %+v, want %+v", answer, got, want)
		}
	}
}

// Package remote holds what the clients of servers share: the text of a server made safe to print, what answers at an
// address in place of the expected server, and the pause that a server requests. It imports nothing of this project.
package remote

import (
	"encoding/base64"
	"encoding/json"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxText is the usual limit of a server's message in an error, in bytes.
const MaxText = 300

// hidden replaces a secret.
const hidden = "***"

// leastSecret is the length, in bytes, of the shortest secret that is searched for. The replacement of a shorter one would
// change ordinary words, and show by that what it is.
const leastSecret = 4

// Secrets are texts that no message may hold. The zero value has none. It is safe for concurrent use.
type Secrets struct {
	forms   []string // with those that an echo may have
	pattern *regexp.Regexp
}

// NewSecrets returns the secrets with the forms in which a server may repeat them: escaped for a URL, JSON or HTML, in
// base64, or in other case.
func NewSecrets(values ...string) Secrets {
	var s Secrets
	for _, value := range values {
		value = strings.TrimSpace(value)
		if len(value) < leastSecret {
			continue
		}
		quoted, _ := json.Marshal(value)
		for _, form := range []string{
			value, url.QueryEscape(value), url.PathEscape(value), html.EscapeString(value),
			strings.Trim(string(quoted), `"`), strings.ReplaceAll(value, "/", `\/`), strings.Trim(strconv.QuoteToASCII(value), `"`),
			base64.RawStdEncoding.EncodeToString([]byte(value)), base64.RawURLEncoding.EncodeToString([]byte(value)),
			Printable(value), oneLine(value),
		} {
			if len(form) >= leastSecret && !slices.Contains(s.forms, form) {
				s.forms = append(s.forms, form)
			}
		}
	}
	if len(s.forms) == 0 {
		return s
	}
	slices.SortFunc(s.forms, func(a, b string) int { return len(b) - len(a) }) // the longest match
	var parts []string
	for _, form := range s.forms {
		parts = append(parts, regexp.QuoteMeta(form))
	}
	s.pattern = regexp.MustCompile("(?i)" + strings.Join(parts, "|"))
	return s
}

// Text returns a server's text fit for a message: on one line, without control and format characters (which may move the
// cursor or reverse the text), without secrets, and cut after limit bytes.
func (s Secrets) Text(text string, limit int) string {
	text = s.Redact(oneLine(text))
	if s.pattern != nil { // the text may have been cut within a secret
		text = s.hideBeginning(text)
	}
	if len(text) > limit {
		cut := limit
		for cut > 0 && !utf8.RuneStart(text[cut]) {
			cut--
		}
		text = strings.TrimRight(text[:cut], " ") + "…"
	}
	return text
}

// Error returns err with its text as [Secrets.Text] returns it, for errors that may quote a server or a proxy.
func (s Secrets) Error(err error) error {
	text := s.Text(err.Error(), MaxText)
	if text == err.Error() {
		return err
	}
	return &quotation{text, err}
}

// quotation is an error with another text.
type quotation struct {
	text string
	err  error
}

func (q *quotation) Error() string { return q.text }
func (q *quotation) Unwrap() error { return q.err }

// hideBeginning hides the beginning of a secret at the end of a text.
func (s Secrets) hideBeginning(text string) string {
	for _, form := range s.forms {
		for n := min(len(form)-1, len(text)); n >= leastSecret; n-- {
			if strings.EqualFold(text[len(text)-n:], form[:n]) {
				return text[:len(text)-n] + hidden
			}
		}
	}
	return text
}

// Credentials that need not be known in advance, in the forms that servers and libraries print.
var (
	userInfo  = regexp.MustCompile(`://[^/\s,]*@`)
	parameter = regexp.MustCompile(`(?i)([?&;][^=&?\s]*(?:(?:key|passw|pwd|secret|auth|signature|credential)[^=&?\s]*|token)=)[^&\s,"'<>]*`)
	header    = regexp.MustCompile(`(?i)\b((?:proxy-)?authorization|x-api-key|api-key|x-auth-token|set-cookie|cookie)([\\\s"':=\[]*[:=][\\\s"':=\[]*)((?:bearer|basic|gdb|digest|token|apikey)\s+)?[^\s"',;\\\]]+`)
	scheme    = regexp.MustCompile(`(?i)\b(bearer|gdb)\s+[a-z0-9._~+/-]{12,}=*|\b(basic)\s+[a-z0-9+/]{6,}={1,2}`)
	password  = regexp.MustCompile(`(?i)\b(password|passwd|pwd|api[_-]?key|access[_-]?token|client[_-]?secret)([\\\s"']*[:=][\\\s"'\[]*)([^\s"',;&)\\]+)`)
)

// Redact replaces the secrets of a text, and what has the form of a credential: a user in a URL, the value of a parameter or
// header with a name as api-key.
func (s Secrets) Redact(text string) string {
	if s.pattern != nil {
		text = s.pattern.ReplaceAllLiteralString(text, hidden)
	}
	text = userInfo.ReplaceAllString(text, "://"+hidden+"@")
	text = parameter.ReplaceAllString(text, "${1}"+hidden)
	text = header.ReplaceAllString(text, "${1}${2}${3}"+hidden)
	text = scheme.ReplaceAllString(text, "${1}${2} "+hidden)
	return password.ReplaceAllStringFunc(text, func(found string) string {
		part := password.FindStringSubmatch(found)
		if value := strings.ToUpper(part[3]); value == "YES" || value == "NO" || strings.HasPrefix(value, hidden) { // MariaDB's "using password: YES"
			return found
		}
		return part[1] + part[2] + hidden
	})
}

// Printable removes control and format characters and invalid UTF-8, except tabs and line feeds.
func Printable(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r != utf8.RuneError && unicode.IsPrint(r):
			return r
		case unicode.IsSpace(r) && r != '\r':
			return ' '
		}
		return -1
	}, strings.ToValidUTF8(text, ""))
}

// oneLine returns a printable text with a space for each run of white space.
func oneLine(text string) string {
	return strings.Join(strings.Fields(Printable(strings.ReplaceAll(text, "\r", "\n"))), " ")
}

// markup matches the tags of HTML, with the contents of styles and scripts.
var (
	markup = regexp.MustCompile(`(?is)<(?:style|script)\b.*?</(?:style|script)>|<!--.*?-->|<[^>]*>`)
	title  = regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title>`)
)

// IsPage reports whether an answer is a web page.
func IsPage(contentType string, body []byte) bool {
	if media := strings.ToLower(contentType); strings.Contains(media, "text/html") || strings.Contains(media, "application/xhtml") {
		return true
	}
	begin := strings.ToLower(strings.TrimSpace(strings.TrimPrefix(string(body[:min(len(body), 512)]), "\ufeff")))
	return strings.HasPrefix(begin, "<!doctype html") || strings.HasPrefix(begin, "<html") || strings.HasPrefix(begin, "<head")
}

// PageText returns the text of a web page without its markup.
func PageText(body []byte) string { return oneLine(markup.ReplaceAllString(string(body), " ")) }

// PageTitle returns the title of a web page, cut after 80 bytes; empty: none.
func PageTitle(body []byte) string {
	if found := title.FindSubmatch(body); found != nil {
		return Secrets{}.Text(string(found[1]), 80)
	}
	return ""
}

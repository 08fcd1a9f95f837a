package vocab

import (
	"testing"

	"s2g/schema"
)

func TestGraphIRI(t *testing.T) {
	for tag, want := range map[string]string{
		"python": "http://stackoverflow.com/python",
		"c#":     "http://stackoverflow.com/c%23",
		"c++":    "http://stackoverflow.com/c%2B%2B",
		".net":   "http://stackoverflow.com/.net",
		"яз.":    "http://stackoverflow.com/%D1%8F%D0%B7.",
		"":       "http://stackoverflow.com/s2g/other",
		"*":      "http://stackoverflow.com/s2g/site",
	} {
		if got := StackOverflow.Graph(tag); got != want {
			t.Errorf("Graph(%q) = %s, want %s", tag, got, want)
		}
	}
}

func TestLanguage(t *testing.T) {
	for site, want := range map[Site]string{
		StackOverflow: "en", "http://ru.stackoverflow.com": "ru", "https://pt.meta.stackoverflow.com": "pt", "http://cs.stackexchange.com": "en",
		"http://rus.stackexchange.com": "ru", "http://rus.meta.stackexchange.com": "ru", "http://french.stackexchange.com": "en", "http://meta.stackoverflow.com": "en", "http://es.example.com": "en",
	} {
		if got := site.Language(); got != want {
			t.Errorf("%s: %s, want %s", site, got, want)
		}
	}
}

func TestInstanceIRI(t *testing.T) {
	s := Site("https://x.test")
	for want, got := range map[string]string{
		"https://x.test/questions/7":      s.Question(7),
		"https://x.test/a/7":              s.Answer(7),
		"https://x.test/posts/comments/7": s.Comment(7),
		"https://x.test/posts/7":          s.Post(7),
		"https://x.test/users/-1":         s.User(-1),
		"https://x.test/tags/a%2Fb":       s.Tag("a/b"),
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestParseSite(t *testing.T) {
	for value, want := range map[string]Site{
		"stackoverflow.com":            "http://stackoverflow.com",
		"http://stackoverflow.com/":    "http://stackoverflow.com",
		"https://RU.stackoverflow.com": "https://ru.stackoverflow.com",
		"localhost:8080":               "http://localhost:8080",
	} {
		if got, err := ParseSite(value); err != nil || got != want {
			t.Errorf("ParseSite(%q) = %q, %v; want %q", value, got, err, want)
		}
	}
	for _, value := range []string{"", "ftp://x.test", "x.test/path", "a b", "http://x.test?q", "http://u@x.test", "x<y"} {
		_, err := ParseSite(value)
		if fault, _ := schema.FaultOf(err); err == nil || fault != schema.FaultUsage {
			t.Errorf("ParseSite(%q) gave the error %v, want a usage fault", value, err)
		}
	}
}

func TestPrefix(t *testing.T) {
	for host, want := range map[string]string{
		"stackoverflow.com": "so", "ru.stackoverflow.com": "ru-stackoverflow", "bioinformatics.stackexchange.com": "bioinformatics",
		"bicycles.meta.stackexchange.com": "bicycles-meta", "askubuntu.com": "askubuntu", "mathoverflow.net": "mathoverflow",
		"stackexchange.com": "stackexchange", "localhost:8080": "localhost-8080", "https://[::1]": "---1-",
	} {
		site, err := ParseSite(host)
		if err != nil {
			t.Fatal(err)
		}
		if got := site.Prefix(); got != want {
			t.Errorf("%s: %s, want %s", host, got, want)
		}
	}
}

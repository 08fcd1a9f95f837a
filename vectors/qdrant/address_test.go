package qdrant

import (
	"strings"
	"testing"

	"s2g/schema"
)

func TestParseAddress(t *testing.T) {
	for value, want := range map[string]string{
		"localhost":                     "http://localhost:6334",
		"127.0.0.1:7000":                "http://127.0.0.1:7000",
		"http://qdrant/":                "http://qdrant:6334",
		"https://q.example.org":         "https://q.example.org:6334",
		"https://q.example.org:443/":    "https://q.example.org:443",
		"[::1]":                         "http://[::1]:6334",
		"http://[2001:db8::7]:6334":     "http://[2001:db8::7]:6334",
		"HTTPS://Q.example.org:6334":    "https://Q.example.org:6334",
		"qdrant.default.svc.cluster:80": "http://qdrant.default.svc.cluster:80",
	} {
		a, err := ParseAddress(value)
		if err != nil || a.String() != want {
			t.Errorf("%q is %v, want %s: %v", value, a, want, err)
		}
	}
	for value, remedy := range map[string]string{
		"":                             "host:port",
		"http://":                      "host:port",
		"127.0.0.1:6333":               "6334",
		"http://127.0.0.1:6333":        "6334",
		"ftp://q":                      "https://",
		"q:0":                          "host:port",
		"q:70000":                      "host:port",
		"q:port":                       "host:port",
		"http://q/collections":         "host:port",
		"http://q?api-key=tellnobody":  "",
		"https://tellnobody@q":         "S2G_QDRANT_API_KEY",
		"https://x:tellnobody@q:70 00": "",
	} {
		_, err := ParseAddress(value)
		fault, got := schema.FaultOf(err)
		if fault != schema.FaultUsage || !strings.Contains(got, remedy) {
			t.Errorf("%q: %v (%s)", value, err, got)
		}
		if err != nil && strings.Contains(err.Error(), "tellnobody") {
			t.Errorf("a secret in %v", err)
		}
	}
}

func TestIsLocal(t *testing.T) {
	for value, want := range map[string]bool{
		"localhost": true, "127.0.0.1": true, "127.8.8.8": true, "[::1]": true, "qdrant": false, "10.0.0.1": false, "localhost.example.org": false, "0.0.0.0": false,
	} {
		if a, err := ParseAddress(value); err != nil || a.isLocal() != want {
			t.Errorf("%s: %v %v", value, a.isLocal(), err)
		}
	}
}

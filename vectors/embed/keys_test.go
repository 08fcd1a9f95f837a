package embed

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRemoteKeys(t *testing.T) {
	env := func(pairs ...string) func(string) string {
		return func(name string) string {
			for i := 0; i < len(pairs); i += 2 {
				if pairs[i] == name {
					return pairs[i+1]
				}
			}
			return ""
		}
	}
	tests := []struct {
		name     string
		endpoint string
		o        RemoteOptions
		key      string
		fails    bool
	}{
		{"none", "https://far/v1", RemoteOptions{Getenv: env()}, "", false},
		{"own before that of others", "https://far/v1", RemoteOptions{Getenv: env("S2G_DENSE_API_KEY", "a", "OPENAI_API_KEY", "b")}, "a", false},
		{"of others", "https://far/v1", RemoteOptions{Getenv: env("OPENAI_API_KEY", "b")}, "b", false},
		{"this machine", "http://127.0.0.1:1/v1", RemoteOptions{Getenv: env("S2G_DENSE_API_KEY", "a")}, "a", false},
		{"this machine by name", "http://localhost/v1", RemoteOptions{Getenv: env("S2G_DENSE_API_KEY", "a")}, "a", false},
		{"in the clear", "http://far/v1", RemoteOptions{Getenv: env("S2G_DENSE_API_KEY", "a")}, "", true},
		{"that of others in the clear", "http://far/v1", RemoteOptions{Getenv: env("OPENAI_API_KEY", "b")}, "", false},
		{"in the clear, allowed", "http://far/v1", RemoteOptions{KeyOverHTTP: true, Getenv: env("S2G_DENSE_API_KEY", "a")}, "a", false},
	}
	for _, tt := range tests {
		s, err := ParseSpec("openai+" + tt.endpoint + "?model=m")
		if err != nil {
			t.Fatal(err)
		}
		es, err := s.endpoints(tt.o.complete(), "S2G_DENSE_API_KEY", "OPENAI_API_KEY")
		if (err != nil) != tt.fails || err == nil && es[0].key != tt.key {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	f := newFake(t)
	o := options(t, nil)
	o.Getenv = env("S2G_DENSE_API_KEY", "k")
	open(t, o, specOf("", f))
	if !cmp.Equal(f.keys, map[string]bool{"Bearer k": true}) {
		t.Errorf("sent %v", f.keys)
	}
}

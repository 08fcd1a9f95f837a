package destination

import (
	"log/slog"
	"strings"
	"testing"

	"s2g/schema"
)

// A URL, user or token that would be of no use, or seen by others, is refused before any request.
func TestClientChecksURLAndCredentials(t *testing.T) {
	for _, c := range []struct {
		server      GraphDB
		environment map[string]string
		want        string // a part of message or remedy; empty: accepted
	}{
		{GraphDB{URL: "http://localhost:7200"}, map[string]string{GraphDBUser: "me", GraphDBPassword: "sesame"}, ""},
		{GraphDB{URL: "http://127.0.0.1:7200"}, map[string]string{GraphDBToken: "sesame"}, ""},
		{GraphDB{URL: "https://graph.example.org"}, map[string]string{GraphDBToken: "GDB sesame"}, ""},
		{GraphDB{URL: "http://graph.example.org:7200", Insecure: true}, map[string]string{GraphDBUser: "me"}, ""},
		{GraphDB{URL: "http://graph.example.org:7200"}, nil, ""},
		{GraphDB{URL: "http://graph.example.org:7200"}, map[string]string{GraphDBUser: "me"}, "option graphdb-insecure-auth"},
		{GraphDB{URL: "http://localhost:7200"}, map[string]string{GraphDBToken: "ses\name"}, "no token has"},
		{GraphDB{URL: "http://me:sesame@localhost:7200"}, nil, GraphDBPassword},
		{GraphDB{URL: "http://localhost:7200/repositories/so"}, nil, "give http://localhost:7200, and the repository as option repository"},
		{GraphDB{URL: "localhost:7200"}, nil, "as http://localhost:7200"},
	} {
		e := Environment{Getenv: func(name string) string { return c.environment[name] }, Log: slog.New(slog.DiscardHandler)}
		client, err := c.server.Client(e)
		if err == nil {
			client.Close()
		}
		fault, remedy := schema.FaultOf(err)
		if (err == nil) != (c.want == "") || err != nil && (fault != schema.FaultUsage || !strings.Contains(err.Error()+" "+remedy, c.want)) {
			t.Errorf("%s %v: %v, %s", c.server.URL, c.environment, err, remedy)
		}
		if err != nil && strings.Contains(err.Error()+remedy, "sesame") {
			t.Errorf("%s: the message has a secret: %v", c.server.URL, err)
		}
	}
}

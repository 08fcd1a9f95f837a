package main

import (
	"cmp"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"s2g/graph/graphdb"
	"s2g/graph/rdf4j"
	"s2g/schema"
	"s2g/schema/manifest"
)

// Where the user and the secrets of a GraphDB server stand; see app.getenv.
const (
	graphDBUser     = "S2G_GRAPHDB_USER"
	graphDBPassword = "S2G_GRAPHDB_PASSWORD"
	graphDBToken    = "S2G_GRAPHDB_TOKEN"
)

// graphDBFlags say which server of the RDF4J protocol, which of its repositories,
// and how it is reached.
type graphDBFlags struct {
	url, repository, prefix string
	insecure                bool
	timeout, retryFor       time.Duration
}

// flags are the flags of every command that asks such a server; url is the name
// of the one that holds its URL.
func (g *graphDBFlags) flags(f *pflag.FlagSet, url string) {
	f.StringVar(&g.url, url, "", "`URL` of GraphDB or RDF4J Server, as http://localhost:7200 or http://localhost:8080/rdf4j-server; who asks as "+
		graphDBUser+" and "+graphDBPassword+", or "+graphDBToken)
	f.StringVar(&g.repository, "repository", "", "`name` of the repository (default PREFIX_DATE_HASH)")
	f.BoolVar(&g.insecure, "graphdb-insecure-auth", false, "send password or token to another machine without TLS, too")
}

// patienceFlags say how long the server may take, and fail.
func (g *graphDBFlags) patienceFlags(f *pflag.FlagSet, timeout time.Duration, as string) {
	f.DurationVar(&g.timeout, "request-timeout", timeout, "how long the server may take for a request, as "+as)
	f.DurationVar(&g.retryFor, "retry-for", graphdb.DefaultRetryFor, "how long a request that fails is tried again")
}

// client makes the client. It sends nothing.
func (g *graphDBFlags) client(a *app) (*rdf4j.Client, error) {
	c := rdf4j.Config{URL: g.url, Timeout: g.timeout, User: a.getenv(graphDBUser), Password: a.getenv(graphDBPassword), Token: a.getenv(graphDBToken)}
	if c.Token != "" && !strings.Contains(c.Token, " ") {
		c.Token = "Bearer " + c.Token
	}
	if strings.ContainsFunc(c.Token, func(r rune) bool { return r < ' ' || r > '~' }) {
		return nil, schema.Faultf(schema.FaultUsage, "", "the token of GraphDB has characters that no token has")
	}
	u, err := url.Parse(g.url)
	if err == nil && u.User != nil {
		return nil, schema.Faultf(schema.FaultUsage, "give them as "+graphDBUser+" and "+graphDBPassword, "the URL holds a user or password, which other users of this machine can see")
	}
	if err == nil && strings.Contains(u.Path, "/repositories") {
		before, _, _ := strings.Cut(g.url, "/repositories")
		return nil, schema.Faultf(schema.FaultUsage, "give "+before+", and the repository as --repository", "%s is not the URL of a server but of its repositories", g.url)
	}
	if err == nil && u.Scheme == "http" && (c.User != "" || c.Token != "") && !g.insecure && !loopback(u.Hostname()) {
		return nil, schema.Faultf(schema.FaultUsage, "use https, or --graphdb-insecure-auth where the network is yours",
			"a password or token for %s would go over the network in plain text", u.Host)
	}
	client, err := rdf4j.New(c)
	if err != nil {
		return nil, schema.Faultf(schema.FaultUsage, "as http://localhost:7200 or http://localhost:8080/rdf4j-server", "%w", err)
	}
	return client, nil
}

// loopback reports whether a host is this machine.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// graphBuild returns the graph in OUT, and the name of its repository.
func (g *graphDBFlags) graphBuild(out string, m *manifest.Manifest) (b *graphdb.Build, repository string, err error) {
	site, err := m.BuildSite()
	if err != nil {
		return nil, "", err
	}
	if b, err = graphdb.NewBuild(out, m, site); err != nil {
		return nil, "", err
	}
	repository = cmp.Or(g.repository, b.Repository(g.prefix))
	return b, repository, graphdb.CheckName(repository)
}

package destination

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"s2g/cmd/s2g/internal/summary"
	"s2g/graph/graphdb"
	"s2g/graph/rdf4j"
	"s2g/schema"
	"s2g/schema/manifest"
)

// The variables of the user and the secrets of GraphDB.
const (
	GraphDBUser     = "S2G_GRAPHDB_USER"
	GraphDBPassword = "S2G_GRAPHDB_PASSWORD"
	GraphDBToken    = "S2G_GRAPHDB_TOKEN"
)

// GraphDB is a server of the RDF4J protocol, and the repository of a build in it.
type GraphDB struct {
	URL           string
	Repository    string // its name; empty: by the build and Prefix
	Prefix        string // beginning of the name; empty: by the site of the build
	Insecure      bool   // credentials are also sent to another machine without TLS
	Timeout       time.Duration
	RetryFor      time.Duration
	Loading       graphdb.Options
	Configuration string // path of a Turtle file with the configuration of a new repository
}

// Client checks URL and credentials and returns a client. It sends no request.
func (g *GraphDB) Client(e Environment) (*rdf4j.Client, error) {
	c := rdf4j.Config{URL: g.URL, Timeout: g.Timeout, User: e.Getenv(GraphDBUser), Password: e.Getenv(GraphDBPassword), Token: e.Getenv(GraphDBToken)}
	if c.Token != "" && !strings.Contains(c.Token, " ") {
		c.Token = "Bearer " + c.Token
	}
	if strings.ContainsFunc(c.Token, func(r rune) bool { return r < ' ' || r > '~' }) {
		return nil, schema.Faultf(schema.FaultUsage, "", "the token of GraphDB has characters that no token has")
	}
	u, err := url.Parse(g.URL)
	if err == nil && u.User != nil {
		return nil, schema.Faultf(schema.FaultUsage, "give them as "+GraphDBUser+" and "+GraphDBPassword, "the URL holds a user or password, which other users of this machine can see")
	}
	if err == nil && strings.Contains(u.Path, "/repositories") {
		before, _, _ := strings.Cut(g.URL, "/repositories")
		return nil, schema.Faultf(schema.FaultUsage, "give "+before+", and the repository as option repository", "%s is not the URL of a server but of its repositories", g.URL)
	}
	if err == nil && u.Scheme == "http" && (c.User != "" || c.Token != "") && !g.Insecure && !loopback(u.Hostname()) {
		return nil, schema.Faultf(schema.FaultUsage, "use https, or option graphdb-insecure-auth in a network that you trust",
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

// Build returns the graph in OUT, and the name of its repository.
func (g *GraphDB) Build(out string, m *manifest.Manifest) (b *graphdb.Build, repository string, err error) {
	site, err := m.BuildSite()
	if err != nil {
		return nil, "", err
	}
	if b, err = graphdb.NewBuild(out, m, site); err != nil {
		return nil, "", err
	}
	repository = cmp.Or(g.Repository, b.Repository(g.Prefix))
	return b, repository, graphdb.CheckName(repository)
}

// ReadConfiguration reads the file with the configuration of a new repository, which names the repository.
func (g *GraphDB) ReadConfiguration() error {
	if g.Configuration == "" {
		return nil
	}
	text, name, err := graphdb.ReadConfiguration(g.Configuration)
	if err != nil {
		return err
	}
	if g.Loading.Ruleset != "" {
		return schema.Faultf(schema.FaultUsage, "the ruleset is in the file", "option ruleset with option repository-config")
	}
	if g.Repository != "" && g.Repository != name {
		return schema.Faultf(schema.FaultUsage, "leave option repository out", "%s is of the repository %s, not %s", g.Configuration, name, g.Repository)
	}
	g.Repository, g.Loading.Configuration = name, text
	return nil
}

// Load sends the files that the repository lacks.
func (g *GraphDB) Load(ctx context.Context, e Environment, r *rdf4j.Repository, b *graphdb.Build) (graphdb.LoadResult, error) {
	report, end := e.Progress("load graphdb")
	defer end()
	o := g.Loading
	o.RetryFor, o.Log, o.Progress = g.RetryFor, e.Log, report
	return graphdb.Load(ctx, r, b, o)
}

// GraphPlan is what a load into GraphDB would send.
type GraphPlan struct {
	Repository string `json:"repository"`
	Endpoint   string `json:"endpoint"`
	State      string `json:"stand"` // see [graphdb.LoadState]
	Files      int    `json:"files"` // to send
	Bytes      int64  `json:"bytes"`
	Statements int64  `json:"statements"`
	Of         int64  `json:"of"` // statements of the whole build
}

// PlanGraph returns the plan of a load. Of a repository that a load would refuse it returns both the plan and the error.
func PlanGraph(ctx context.Context, r *rdf4j.Repository, b *graphdb.Build) (*GraphPlan, error) {
	state, left, refused := graphdb.Plan(ctx, r, b)
	if refused != nil && state.State != graphdb.Foreign {
		return nil, refused
	}
	p := &GraphPlan{Repository: r.ID(), Endpoint: r.URL(), State: state.State.String(), Of: b.Statements()}
	for _, f := range left {
		p.Files, p.Bytes, p.Statements = p.Files+1, p.Bytes+f.Size, p.Statements+f.Rows
	}
	return p, refused
}

// slowLoad and fastLoad are the statements a second that GraphDB's engine loads, as measured on two processors.
const slowLoad, fastLoad = 20_000, 56_000

// Write writes the plan for people.
func (p *GraphPlan) Write(w io.Writer) error {
	_, err := fmt.Fprintf(w, "repository  %s\nit is       %s\nto send     %d files, %s, %s of %s statements\n", p.Repository, p.State,
		p.Files, humanize.IBytes(uint64(p.Bytes)), humanize.Comma(p.Statements), humanize.Comma(p.Of))
	if p.Statements > 0 && err == nil {
		_, err = fmt.Fprintf(w, "time        %s to %s on two processors; see option offline for a first load that is faster\n",
			loadTime(p.Statements, fastLoad), loadTime(p.Statements, slowLoad))
	}
	return err
}

// loadTime returns the time of n statements at a rate per second, at least a second.
func loadTime(n, rate int64) time.Duration {
	return max(time.Second, time.Duration(n/rate)*time.Second)
}

// WriteLoadedGraph writes the result of a load for people.
func WriteLoadedGraph(w io.Writer, l graphdb.LoadResult) error {
	loaded := fmt.Sprintf("%d of %d files, %s statements in %.1f s, %s/s", l.Sent, l.Files, humanize.Comma(l.Loaded), l.Seconds, summary.Rate(l.Loaded, l.Seconds, 1))
	if l.Sent == 0 {
		loaded = fmt.Sprintf("nothing: the repository had all %d files", l.Files)
	}
	_, err := fmt.Fprintf(w, "repository  %s (%s)\nstatements  %s\nloaded      %s\n", l.Repository, l.Endpoint, humanize.Comma(l.Statements), loaded)
	return err
}

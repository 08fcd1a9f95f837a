package main

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"s2g/cmd/s2g/internal/summary"
	"s2g/graph/graphdb"
	"s2g/graph/rdf4j"
	"s2g/schema"
	"s2g/schema/manifest"
)

const loadGraphDBHelp = `Loads the graph of a build into GraphDB or RDF4J Server: creates the repository PREFIX_DATE_HASH if it is missing, and
sends the ontology, the batches and the description of the dataset in transactions. A transaction is stored as a whole
or not at all, with marks of its files in the graph SITE/s2g/load. The same command resumes a load that was stopped: it
reads the marks and sends the other files. The last transaction removes the marks.

    s2g load graphdb --out build --url http://localhost:7200
    S2G_GRAPHDB_USER=me S2G_GRAPHDB_PASSWORD=… s2g load graphdb --out build --url https://graphdb.example.org

A first load of a large build is faster while no server runs: --offline DIR writes the input of GraphDB's importrdf and
prints its command.`

// loadGraphDB is the command's options.
type loadGraphDB struct {
	options
	graphDBFlags
	loading       graphdb.Options
	configuration string // path of a Turtle file
	offline       string // path of a folder
	dryRun        bool
}

func (a *app) loadGraphDB() *cobra.Command {
	l := &loadGraphDB{}
	cmd := &cobra.Command{
		Use:   "graphdb --out DIR --url URL",
		Short: "put the graph into GraphDB or RDF4J Server",
		Long:  loadGraphDBHelp,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if l.url == "" && l.offline == "" {
				return schema.Faultf(schema.FaultUsage, "give --url http://host:7200, or --offline DIR", "no GraphDB to load into")
			}
			return a.runLoadGraphDB(cmd, l)
		},
	}
	f := cmd.Flags()
	l.outFlag(f)
	l.graphDBFlags.flags(f, "url")
	l.timeFlags(f, rdf4j.DefaultTimeout, "the commit of a transaction")
	l.repositoryFlags(f)
	f.IntVar(&l.loading.Transaction, "transaction", graphdb.DefaultTransaction, "`files` of a transaction, of 50,000 statements each")
	f.IntVar(&l.loading.InFlight, "in-flight", graphdb.DefaultInFlight, "transactions at a time")
	f.StringVar(&l.loading.ImportDir, "import-dir", "", "path on this machine of GraphDB's import `folder` (graphdb.workbench.importDirectory): the server reads the files from there")
	f.StringVar(&l.offline, "offline", "", "write the input of GraphDB's importrdf into this `folder` and print its command, without a server")
	f.BoolVar(&l.dryRun, "dry-run", false, "print what would be done, and change nothing")
	return cmd
}

func (l *loadGraphDB) repositoryFlags(f *pflag.FlagSet) {
	f.StringVar(&l.prefix, "prefix", "", "beginning of the repository's name (default so for stackoverflow.com, else the site's name)")
	f.StringVar(&l.loading.Server, "server", graphdb.ServerAuto, "type of the server, for a new repository: graphdb, rdf4j, or auto to detect it")
	f.StringVar(&l.loading.Ruleset, "ruleset", "", "GraphDB's `ruleset` for a new repository (default empty: no inference)")
	f.StringVar(&l.configuration, "repository-config", "", "Turtle `file` with the configuration of a new repository")
}

func (a *app) runLoadGraphDB(cmd *cobra.Command, l *loadGraphDB) error {
	m, err := a.readBuild(cmd, &l.options)
	if err != nil {
		return err
	}
	if err := l.readConfiguration(); err != nil {
		return err
	}
	build, name, err := l.graphBuild(l.Out, m)
	if err != nil {
		return err
	}
	if l.offline != "" {
		return a.printOffline(build, name, l)
	}
	client, err := l.client(a)
	if err != nil {
		return err
	}
	defer client.Close()
	repository := client.Repository(name)
	if l.dryRun {
		return a.planGraphDB(cmd.Context(), repository, build, l)
	}
	loaded, err := a.sendGraph(cmd.Context(), repository, build, l)
	if err != nil {
		return err
	}
	return a.printLoadedGraph(loaded)
}

// sendGraph loads the files that the repository lacks.
func (a *app) sendGraph(ctx context.Context, r *rdf4j.Repository, b *graphdb.Build, l *loadGraphDB) (graphdb.LoadResult, error) {
	shown := a.progress("load graphdb")
	defer shown.End()
	l.loading.RetryFor, l.loading.Log, l.loading.Progress = l.retryFor, a.log, shown.Report
	return graphdb.Load(ctx, r, b, l.loading)
}

// readConfiguration reads the file of --repository-config, which names the repository.
func (l *loadGraphDB) readConfiguration() error {
	if l.configuration == "" {
		return nil
	}
	text, name, err := graphdb.ReadConfiguration(l.configuration)
	if err != nil {
		return err
	}
	if l.loading.Ruleset != "" {
		return schema.Faultf(schema.FaultUsage, "the ruleset is in the file", "--ruleset with --repository-config")
	}
	if l.repository != "" && l.repository != name {
		return schema.Faultf(schema.FaultUsage, "leave --repository out", "%s is of the repository %s, not %s", l.configuration, name, l.repository)
	}
	l.repository, l.loading.Configuration = name, text
	return nil
}

func (a *app) printOffline(b *graphdb.Build, name string, l *loadGraphDB) error {
	if err := checkOutside("offline", l.offline, l.Out); err != nil {
		return err
	}
	command, err := graphdb.WriteOffline(b, name, l.offline, l.loading.CreateOptions)
	if err != nil {
		return err
	}
	if a.json {
		return printJSON(a, map[string]any{"repository": name, "command": strings.Join(command, " ")})
	}
	a.printf("%s\n", strings.Join(command, " "))
	return nil
}

// loadPlan is what --dry-run prints.
type loadPlan struct {
	Repository string `json:"repository"`
	Endpoint   string `json:"endpoint"`
	State      string `json:"stand"` // see [graphdb.LoadState]
	Files      int    `json:"files"` // to send
	Bytes      int64  `json:"bytes"`
	Statements int64  `json:"statements"`
	Of         int64  `json:"of"` // statements of the whole build
}

// slowLoad and fastLoad are the statements a second that GraphDB's engine loads, as measured on two processors.
const slowLoad, fastLoad = 20_000, 56_000

// planGraphDB prints the plan of a load. A repository that a load would refuse is an error.
func (a *app) planGraphDB(ctx context.Context, r *rdf4j.Repository, b *graphdb.Build, l *loadGraphDB) error {
	state, left, refused := graphdb.Plan(ctx, r, b)
	if refused != nil && state.State != graphdb.Foreign {
		return refused
	}
	p := loadPlan{Repository: r.ID(), Endpoint: r.URL(), State: state.State.String(), Of: b.Statements()}
	for _, f := range left {
		p.Files, p.Bytes, p.Statements = p.Files+1, p.Bytes+f.Size, p.Statements+f.Rows
	}
	if a.json {
		return errors.Join(printJSON(a, map[string]any{"plan": p}), refused)
	}
	a.printf("repository  %s\nit is       %s\nto send     %d files, %s, %s of %s statements\n", p.Repository, p.State,
		p.Files, humanize.IBytes(uint64(p.Bytes)), humanize.Comma(p.Statements), humanize.Comma(p.Of))
	if p.Statements > 0 {
		a.printf("time        %s to %s on two processors; see --offline for a first load that is faster\n",
			loadTime(p.Statements, fastLoad), loadTime(p.Statements, slowLoad))
	}
	return refused
}

// loadTime returns the time of n statements at a rate per second, at least a second.
func loadTime(n, rate int64) time.Duration {
	return max(time.Second, time.Duration(n/rate)*time.Second)
}

// printLoadedGraph prints the result of a load as a table, or as a line of JSON with --json.
func (a *app) printLoadedGraph(l graphdb.LoadResult) error {
	if a.json {
		return printJSON(a, map[string]any{"graphdb": l})
	}
	if a.quiet {
		return nil
	}
	a.printf("repository  %s (%s)\nstatements  %s\n", l.Repository, l.Endpoint, humanize.Comma(l.Statements))
	if l.Sent == 0 {
		a.printf("loaded      nothing: the repository had all %d files\n", l.Files)
		return nil
	}
	a.printf("loaded      %d of %d files, %s statements in %.1f s, %s/s\n", l.Sent, l.Files, humanize.Comma(l.Loaded), l.Seconds, summary.Rate(l.Loaded, l.Seconds, 1))
	return nil
}

// The variables of a GraphDB server's user and secrets; see app.getenv.
const (
	graphDBUser     = "S2G_GRAPHDB_USER"
	graphDBPassword = "S2G_GRAPHDB_PASSWORD"
	graphDBToken    = "S2G_GRAPHDB_TOKEN"
)

// graphDBFlags are the flags of a server of the RDF4J protocol: its URL, a repository, and the limits of requests.
type graphDBFlags struct {
	url, repository, prefix string
	insecure                bool
	timeout, retryFor       time.Duration
}

// flags adds the flags of every command that uses such a server. url is the name of the flag for its URL.
func (g *graphDBFlags) flags(f *pflag.FlagSet, url string) {
	f.StringVar(&g.url, url, "", "`URL` of GraphDB or RDF4J Server, as http://localhost:7200 or http://localhost:8080/rdf4j-server; credentials are in "+
		graphDBUser+" and "+graphDBPassword+", or in "+graphDBToken)
	f.StringVar(&g.repository, "repository", "", "`name` of the repository (default PREFIX_DATE_HASH)")
	f.BoolVar(&g.insecure, "graphdb-insecure-auth", false, "also send password or token to another machine without TLS")
}

// timeFlags adds the flags of timeout and retries. example is a request that takes long.
func (g *graphDBFlags) timeFlags(f *pflag.FlagSet, timeout time.Duration, example string) {
	f.DurationVar(&g.timeout, "request-timeout", timeout, "timeout of a request, as "+example)
	retryFlag(f, &g.retryFor, graphdb.DefaultRetryFor)
}

// client checks URL and credentials and returns a client. It sends no request.
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
		return nil, schema.Faultf(schema.FaultUsage, "use https, or --graphdb-insecure-auth in a network that you trust",
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

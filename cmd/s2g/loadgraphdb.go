package main

import (
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"s2g/cmd/s2g/internal/build"
	"s2g/cmd/s2g/internal/destination"
	"s2g/graph/graphdb"
	"s2g/graph/rdf4j"
	"s2g/schema"
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
	to      destination.GraphDB
	offline string // path of a folder
	dryRun  bool
}

func (a *app) loadGraphDB() *cobra.Command {
	l := &loadGraphDB{}
	cmd := &cobra.Command{
		Use:   "graphdb --out DIR --url URL",
		Short: "put the graph into GraphDB or RDF4J Server",
		Long:  loadGraphDBHelp,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if l.to.URL == "" && l.offline == "" {
				return schema.Faultf(schema.FaultUsage, "give --url http://host:7200, or --offline DIR", "no GraphDB to load into")
			}
			return a.runLoadGraphDB(cmd, l)
		},
	}
	f := cmd.Flags()
	l.outFlag(f)
	graphDBFlags(f, &l.to, "url")
	requestFlags(f, &l.to, rdf4j.DefaultTimeout, "the commit of a transaction")
	f.StringVar(&l.to.Prefix, "prefix", "", "beginning of the repository's name (default so for stackoverflow.com, else the site's name)")
	f.StringVar(&l.to.Loading.Server, "server", graphdb.ServerAuto, "type of the server, for a new repository: graphdb, rdf4j, or auto to detect it")
	f.StringVar(&l.to.Loading.Ruleset, "ruleset", "", "GraphDB's `ruleset` for a new repository (default empty: no inference)")
	f.StringVar(&l.to.Configuration, "repository-config", "", "Turtle `file` with the configuration of a new repository")
	f.IntVar(&l.to.Loading.Transaction, "transaction", graphdb.DefaultTransaction, "`files` of a transaction, of 50,000 statements each")
	f.IntVar(&l.to.Loading.InFlight, "in-flight", graphdb.DefaultInFlight, "transactions at a time")
	f.StringVar(&l.to.Loading.ImportDir, "import-dir", "", "path on this machine of GraphDB's import `folder` (graphdb.workbench.importDirectory): the server reads the files from there")
	f.StringVar(&l.offline, "offline", "", "write the input of GraphDB's importrdf into this `folder` and print its command, without a server")
	f.BoolVar(&l.dryRun, "dry-run", false, "print what would be done, and change nothing")
	return cmd
}

// graphDBFlags adds the flags of every command that uses a server of the RDF4J protocol. url is the name of the flag for its
// URL.
func graphDBFlags(f *pflag.FlagSet, g *destination.GraphDB, url string) {
	f.StringVar(&g.URL, url, "", "`URL` of GraphDB or RDF4J Server, as http://localhost:7200 or http://localhost:8080/rdf4j-server; credentials are in "+
		destination.GraphDBUser+" and "+destination.GraphDBPassword+", or in "+destination.GraphDBToken)
	f.StringVar(&g.Repository, "repository", "", "`name` of the repository (default PREFIX_DATE_HASH)")
	f.BoolVar(&g.Insecure, "graphdb-insecure-auth", false, "also send password or token to another machine without TLS")
}

// requestFlags adds the flags of timeout and retries. example is a request that takes long.
func requestFlags(f *pflag.FlagSet, g *destination.GraphDB, timeout time.Duration, example string) {
	f.DurationVar(&g.Timeout, "request-timeout", timeout, "timeout of a request, as "+example)
	retryFlag(f, &g.RetryFor, graphdb.DefaultRetryFor)
}

func (a *app) runLoadGraphDB(cmd *cobra.Command, l *loadGraphDB) error {
	m, err := a.readBuild(cmd, &l.options)
	if err != nil {
		return err
	}
	if err := l.to.ReadConfiguration(); err != nil {
		return err
	}
	graph, name, err := l.to.Build(l.Out, m)
	if err != nil {
		return err
	}
	if l.offline != "" {
		return a.printOffline(graph, name, l)
	}
	client, err := l.to.Client(a.environment())
	if err != nil {
		return err
	}
	defer client.Close()
	repository := client.Repository(name)
	if l.dryRun {
		p, err := destination.PlanGraph(cmd.Context(), repository, graph)
		if p == nil {
			return err
		}
		return a.printPlanned(p, p.Write, err)
	}
	loaded, err := l.to.Load(cmd.Context(), a.environment(), repository, graph)
	if err != nil {
		return err
	}
	return a.printLoadedGraph(loaded)
}

func (a *app) printOffline(b *graphdb.Build, name string, l *loadGraphDB) error {
	if err := build.CheckOutside("offline", l.offline, l.Out); err != nil {
		return err
	}
	command, err := graphdb.WriteOffline(b, name, l.offline, l.to.Loading.CreateOptions)
	if err != nil {
		return err
	}
	if a.json {
		return printJSON(a, map[string]any{"repository": name, "command": strings.Join(command, " ")})
	}
	a.printf("%s\n", strings.Join(command, " "))
	return nil
}

package main

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"s2g/graph/graphdb"
	"s2g/graph/rdf4j"
	"s2g/schema"
)

const loadGraphDBHelp = `Loads the graph of a build into GraphDB or RDF4J Server: makes the repository PREFIX_DATE_HASH if it is missing, and
sends the ontology, the batches and the description of the dataset in transactions. Each is there as a whole or
not at all, with a mark in the graph SITE/s2g/load that says which files it brought; a load that was stopped asks
for the marks and goes on with the other files. The last transaction takes the marks away.

    s2g load graphdb --out build --url http://localhost:7200
    S2G_GRAPHDB_USER=me S2G_GRAPHDB_PASSWORD=… s2g load graphdb --out build --url https://graphdb.example.org

A first load of a large build is faster while no server runs: --offline DIR writes what GraphDB's importrdf needs
and prints its command.`

// loadGraphDB is the command's options.
type loadGraphDB struct {
	options
	graphDBFlags
	of            graphdb.Options
	configuration string // a file
	offline       string // a folder
	dryRun        bool
}

// loadGraphDB puts the graph into GraphDB or RDF4J Server.
func (a *app) loadGraphDB() *cobra.Command {
	l := &loadGraphDB{}
	cmd := &cobra.Command{
		Use:   "graphdb --out DIR --url URL",
		Short: "put the graph into GraphDB or RDF4J Server",
		Long:  loadGraphDBHelp,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := l.needBuild(); err != nil {
				return err
			}
			if l.url == "" && l.offline == "" {
				return schema.Faultf(schema.FaultUsage, "give --url http://host:7200, or --offline DIR", "no GraphDB to load into")
			}
			return a.runLoadGraphDB(cmd, l)
		},
	}
	f := cmd.Flags()
	l.outFlag(f)
	l.graphDBFlags.flags(f, "url")
	l.patienceFlags(f, rdf4j.DefaultTimeout, "the commit of a transaction")
	l.repositoryFlags(f)
	f.IntVar(&l.of.Transaction, "transaction", graphdb.DefaultTransaction, "`files` of a transaction, of 50,000 statements each")
	f.IntVar(&l.of.InFlight, "in-flight", graphdb.DefaultInFlight, "transactions at a time")
	f.StringVar(&l.of.ImportDir, "import-dir", "", "GraphDB's import `folder` (graphdb.workbench.importDirectory) as this machine sees it: the server reads the files from there")
	f.StringVar(&l.offline, "offline", "", "write what GraphDB's importrdf needs into this `folder`, print its command, and ask no server")
	dryRunFlag(f, &l.dryRun)
	f.Lookup("dry-run").Usage = "print what would be done, and change nothing"
	return cmd
}

func (l *loadGraphDB) repositoryFlags(f *pflag.FlagSet) {
	f.StringVar(&l.prefix, "prefix", "", "what the name of the repository begins with (default so for stackoverflow.com, else the site's name)")
	f.StringVar(&l.of.Server, "server", graphdb.ServerAuto, "whose repository to make: graphdb, rdf4j, or auto to find out")
	f.StringVar(&l.of.Ruleset, "ruleset", "", "GraphDB's `ruleset` of a repository to be made (default empty: nothing is inferred)")
	f.StringVar(&l.configuration, "repository-config", "", "Turtle `file` of the configuration of a repository to be made")
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

// sendGraph loads what the repository does not have.
func (a *app) sendGraph(ctx context.Context, r *rdf4j.Repository, b *graphdb.Build, l *loadGraphDB) (graphdb.LoadResult, error) {
	shown := a.progress("load graphdb")
	defer shown.end()
	l.of.RetryFor, l.of.Log, l.of.Progress = l.retryFor, a.log, shown.report
	return graphdb.Load(ctx, r, b, l.of)
}

// readConfiguration takes the repository's name from its configuration, where
// one is given.
func (l *loadGraphDB) readConfiguration() error {
	if l.configuration == "" {
		return nil
	}
	text, name, err := graphdb.ReadConfiguration(l.configuration)
	if err != nil {
		return err
	}
	if l.of.Ruleset != "" {
		return schema.Faultf(schema.FaultUsage, "the file says which ruleset", "--ruleset with --repository-config")
	}
	if l.repository != "" && l.repository != name {
		return schema.Faultf(schema.FaultUsage, "leave --repository out", "%s is of the repository %s, not %s", l.configuration, name, l.repository)
	}
	l.repository, l.of.Configuration = name, text
	return nil
}

func (a *app) printOffline(b *graphdb.Build, name string, l *loadGraphDB) error {
	command, err := graphdb.WriteOffline(b, name, l.offline, l.of.CreateOptions)
	if err != nil {
		return err
	}
	if a.json {
		return json.NewEncoder(a.stdout).Encode(map[string]any{"repository": name, "command": strings.Join(command, " ")})
	}
	a.printf("%s\n", strings.Join(command, " "))
	return nil
}

// plannedGraph is what --dry-run prints.
type plannedGraph struct {
	Repository string `json:"repository"`
	Endpoint   string `json:"endpoint"`
	Stand      string `json:"stand"` // see package graphdb
	Files      int    `json:"files"` // to send
	Bytes      int64  `json:"bytes"`
	Statements int64  `json:"statements"`
	Of         int64  `json:"of"` // statements of the whole build
}

// GraphDB's engine loads between so many statements a second, as measured on two
// processors.
const slowLoad, fastLoad = 20_000, 56_000

// planGraphDB prints what a load would do. A repository that would be refused is
// an error.
func (a *app) planGraphDB(ctx context.Context, r *rdf4j.Repository, b *graphdb.Build, l *loadGraphDB) error {
	state, left, refused := graphdb.Plan(ctx, r, b)
	if refused != nil && state.State != graphdb.Foreign {
		return refused
	}
	p := plannedGraph{Repository: r.ID(), Endpoint: r.URL(), Stand: state.State.String(), Of: b.Statements()}
	for _, f := range left {
		p.Files, p.Bytes, p.Statements = p.Files+1, p.Bytes+f.Size, p.Statements+f.Rows
	}
	if a.json {
		if err := json.NewEncoder(a.stdout).Encode(map[string]any{"plan": p}); err != nil {
			return err
		}
		return refused
	}
	a.printf("repository  %s\nit is       %s\nto send     %d files, %s, %s of %s statements\n", p.Repository, p.Stand,
		p.Files, humanize.IBytes(uint64(p.Bytes)), humanize.Comma(p.Statements), humanize.Comma(p.Of))
	if p.Statements > 0 {
		a.printf("time        %s to %s on two processors; see --offline for a first load that is faster\n",
			takes(p.Statements, fastLoad), takes(p.Statements, slowLoad))
	}
	return refused
}

func takes(n, rate int64) time.Duration {
	return max(time.Second, (time.Duration(n/rate) * time.Second).Round(time.Second))
}

// printLoadedGraph writes what a load ends with, or one JSON line.
func (a *app) printLoadedGraph(l graphdb.LoadResult) error {
	if a.json {
		return json.NewEncoder(a.stdout).Encode(map[string]any{"graphdb": l})
	}
	if a.quiet {
		return nil
	}
	a.printf("repository  %s (%s)\nstatements  %s\n", l.Repository, l.Endpoint, humanize.Comma(l.Statements))
	if l.Sent == 0 {
		a.printf("loaded      nothing: all %d files were there\n", l.Files)
		return nil
	}
	a.printf("loaded      %d of %d files, %s statements in %.1f s, %s/s\n", l.Sent, l.Files, humanize.Comma(l.Loaded), l.Seconds, rate(l.Loaded, l.Seconds, 1))
	return nil
}

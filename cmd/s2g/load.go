package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"s2g/cmd/s2g/internal/build"
	"s2g/cmd/s2g/internal/verify"
	"s2g/graph/graphdb"
	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/vectors/qdrant"
)

const loadHelp = `Loads a build into a server. The server stores the progress of the load, so the same command resumes it after the
command or the server was stopped.`

// load is the parent of the commands that load a build into a server.
func (a *app) load() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "load",
		Short: "put a build into a server",
		Long:  loadHelp,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return schema.Faultf(schema.FaultUsage, "see s2g load --help", "no server named")
		},
	}
	cmd.AddCommand(a.loadGraphDB(), a.loadQdrant())
	return cmd
}

// destinations are the servers into which s2g build loads a verified build.
type destinations struct {
	graphDB loadGraphDB
	qdrant  loadQdrant
}

func (d *destinations) flags(f *pflag.FlagSet) {
	d.graphDB.graphDBFlags.flags(f, "graphdb")
	d.qdrant.qdrantFlags.flags(f, "qdrant")
	ofQdrant := pflag.NewFlagSet("qdrant", pflag.ContinueOnError)
	d.qdrant.serviceFlags(ofQdrant)
	d.qdrant.layoutFlags(ofQdrant)
	ofQdrant.VisitAll(func(l *pflag.Flag) { l.Usage = "Qdrant: " + l.Usage }) // load qdrant shares the text
	f.AddFlagSet(ofQdrant)
	f.StringVar(&d.qdrant.prefix, "prefix", "", "beginning of the names of the repository and the collections (default so for stackoverflow.com, else the site's name)")
	retryFlag(f, &d.qdrant.retryFor, qdrant.DefaultRetryFor)
}

// none reports whether no server is named.
func (d *destinations) none() bool { return d.graphDB.url == "" && d.qdrant.url == "" }

// check checks, before hours of work, that the servers answer and accept the options.
func (d *destinations) check(ctx context.Context, a *app, stages []string) error {
	if d.none() {
		return nil
	}
	if !slices.Contains(stages, build.Verify) {
		return schema.Faultf(schema.FaultUsage, "leave --stages out, or load with s2g load", "a build that is not verified is not loaded")
	}
	d.graphDB.prefix, d.graphDB.retryFor = d.qdrant.prefix, d.qdrant.retryFor // both servers share these flags
	if d.graphDB.url != "" {
		client, err := d.graphDB.client(a)
		if err != nil {
			return err
		}
		_, err = graphdb.Probe(ctx, client, a.log)
		client.Close()
		if err != nil {
			return fmt.Errorf("checking GraphDB: %w", err)
		}
	}
	if d.qdrant.url == "" {
		return nil
	}
	if err := d.qdrant.loading.Check(); err != nil {
		return err
	}
	server, err := d.qdrant.connect(ctx, a)
	if err != nil {
		return err
	}
	_, err = server.Aliases(ctx)
	return errors.Join(err, server.Close())
}

// load loads the build into the servers, compares their contents with those that verify has read from the files, and then
// puts the build in service in Qdrant. After any failure the servers serve the previous build.
func (d *destinations) load(ctx context.Context, a *app, b *build.Build, found *verify.Contents) error {
	if d.none() {
		return nil
	}
	out, m := b.Options.Out, b.Dir.Manifest()
	var points qdrant.Build
	var qdrantServer *qdrant.Server
	if d.qdrant.url != "" { // check what Qdrant may refuse before GraphDB's hours of work
		var err error
		if points, err = build.Points(out, m, toolVersion(), d.qdrant.prefix, ""); err != nil {
			return err
		}
		if err := points.Check(); err != nil {
			return err
		}
		if qdrantServer, err = d.qdrant.connect(ctx, a); err != nil {
			return err
		}
		defer qdrantServer.Close()
		if err := qdrantServer.CheckService(ctx, points, d.qdrant.allowShrink); err != nil {
			return err
		}
	}
	var servers []verify.Server
	if d.graphDB.url != "" {
		server, end, err := d.loadGraphDB(ctx, a, out, m)
		if err != nil {
			return err
		}
		defer end()
		servers = append(servers, server)
	}
	var loaded []qdrant.Loaded
	if qdrantServer != nil {
		var err error
		if loaded, err = a.sendPoints(ctx, qdrantServer, points, &d.qdrant); err != nil {
			return err
		}
		servers = append(servers, &verify.Qdrant{Server: qdrantServer, Prefix: points.Prefix, Unserved: true})
	}

	shown := a.progress("verify servers")
	started := time.Now()
	report, err := found.CompareServers(ctx, servers...)
	shown.End()
	if ctx.Err() != nil {
		return err
	}
	if err := errors.Join(err, a.printReport(report, time.Since(started))); err != nil || qdrantServer == nil {
		return err
	}

	dropped, err := qdrantServer.PutInService(ctx, points, d.qdrant.keep, d.qdrant.allowShrink)
	if err != nil {
		return err
	}
	return a.printLoadedPoints(points, loaded, dropped)
}

// loadGraphDB loads the graph. It returns the server for the comparison, and end, which closes its client.
func (d *destinations) loadGraphDB(ctx context.Context, a *app, out string, m *manifest.Manifest) (server verify.Server, end func(), err error) {
	l := &d.graphDB
	graph, name, err := l.graphBuild(out, m)
	if err != nil {
		return nil, nil, err
	}
	client, err := l.client(a)
	if err != nil {
		return nil, nil, err
	}
	defer client.Close()
	loaded, err := a.sendGraph(ctx, client.Repository(name), graph, l)
	if err != nil {
		return nil, nil, err
	}
	if err := a.printLoadedGraph(loaded); err != nil {
		return nil, nil, err
	}
	counting := l.graphDBFlags
	counting.timeout = countingTimeout
	patient, err := counting.client(a)
	if err != nil {
		return nil, nil, err
	}
	return &verify.GraphDB{Repository: patient.Repository(name), Nodes: comparedNodes, RetryFor: l.retryFor, Log: a.log}, patient.Close, nil
}

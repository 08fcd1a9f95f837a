package main

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"s2g/cmd/s2g/internal/verify"
	"s2g/schema"
	"s2g/vectors/qdrant"
)

// destinations are the servers that a build goes into once it is verified.
type destinations struct {
	graphDB loadGraphDB
	qdrant  loadQdrant
}

func (d *destinations) flags(f *pflag.FlagSet) {
	d.graphDB.graphDBFlags.flags(f, "graphdb")
	d.qdrant.qdrantFlags.flags(f, "qdrant")
	d.qdrant.serviceFlags(f)
	d.qdrant.layoutFlags(f)
	for _, name := range []string{"batch", "in-flight", "index-timeout", "keep", "shards", "replicas", "write-consistency", "on-disk", "quantization", "float16", "m", "ef-construct"} {
		l := f.Lookup(name) // what is said on load qdrant says little here
		l.Usage = "Qdrant: " + l.Usage
	}
	f.StringVar(&d.qdrant.prefix, "prefix", "", "what the names of the repository and of collections begin with (default so for stackoverflow.com, else the site's name)")
	d.qdrant.retryFlag(f)
}

// none says that no server is named.
func (d *destinations) none() bool { return d.graphDB.url == "" && d.qdrant.url == "" }

// check finds out before hours of work whether the servers are there, and can be
// used as the flags say.
func (d *destinations) check(ctx context.Context, a *app, stages []string) error {
	if d.none() {
		return nil
	}
	if !slices.Contains(stages, "verify") {
		return schema.Faultf(schema.FaultUsage, "leave --stages out, or load with s2g load", "a build that is not verified is not loaded")
	}
	d.graphDB.prefix, d.graphDB.retryFor = d.qdrant.prefix, d.qdrant.retryFor // one flag each, for both
	if d.graphDB.url != "" {
		client, err := d.graphDB.client(a)
		if err != nil {
			return err
		}
		client.Close()
		if _, err := askGraphDB(ctx, d.graphDB.url); err != nil {
			return schema.Faultf(schema.FaultService, "start it, or leave --graphdb out", "asking GraphDB: %w", err)
		}
	}
	if d.qdrant.url == "" {
		return nil
	}
	if err := d.qdrant.of.Check(); err != nil {
		return err
	}
	server, err := d.qdrant.connect(ctx, a)
	if err != nil {
		return err
	}
	_, err = server.Aliases(ctx)
	return errors.Join(err, server.Close())
}

// load puts the build into the servers, compares them with what verify has found,
// and only then has Qdrant serve it. A failure anywhere leaves in service what was.
func (p *pipeline) load(ctx context.Context) error {
	d := p.to
	if d.none() {
		return nil
	}
	var points *pointsLoad
	if d.qdrant.url != "" { // what Qdrant refuses is better said before hours of GraphDB's work than after them
		server, err := d.qdrant.connect(ctx, p.app)
		if err != nil {
			return err
		}
		defer server.Close()
		if points, err = p.newPointsLoad(ctx, server, &d.qdrant); err != nil {
			return err
		}
	}
	var servers []verify.Server
	if d.graphDB.url != "" {
		server, end, err := p.loadGraphDB(ctx, &d.graphDB)
		if err != nil {
			return err
		}
		defer end()
		servers = append(servers, server)
	}
	if points != nil {
		if err := points.load(ctx); err != nil {
			return err
		}
		servers = append(servers, &verify.Qdrant{Server: points.server, Prefix: points.build.Prefix, Unserved: true})
	}
	if err := p.verifyServers(ctx, servers); err != nil || points == nil {
		return err
	}
	return points.serve(ctx)
}

// loadGraphDB loads the graph. What it returns compares the repository, until end.
func (p *pipeline) loadGraphDB(ctx context.Context, l *loadGraphDB) (server verify.Server, end func(), err error) {
	build, name, err := l.graphBuild(p.opts, p.dir.Manifest())
	if err != nil {
		return nil, nil, err
	}
	client, err := l.client(p.app)
	if err != nil {
		return nil, nil, err
	}
	defer client.Close()
	loaded, err := p.app.sendGraph(ctx, client.Repository(name), build, l)
	if err != nil {
		return nil, nil, err
	}
	if err := p.app.printLoadedGraph(loaded); err != nil {
		return nil, nil, err
	}
	counting := l.graphDBFlags
	counting.timeout = countingTimeout
	patient, err := counting.client(p.app)
	if err != nil {
		return nil, nil, err
	}
	return &verify.GraphDB{Repository: patient.Repository(name), Nodes: comparedNodes, RetryFor: l.retryFor, Log: p.app.log}, patient.Close, nil
}

// pointsLoad puts the points of a build into Qdrant in two steps: they are loaded
// into collections that nobody asks, and served once these were compared.
type pointsLoad struct {
	app    *app
	flags  *loadQdrant
	server *qdrant.Server
	build  qdrant.Build
	loaded []qdrant.Loaded
}

func (p *pipeline) newPointsLoad(ctx context.Context, server *qdrant.Server, l *loadQdrant) (*pointsLoad, error) {
	build, err := p.opts.qdrantBuild(p.dir.Manifest(), l.prefix, "")
	if err != nil {
		return nil, err
	}
	if err := build.Check(); err != nil {
		return nil, err
	}
	return &pointsLoad{app: p.app, flags: l, server: server, build: build}, server.Check(ctx, build, l.allowShrink)
}

func (l *pointsLoad) load(ctx context.Context) (err error) {
	l.loaded, err = l.app.sendPoints(ctx, l.server, l.build, l.flags)
	return err
}

func (l *pointsLoad) serve(ctx context.Context) error {
	dropped, err := l.server.Serve(ctx, l.build, l.flags.keep, l.flags.allowShrink)
	if err != nil {
		return err
	}
	return l.app.printLoaded(l.build, l.loaded, dropped)
}

// verifyServers compares servers with the files as they were read back.
func (p *pipeline) verifyServers(ctx context.Context, servers []verify.Server) error {
	shown := p.app.progress("verify servers", inRows)
	stop := shown.alive()
	started := time.Now()
	report, err := p.found.CompareServers(ctx, servers...)
	stop()
	shown.end()
	if ctx.Err() != nil {
		return err
	}
	return errors.Join(err, p.app.printReport(report, time.Since(started)))
}

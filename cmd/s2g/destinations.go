package main

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"s2g/cmd/s2g/verify"
	"s2g/graph/rdf4j"
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
	d.graphDB.prefix, d.graphDB.retryFor = d.qdrant.prefix, d.qdrant.retryFor
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
	var servers []verify.Server
	if d.graphDB.url != "" {
		server, end, err := p.loadGraphDB(ctx, &d.graphDB)
		if err != nil {
			return err
		}
		defer end()
		servers = append(servers, server)
	}
	serve := func() error { return nil }
	if d.qdrant.url != "" {
		server, err := d.qdrant.connect(ctx, p.app)
		if err != nil {
			return err
		}
		defer server.Close()
		var loaded verify.Server
		if loaded, serve, err = p.loadQdrant(ctx, server, &d.qdrant); err != nil {
			return err
		}
		servers = append(servers, loaded)
	}
	if err := p.verifyServers(ctx, servers); err != nil {
		return err
	}
	return serve()
}

func (p *pipeline) loadGraphDB(ctx context.Context, l *loadGraphDB) (server verify.Server, end func(), err error) {
	build, name, err := l.graphBuild(p.opts, p.dir.Manifest())
	if err != nil {
		return nil, nil, err
	}
	client, err := l.client(p.app)
	if err != nil {
		return nil, nil, err
	}
	repository := client.Repository(name)
	loaded, err := p.app.sendGraph(ctx, repository, build, l)
	if err == nil {
		err = p.app.printLoadedGraph(loaded)
	}
	if err != nil {
		client.Close()
		return nil, nil, err
	}
	patient, err := p.app.verifiedClient(l.graphDBFlags)
	if err != nil {
		client.Close()
		return nil, nil, err
	}
	client.Close()
	compared := &verify.GraphDB{Repository: patient.Repository(name), Nodes: comparedNodes, RetryFor: l.retryFor, Log: p.app.log}
	return compared, func() { patient.Close() }, nil
}

// verifiedClient is a client for questions that a server counts long for.
func (a *app) verifiedClient(g graphDBFlags) (*rdf4j.Client, error) {
	g.timeout = countingTimeout
	return g.client(a)
}

// loadQdrant loads the collections. They are compared under their own names, and
// serve puts them in service.
func (p *pipeline) loadQdrant(ctx context.Context, server *qdrant.Server, l *loadQdrant) (compared verify.Server, serve func() error, err error) {
	build, err := p.opts.qdrantBuild(p.dir.Manifest(), l.prefix, "")
	if err != nil {
		return nil, nil, err
	}
	if err := errors.Join(build.Check(), server.Check(ctx, build, l.allowShrink)); err != nil {
		return nil, nil, err
	}
	loaded, err := p.app.sendPoints(ctx, server, build, l)
	if err != nil {
		return nil, nil, err
	}
	serve = func() error {
		dropped, err := server.Serve(ctx, build, l.keep, l.allowShrink)
		if err != nil {
			return err
		}
		return p.app.printLoaded(build, loaded, dropped)
	}
	return &verify.Qdrant{Server: server, Prefix: build.Prefix, Unserved: true}, serve, nil
}

// verifyServers compares servers with the files as they were read back.
func (p *pipeline) verifyServers(ctx context.Context, servers []verify.Server) error {
	shown := p.app.progress("verify servers", inRows)
	stop := shown.alive()
	started := time.Now()
	report, err := p.found.Servers(ctx, servers...)
	stop()
	shown.end()
	if ctx.Err() != nil {
		return err
	}
	return errors.Join(err, p.app.printReport(report, time.Since(started)))
}

// Package destination loads builds into servers: the graph into GraphDB, the points into Qdrant, or a verified build into
// both, whose contents are compared with the files before the build is put in service.
package destination

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"s2g/cmd/s2g/internal/build"
	"s2g/cmd/s2g/internal/verify"
	"s2g/graph/graphdb"
	"s2g/schema/manifest"
	"s2g/vectors/qdrant"
)

// Environment is what a command gives to the clients of servers.
type Environment struct {
	Getenv func(name string) string // the value of a variable, which may be a secret
	Log    *slog.Logger

	// Progress begins to show a stage; see [build.Options].
	Progress func(stage string) (report func(what string, done, total int64), end func())
}

// CountingTimeout is the timeout of a server's count of the statements of a graph. ComparedNodes is the number of nodes
// whose statements are compared one by one.
const (
	CountingTimeout = time.Hour
	ComparedNodes   = 1000
)

// Destinations are the servers into which a build is loaded. A server without a URL is none.
type Destinations struct {
	GraphDB GraphDB
	Qdrant  Qdrant
}

// None reports whether no server is named.
func (d *Destinations) None() bool { return d.GraphDB.URL == "" && d.Qdrant.URL == "" }

// Check checks, before hours of work, that the servers answer and accept the options.
func (d *Destinations) Check(ctx context.Context, e Environment) error {
	if d.GraphDB.URL != "" {
		client, err := d.GraphDB.Client(e)
		if err != nil {
			return err
		}
		_, err = graphdb.Probe(ctx, client, e.Log)
		client.Close()
		if err != nil {
			return fmt.Errorf("checking GraphDB: %w", err)
		}
	}
	if d.Qdrant.URL == "" {
		return nil
	}
	if err := d.Qdrant.Loading.Check(); err != nil {
		return err
	}
	server, err := d.Qdrant.Connect(ctx, e)
	if err != nil {
		return err
	}
	_, err = server.Aliases(ctx)
	return errors.Join(err, server.Close())
}

// Results receives what a load has done, in this order.
type Results struct {
	Graph    func(graphdb.LoadResult) error
	Compared func(report verify.Report, took time.Duration) error
	Points   func(points qdrant.Build, loaded []qdrant.Loaded, dropped []string) error
}

// Load loads a build into the servers, compares their contents with those that verify has read from the files, and then
// puts the build in service in Qdrant. After any failure the servers serve the previous build.
func (d *Destinations) Load(ctx context.Context, e Environment, b *build.Build, found *verify.Contents, results Results) error {
	out, m := b.Options.Out, b.Dir.Manifest()
	var points qdrant.Build
	var qdrantServer *qdrant.Server
	if d.Qdrant.URL != "" { // check what Qdrant may refuse before GraphDB's hours of work
		var err error
		if points, err = build.Points(out, m, b.Options.Tool, d.Qdrant.Prefix, ""); err != nil {
			return err
		}
		if err := points.Check(); err != nil {
			return err
		}
		if qdrantServer, err = d.Qdrant.Connect(ctx, e); err != nil {
			return err
		}
		defer qdrantServer.Close()
		if err := qdrantServer.CheckService(ctx, points, d.Qdrant.AllowShrink); err != nil {
			return err
		}
	}
	var servers []verify.Server
	if d.GraphDB.URL != "" {
		server, end, err := d.loadGraph(ctx, e, out, m, results)
		if err != nil {
			return err
		}
		defer end()
		servers = append(servers, server)
	}
	var loaded []qdrant.Loaded
	if qdrantServer != nil {
		var err error
		if loaded, err = d.Qdrant.Load(ctx, e, qdrantServer, points); err != nil {
			return err
		}
		servers = append(servers, &verify.Qdrant{Server: qdrantServer, Prefix: points.Prefix, Unserved: true})
	}

	_, end := e.Progress("verify servers")
	started := time.Now()
	report, err := found.CompareServers(ctx, servers...)
	end()
	if ctx.Err() != nil {
		return err
	}
	if err := errors.Join(err, results.Compared(report, time.Since(started))); err != nil || qdrantServer == nil {
		return err
	}
	dropped, err := qdrantServer.PutInService(ctx, points, d.Qdrant.Keep, d.Qdrant.AllowShrink)
	if err != nil {
		return err
	}
	return results.Points(points, loaded, dropped)
}

// loadGraph loads the graph. It returns the server for the comparison, and end, which closes its client.
func (d *Destinations) loadGraph(ctx context.Context, e Environment, out string, m *manifest.Manifest, results Results) (server verify.Server, end func(), err error) {
	g := &d.GraphDB
	graph, name, err := g.Build(out, m)
	if err != nil {
		return nil, nil, err
	}
	client, err := g.Client(e)
	if err != nil {
		return nil, nil, err
	}
	defer client.Close()
	loaded, err := g.Load(ctx, e, client.Repository(name), graph)
	if err != nil {
		return nil, nil, err
	}
	if err := results.Graph(loaded); err != nil {
		return nil, nil, err
	}
	counting := *g
	counting.Timeout = CountingTimeout
	patient, err := counting.Client(e)
	if err != nil {
		return nil, nil, err
	}
	return &verify.GraphDB{Repository: patient.Repository(name), Nodes: ComparedNodes, RetryFor: g.RetryFor, Log: e.Log}, patient.Close, nil
}

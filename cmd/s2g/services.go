package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"s2g/graph/rdf4j"
	"s2g/schema"
	"s2g/schema/tables"
	"s2g/vectors/embed"
	"s2g/vectors/qdrant"
)

// service is a server of others that a build needs, as doctor finds it.
type service struct {
	Name    string `json:"name"`
	Address string `json:"address"`
	Says    string `json:"says,omitempty"`
	Missing string `json:"missing,omitempty"` // what is the matter
}

// askFor is how long doctor waits for a server's answer.
const askFor = 15 * time.Second

// examineServices asks each server that the flags name. The error is that of the
// first that will not do.
func (a *app) examineServices(ctx context.Context, o *options, servers *doctorServers, e *examination) error {
	asked := []struct {
		name, address string
		ask           func(context.Context) (string, error)
	}{
		{"MariaDB", masked("dsn", o.dsn), func(ctx context.Context) (string, error) { return a.askMariaDB(ctx, o) }},
		{"dense vectors", masked("dense", o.shape.Dense), func(ctx context.Context) (string, error) { return a.askDense(ctx, o) }},
		{"sparse vectors", masked("sparse", o.shape.Sparse), func(ctx context.Context) (string, error) { return a.askSparse(ctx, o) }},
		{"GraphDB", masked("graphdb", servers.graphDB), func(ctx context.Context) (string, error) { return askGraphDB(ctx, servers.graphDB) }},
		{"Qdrant", masked("qdrant", servers.url), func(ctx context.Context) (string, error) { return a.askQdrant(ctx, servers) }},
	}
	var failed error
	for _, s := range asked {
		if s.address == "" || s.address == embed.KindBuiltin || s.address == embed.KindBM25 {
			continue
		}
		within, cancel := context.WithTimeout(ctx, askFor)
		says, err := s.ask(within)
		cancel()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		found := service{Name: s.name, Address: s.address, Says: says}
		if err != nil {
			found.Missing = err.Error()
			if failed == nil {
				failed = fmt.Errorf("%s: %w", s.name, err)
			}
		}
		e.Services = append(e.Services, found)
	}
	return failed
}

// askMariaDB makes sure that a load can succeed, on a table of its own.
func (a *app) askMariaDB(ctx context.Context, o *options) (says string, err error) {
	db, err := tables.Open(ctx, tables.Options{DSN: o.dsn, Log: a.log})
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	rows, err := db.Query(ctx, "SELECT VERSION()")
	if err != nil {
		return "", err
	}
	for rows.Scan() {
		says = string(rows.Record()[0])
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return says, err
	}
	return says + ", with the rights of a load", db.CheckRights(ctx)
}

// once asks an embedder without trying for long.
func (a *app) once() embed.RemoteOptions {
	r := a.remote()
	r.RetryFor, r.Timeout = time.Second, askFor
	return r
}

func (a *app) askDense(ctx context.Context, o *options) (string, error) {
	dense, err := embed.OpenDense(ctx, o.shape.Dense, a.once())
	if err != nil {
		return "", err
	}
	o.dimensions = dense.Dim() // the plan need not guess
	return fmt.Sprintf("%s, %d dimensions", dense.Model(), dense.Dim()), nil
}

func (a *app) askSparse(ctx context.Context, o *options) (string, error) {
	sparse, err := embed.OpenSparse(ctx, o.shape.Sparse, a.once())
	if err != nil {
		return "", err
	}
	return sparse.Model(), nil
}

// askGraphDB asks without saying who asks: a server that wants to know is there.
func askGraphDB(ctx context.Context, url string) (string, error) {
	client, err := rdf4j.New(rdf4j.Config{URL: url, Timeout: askFor})
	if err != nil {
		return "", schema.Faultf(schema.FaultUsage, "as http://localhost:7200 or http://localhost:8080/rdf4j-server", "%w", err)
	}
	defer client.Close()
	version, err := client.Protocol(ctx)
	switch {
	case rdf4j.IsStatus(err, http.StatusUnauthorized), rdf4j.IsStatus(err, http.StatusForbidden):
		return "answers, and asks for a user", nil
	case err != nil:
		return "", schema.Faultf(schema.FaultService, "see whether the server runs, and whether the URL is its own", "%w", err)
	}
	return fmt.Sprintf("answers, RDF4J protocol %d", version), nil
}

func (a *app) askQdrant(ctx context.Context, q *doctorServers) (says string, err error) {
	access, err := q.access(a)
	if err != nil {
		return "", err
	}
	access.RetryFor, access.Call = -1, askFor
	server, err := qdrant.Open(ctx, access)
	if err != nil {
		return "", err
	}
	return strings.TrimSpace("answers, version " + server.Version()), server.Close()
}

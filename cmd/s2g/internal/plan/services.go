package plan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"s2g/cmd/s2g/internal/build"
	"s2g/cmd/s2g/internal/config"
	"s2g/graph/graphdb"
	"s2g/graph/rdf4j"
	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/remote"
	"s2g/schema/tables"
	"s2g/vectors/embed"
	"s2g/vectors/qdrant"
)

// Servers are the servers that a verified build is loaded into. An empty address names none.
type Servers struct {
	GraphDB string        // URL of GraphDB or RDF4J Server
	Qdrant  string        // address of Qdrant's gRPC; see [qdrant.ParseAddress]
	Access  qdrant.Access // to Qdrant; its address is Qdrant's

	Secrets remote.Secrets // that messages leave out
}

// Service is a server that the options name.
type Service struct {
	Name    string `json:"name"`
	Address string `json:"address"` // without secrets
	Answer  string `json:"says,omitempty"`
	Missing string `json:"missing,omitempty"` // why it cannot be used
}

// probeTimeout is how long a server may take to answer.
const probeTimeout = 15 * time.Second

// examineServices sends a request to each server that the options name. It returns the length of the dense endpoint's
// vectors, 0 without an endpoint, and the error of the first server that cannot be used.
func (e *Examination) examineServices(ctx context.Context, o *build.Options, servers Servers) (dimensions int, failed error) {
	endpoints := o.Remote
	endpoints.RetryFor, endpoints.Timeout = time.Second, probeTimeout
	probes := []struct {
		name, option, address string
		probe                 func(context.Context) (string, error)
	}{
		{"MariaDB", "dsn", o.DSN, func(ctx context.Context) (string, error) { return probeMariaDB(ctx, o) }},
		{"dense vectors", "dense", o.Shape.Dense, func(ctx context.Context) (string, error) {
			dense, err := embed.OpenDense(ctx, o.Shape.Dense, endpoints)
			if err != nil {
				return "", err
			}
			dimensions = dense.Dim()
			return fmt.Sprintf("%s, %d dimensions", dense.Model(), dense.Dim()), nil
		}},
		{"sparse vectors", "sparse", o.Shape.Sparse, func(ctx context.Context) (string, error) {
			sparse, err := embed.OpenSparse(ctx, o.Shape.Sparse, endpoints)
			if err != nil {
				return "", err
			}
			return sparse.Model(), nil
		}},
		{"GraphDB", "graphdb", servers.GraphDB, func(ctx context.Context) (string, error) { return probeGraphDB(ctx, servers.GraphDB, o.Log) }},
		{"Qdrant", "qdrant", servers.Qdrant, func(ctx context.Context) (string, error) { return probeQdrant(ctx, servers) }},
	}
	for _, p := range probes {
		if p.address == "" || p.address == embed.KindBuiltin || p.address == embed.KindBM25 {
			continue
		}
		within, cancel := context.WithTimeout(ctx, probeTimeout+5*time.Second) // clients report their own timeouts
		answer, err := p.probe(within)
		if fault, _ := schema.FaultOf(err); err != nil && fault == schema.FaultOurs && within.Err() != nil {
			err = schema.Faultf(schema.FaultService, "check that the server runs, and host and port"+answering(ctx, p.address), "no answer within %v: %w", probeTimeout, err)
		}
		cancel()
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		found := Service{Name: p.name, Address: config.Masked(p.option, p.address), Answer: answer}
		if err != nil {
			found.Missing = config.Message(err, servers.Secrets)
			if failed == nil {
				failed = fmt.Errorf("%s: %w", p.name, err)
			}
		}
		e.Services = append(e.Services, found)
	}
	return dimensions, failed
}

// checkEndpoints opens the embedders at endpoints where the stage vectors follows others, which may take hours. Where it is the
// first stage to run, it opens them itself.
func (p *Plan) checkEndpoints(ctx context.Context, o *build.Options) error {
	before := false // a stage runs before the vectors
	for _, s := range p.Steps {
		if s.Fresh {
			continue
		}
		if s.Stage != manifest.Vectors {
			before = true
			continue
		}
		if !before {
			return nil
		}
		if d := cmp.Or(o.Shape.Dense, embed.KindBuiltin); d != embed.KindBuiltin {
			if _, err := embed.OpenDense(ctx, d, o.Remote); err != nil {
				return fmt.Errorf("checking the dense endpoint: %w", err)
			}
		}
		if _, err := embed.OpenSparse(ctx, cmp.Or(o.Shape.Sparse, embed.KindBM25), o.Remote); err != nil {
			return fmt.Errorf("checking the sparse endpoint: %w", err)
		}
	}
	return nil
}

// answering returns what answers at the first http or https URL of an address.
func answering(ctx context.Context, address string) string {
	at := strings.Index(address, "http")
	if at < 0 {
		return ""
	}
	first, _, _ := strings.Cut(address[at:], ",")
	u, err := url.Parse(first)
	if err != nil || u.Host == "" {
		return ""
	}
	if found := remote.NewTarget(u, "").Answering(ctx); found != "" {
		return "; at " + u.Host + strings.TrimPrefix(found, ",")
	}
	return ""
}

// probeMariaDB checks the rights that a load needs, on a table of its own.
func probeMariaDB(ctx context.Context, o *build.Options) (answer string, err error) {
	db, err := tables.Open(ctx, tables.ServerOptions{DSN: o.DSN, Access: tables.Load, Log: o.Log})
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	err = db.SQL().QueryRowContext(ctx, "SELECT VERSION()").Scan(&answer)
	if err != nil {
		return "", fmt.Errorf("querying the version: %w", err)
	}
	return remote.Secrets{}.Text(answer, 80) + ", with the rights of a load", db.CheckRights(ctx)
}

// probeGraphDB sends requests without a user: a server that requires one answers, too.
func probeGraphDB(ctx context.Context, url string, log *slog.Logger) (string, error) {
	client, err := rdf4j.New(rdf4j.Config{URL: url, Timeout: probeTimeout})
	if err != nil {
		return "", schema.Faultf(schema.FaultUsage, "as http://localhost:7200 or http://localhost:8080/rdf4j-server", "%w", err)
	}
	defer client.Close()
	server, err := graphdb.Probe(ctx, client, log)
	switch {
	case rdf4j.IsStatus(err, http.StatusUnauthorized), rdf4j.IsStatus(err, http.StatusForbidden):
		return "answers, and requires a user", nil
	case err != nil:
		return "", err
	}
	return "answers, " + server.String(), nil
}

func probeQdrant(ctx context.Context, servers Servers) (answer string, err error) {
	access := servers.Access
	if access.Address, err = qdrant.ParseAddress(servers.Qdrant); err != nil {
		return "", err
	}
	access.RetryFor, access.Timeout = 0, probeTimeout
	server, err := qdrant.Open(ctx, access)
	if err != nil {
		return "", err
	}
	return strings.TrimSpace("answers, version " + server.Version()), server.Close()
}

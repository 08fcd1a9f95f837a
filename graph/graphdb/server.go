package graphdb

import (
	"context"
	"fmt"
	"log/slog"
	"regexp"
	"strconv"

	"s2g/graph/rdf4j"
	"s2g/schema"
)

// The oldest servers that a load works with. GraphDB has had one kind of repository, graphdb:SailRepository, since 10.0;
// those before have other types for each edition. Protocol 9 is that of RDF4J 3.0, the oldest one whose requests in a
// transaction are those of the client.
const (
	minGraphDB  = 10
	minProtocol = 9
)

// Server is what a server reports of itself.
type Server struct {
	Protocol int
	GraphDB  string // version; empty: the server is not GraphDB, or does not report it
}

// String describes the server, as "GraphDB 10.8.3, RDF4J protocol 12".
func (s Server) String() string {
	text := fmt.Sprintf("RDF4J protocol %d", s.Protocol)
	if s.GraphDB != "" {
		text = "GraphDB " + s.GraphDB + ", " + text
	}
	return text
}

var majorVersion = regexp.MustCompile(`^v?(\d{1,4})\.\d`)

// ExamineServer requests the versions of a server, and returns a usage fault where it is too old. It warns of a version that
// it cannot read; log may be nil.
func ExamineServer(ctx context.Context, c *rdf4j.Client, log *slog.Logger) (Server, error) {
	var s Server
	var err error
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	if s.Protocol, err = c.Protocol(ctx); err != nil {
		return s, err
	}
	if s.GraphDB, err = c.GraphDBVersion(ctx); err != nil {
		return s, err
	}
	if s.Protocol < minProtocol {
		return s, schema.Faultf(schema.FaultUsage, fmt.Sprintf("update it to RDF4J 3.0 or GraphDB %d.0", minGraphDB),
			"%s is too old: %s, at least %d is required", c.URL(), s, minProtocol)
	}
	if s.GraphDB == "" {
		return s, nil
	}
	found := majorVersion.FindStringSubmatch(s.GraphDB)
	if found == nil {
		log.Warn("the version of GraphDB is unknown; at least 10.0 is required", "server", c.URL(), "version", s.GraphDB)
		return s, nil
	}
	if major, _ := strconv.Atoi(found[1]); major < minGraphDB {
		return s, schema.Faultf(schema.FaultUsage, fmt.Sprintf("update it to GraphDB %d.0 or newer", minGraphDB), "%s is too old: %s", c.URL(), s)
	}
	return s, nil
}

// Probe is [ExamineServer] without a retry, for a check before a load. Its errors have the class of their remedy.
func Probe(ctx context.Context, c *rdf4j.Client, log *slog.Logger) (Server, error) {
	s, err := ExamineServer(ctx, c, log)
	if err != nil && ctx.Err() == nil && rdf4j.Temporary(err) {
		err = unreachable(ctx, c, err)
	}
	return s, withFault(err)
}

// unreachable returns the fault of a server that does not answer.
func unreachable(ctx context.Context, c *rdf4j.Client, err error) error {
	remedy := "check that the server runs, and that the URL is correct"
	if found := c.Answering(ctx); found != "" {
		remedy += "; at that address" + found
	}
	return schema.Faultf(schema.FaultService, remedy, "%w", err)
}

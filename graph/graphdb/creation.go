package graphdb

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/knakk/rdf"

	"s2g/graph/rdf4j"
	"s2g/schema"
)

// The values of CreateOptions.Server.
const (
	ServerAuto    = "auto"
	ServerGraphDB = "graphdb"
	ServerRDF4J   = "rdf4j"
)

// CreateOptions configures a repository that Load creates.
type CreateOptions struct {
	Server        string // ServerAuto, ServerGraphDB or ServerRDF4J; empty: ServerAuto
	Ruleset       string // GraphDB's; empty: "empty"
	Configuration []byte // Turtle; nil: this package's
}

// Rulesets lists GraphDB's own rulesets. A user's ruleset is a .pie file on the server.
var Rulesets = []string{"empty", "rdfs", "rdfs-optimized", "rdfsplus", "rdfsplus-optimized", "owl-horst", "owl-horst-optimized",
	"owl-max", "owl-max-optimized", "owl2-ql", "owl2-ql-optimized", "owl2-rl", "owl2-rl-optimized"}

// checkRuleset refuses unknown rulesets. GraphDB itself creates a repository with any
// ruleset, and then cannot open it.
func checkRuleset(name string) error {
	if name == "" || strings.HasSuffix(name, ".pie") || slices.Contains(Rulesets, name) {
		return nil
	}
	return schema.Faultf(schema.FaultUsage, "use a .pie file on the server, or "+strings.Join(Rulesets, ", "), "option ruleset is %q, which GraphDB does not have", name)
}

// repositoryName matches the names that GraphDB accepts and that need no escape in a URL
// or a file name.
var repositoryName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

// CheckName returns a usage fault for a string that cannot name a repository.
func CheckName(name string) error {
	if !repositoryName.MatchString(name) {
		return schema.Faultf(schema.FaultUsage, "use letters, digits, hyphens and underscores", "%q cannot name a repository", name)
	}
	return nil
}

// namePredicates are the predicates of a repository's name in its configuration: RDF4J's
// until version 4, and since 5.
var namePredicates = map[string]bool{
	"http://www.openrdf.org/config/repository#repositoryID": true,
	"tag:rdf4j.org,2023:config/rep.id":                      true,
}

// ReadConfiguration reads a file with a repository's configuration, and returns
// its text and the repository's name.
func ReadConfiguration(path string) (text []byte, name string, err error) {
	text, err = schema.ReadRegular(path)
	if err != nil {
		return nil, "", schema.Faultf(schema.FaultUsage, "give option repository-config a readable Turtle file", "reading the repository's configuration: %w", err)
	}
	triples, err := rdf.NewTripleDecoder(bytes.NewReader(text), rdf.Turtle).DecodeAll()
	if err != nil {
		return nil, "", schema.Faultf(schema.FaultUsage, "", "%s is not Turtle: %w", path, err)
	}
	for _, t := range triples {
		if namePredicates[t.Pred.String()] && name == "" {
			name = t.Obj.String()
		}
	}
	if name == "" {
		return nil, "", schema.Faultf(schema.FaultUsage, "it needs a rep:repositoryID", "%s does not name a repository", path)
	}
	return text, name, CheckName(name)
}

// create creates the repository. A repository that another program has created meanwhile
// is no error.
func (c CreateOptions) create(ctx context.Context, r *rdf4j.Repository, title string) error {
	settings := rdf4j.Settings{ID: r.ID(), Title: title, Ruleset: c.Ruleset}
	var err error
	switch {
	case c.Configuration != nil:
		err = r.Create(ctx, string(c.Configuration))
	case c.Server == ServerRDF4J:
		err = r.Create(ctx, rdf4j.Configuration(rdf4j.Native, settings))
	default:
		err = r.Create(ctx, rdf4j.Configuration(rdf4j.GraphDB, settings))
		// RDF4J Server cannot create GraphDB's repositories, so its refusal identifies it.
		if c.Server != ServerGraphDB && rdf4j.Unsupported(err) {
			err = r.Create(ctx, rdf4j.Configuration(rdf4j.Native, settings))
		}
	}
	if rdf4j.IsStatus(err, http.StatusConflict) {
		return nil
	}
	if e, ok := errors.AsType[*rdf4j.StatusError](err); ok && e.Malformed() {
		return schema.Faultf(schema.FaultUsage, "check option server, option ruleset and option repository-config", "the server refuses the repository's configuration: %w", err)
	}
	return err
}

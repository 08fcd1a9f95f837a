package graphdb

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"os"
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

// CreateOptions says how a repository is made that is not there.
type CreateOptions struct {
	Server        string // ServerAuto, ServerGraphDB or ServerRDF4J; empty: ServerAuto
	Ruleset       string // GraphDB's; empty: "empty"
	Configuration []byte // Turtle; nil: this package's
}

// Rulesets are GraphDB's; one of a user's own is a .pie file on the server. It
// makes a repository with any other name, too, and then cannot open it.
var Rulesets = []string{"empty", "rdfs", "rdfs-optimized", "rdfsplus", "rdfsplus-optimized", "owl-horst", "owl-horst-optimized",
	"owl-max", "owl-max-optimized", "owl2-ql", "owl2-ql-optimized", "owl2-rl", "owl2-rl-optimized"}

func checkRuleset(name string) error {
	if name == "" || strings.HasSuffix(name, ".pie") || slices.Contains(Rulesets, name) {
		return nil
	}
	return schema.Faultf(schema.FaultUsage, "it takes a .pie file on the server, or "+strings.Join(Rulesets, ", "), "GraphDB has no ruleset %q", name)
}

// id is what GraphDB takes as the name of a repository, and what needs no
// escape in a URL or a file name.
var id = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

// CheckName refuses what is no name of a repository.
func CheckName(name string) error {
	if !id.MatchString(name) {
		return schema.Faultf(schema.FaultUsage, "use letters, digits, hyphens and underscores", "%q is not the name of a repository", name)
	}
	return nil
}

// The predicates that name a repository in its configuration: of RDF4J until 4,
// and since 5.
var nameOf = map[string]bool{
	"http://www.openrdf.org/config/repository#repositoryID": true,
	"tag:rdf4j.org,2023:config/rep.id":                      true,
}

// ReadConfiguration reads a configuration and the name of its repository.
func ReadConfiguration(path string) (text []byte, name string, err error) {
	text, err = os.ReadFile(path)
	if err != nil {
		return nil, "", schema.Faultf(schema.FaultUsage, "", "reading the repository's configuration: %w", err)
	}
	triples, err := rdf.NewTripleDecoder(bytes.NewReader(text), rdf.Turtle).DecodeAll()
	if err != nil {
		return nil, "", schema.Faultf(schema.FaultUsage, "", "%s is not Turtle: %w", path, err)
	}
	for _, t := range triples {
		if nameOf[t.Pred.String()] && name == "" {
			name = t.Obj.String()
		}
	}
	if name == "" {
		return nil, "", schema.Faultf(schema.FaultUsage, "it needs a rep:repositoryID", "%s does not name a repository", path)
	}
	return text, name, CheckName(name)
}

// create makes the repository. One that is there by now is as good.
func (c CreateOptions) create(ctx context.Context, r *rdf4j.Repository, title string) error {
	err := c.try(ctx, r, title)
	if rdf4j.IsStatus(err, http.StatusConflict) {
		return nil
	}
	if e, ok := errors.AsType[*rdf4j.StatusError](err); ok && e.Malformed() {
		return schema.Faultf(schema.FaultUsage, "see --server, --ruleset and --repository-config", "the server refuses the repository's configuration: %w", err)
	}
	return err
}

func (c CreateOptions) try(ctx context.Context, r *rdf4j.Repository, title string) error {
	if c.Configuration != nil {
		return r.Create(ctx, string(c.Configuration))
	}
	settings := rdf4j.Settings{ID: r.ID(), Title: title, Ruleset: c.Ruleset}
	if c.Server == ServerRDF4J {
		return r.Create(ctx, rdf4j.Configuration(rdf4j.Native, settings))
	}
	err := r.Create(ctx, rdf4j.Configuration(rdf4j.GraphDB, settings))
	// GraphDB can make RDF4J's stores, RDF4J Server cannot make GraphDB's
	if c.Server != ServerGraphDB && rdf4j.Unsupported(err) {
		return r.Create(ctx, rdf4j.Configuration(rdf4j.Native, settings))
	}
	return err
}

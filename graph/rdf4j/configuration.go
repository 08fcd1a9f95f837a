package rdf4j

import (
	"fmt"
	"strings"
)

// Store is a kind of repository that this package has a configuration of.
type Store uint8

// The kinds of repositories.
const (
	GraphDB Store = iota // GraphDB's own
	Native               // RDF4J's native store, on disk
)

// Settings are what a configuration says of a repository.
type Settings struct {
	ID, Title string
	Ruleset   string // GraphDB's: what is inferred; empty: "empty", nothing
}

// The vocabulary is that of RDF4J before 5: GraphDB 10 refuses the newer one,
// and RDF4J 5 reads both. The context index makes the statements of a graph
// quick to find; without inference nothing needs a ruleset; literals are texts
// of posts, which a literal index would only repeat.
const graphDBConfiguration = `@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix rep: <http://www.openrdf.org/config/repository#> .
@prefix sr: <http://www.openrdf.org/config/repository/sail#> .
@prefix sail: <http://www.openrdf.org/config/sail#> .
@prefix graphdb: <http://www.ontotext.com/config/graphdb#> .

[] a rep:Repository ;
  rep:repositoryID %s ;
  rdfs:label %s ;
  rep:repositoryImpl [
    rep:repositoryType "graphdb:SailRepository" ;
    sr:sailImpl [
      sail:sailType "graphdb:Sail" ;
      graphdb:ruleset %s ;
      graphdb:enable-context-index "true" ;
      graphdb:storage-folder "storage" ;
      graphdb:repository-type "file-repository"
    ]
  ] .
`

const nativeConfiguration = `@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix rep: <http://www.openrdf.org/config/repository#> .
@prefix sr: <http://www.openrdf.org/config/repository/sail#> .
@prefix sail: <http://www.openrdf.org/config/sail#> .
@prefix ns: <http://www.openrdf.org/config/sail/native#> .

[] a rep:Repository ;
  rep:repositoryID %s ;
  rdfs:label %s ;
  rep:repositoryImpl [
    rep:repositoryType "openrdf:SailRepository" ;
    sr:sailImpl [
      sail:sailType "openrdf:NativeStore" ;
      ns:tripleIndexes "spoc,posc,cspo,cpos"
    ]
  ] .
`

// Configuration writes the Turtle document that [Repository.Create] takes. A
// server that does not have that kind of repository refuses it; see
// [Unsupported].
func Configuration(store Store, s Settings) string {
	id, title := quote(s.ID), quote(s.Title)
	if store == Native {
		return fmt.Sprintf(nativeConfiguration, id, title)
	}
	if s.Ruleset == "" {
		s.Ruleset = "empty"
	}
	return fmt.Sprintf(graphDBConfiguration, id, title, quote(s.Ruleset))
}

// Unsupported reports whether a server has refused a configuration because it
// does not have that kind of repository.
func Unsupported(err error) bool {
	return IsStatus(err, 400) && strings.Contains(err.Error(), "Unsupported ")
}

var quoting = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`)

// quote writes a Turtle string.
func quote(text string) string { return `"` + quoting.Replace(text) + `"` }

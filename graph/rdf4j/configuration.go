package rdf4j

import (
	"fmt"
	"strings"
)

// Store is a kind of repository that [Configuration] describes.
type Store uint8

// The kinds of repositories.
const (
	GraphDB Store = iota // GraphDB's own
	Native               // RDF4J's native store, on disk
)

// Settings are the variable parts of a configuration.
type Settings struct {
	ID, Title string
	Ruleset   string // GraphDB's; empty: "empty", which infers nothing
}

// The vocabulary is that of RDF4J before 5: GraphDB 10 refuses the newer one, and RDF4J
// 5 reads both. The context index finds the statements of a graph; there is no
// literal index, since it would only repeat long texts.
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

// Configuration returns the Turtle document for [Repository.Create]. A server that lacks
// the kind of repository refuses it; see [Unsupported].
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

// Unsupported reports whether a server has refused a configuration because it lacks that
// kind of repository.
func Unsupported(err error) bool {
	return IsStatus(err, 400) && strings.Contains(err.Error(), "Unsupported ")
}

var quoting = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`)

// quote returns a Turtle string.
func quote(text string) string { return `"` + quoting.Replace(text) + `"` }

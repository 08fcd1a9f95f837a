package report

import (
	"fmt"
	"strings"

	"s2g/schema/manifest"
	"s2g/schema/vocab"
)

// command is what a reader may type, and what it does.
type command struct{ Says, Text string }

// commands are how the build is loaded and used; OUT stands for its folder.
func (r *Report) commands() []command {
	var list []command
	language, name := "python", "Python"
	if len(r.order) > 0 {
		g := r.stats.Graphs[r.order[0]]
		language, name = g.Tag, g.Name
		if language == "" {
			language = "_other"
		}
	}
	if r.o.Manifest.Stages[manifest.Graph] != nil {
		list = append(list, command{"Load the graph into GraphDB, or any server with the RDF4J REST protocol (--offline DIR prints the faster way of a first load):", "s2g load graphdb --out OUT --url http://localhost:7200"})
	}
	if r.o.Manifest.Stages[manifest.Vectors] != nil {
		list = append(list,
			command{"Load the vectors into Qdrant, a collection for each language:", "s2g load qdrant --out OUT --url http://localhost:6334"},
			command{"Search in " + name + " without a server:", fmt.Sprintf("s2g search --out OUT --language %s %q", quoted(language), "how do I merge two lists")})
	}
	list = append(list, command{"Ask the tables:", "s2g db --out OUT 'SELECT Id, Score, Title FROM Posts WHERE PostTypeId = 1 ORDER BY Score DESC LIMIT 10'"})
	return list
}

// quoted is a word as a shell takes it.
func quoted(word string) string {
	for _, c := range word {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '_' && c != '.' && c != '+' {
			return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	return word
}

// sparql is a query that shows what the graph is for.
func (r *Report) sparql() string {
	tag := "python"
	if len(r.order) > 0 {
		tag = r.stats.Graphs[r.order[0]].Tag
	}
	return `PREFIX so: <` + vocab.NS + `>
SELECT ?title ?accepted ?better (?b - ?a AS ?ahead) {
  GRAPH <` + r.o.Site.Graph(tag) + `> {
    ?question so:hasTitle ?title ;
              so:HasAcceptedAnswer ?accepted ;
              so:HasPossibleBetterAnswer ?better .
    ?accepted so:score ?a .
    ?better so:score ?b .
  }
} ORDER BY DESC(?ahead) LIMIT 10`
}

package report

import (
	"strings"

	"s2g/schema/vocab"
)

// graphQuery is an example of a query with what it asks for.
type graphQuery struct{ Label, Text string }

// graphQueries are the examples, the most telling first. Each has results in a graph that
// holds its edge. GRAPH is the graph's IRI.
var graphQueries = []struct{ edge, label, text string }{
	{vocab.HasPossibleBetterAnswer, "which answers may be better than the accepted ones, and by how many votes?", `SELECT ?title ?accepted ?better (?b - ?a AS ?ahead) {
  GRAPH <GRAPH> {
    ?question so:hasTitle ?title ;
              so:HasAcceptedAnswer ?accepted ;
              so:HasPossibleBetterAnswer ?better .
    ?accepted so:score ?a .
    ?better so:score ?b .
  }
} ORDER BY DESC(?ahead) LIMIT 10`},
	{vocab.HasAcceptedAnswer, "which accepted answers have the highest scores?", `SELECT ?title ?accepted ?score {
  GRAPH <GRAPH> {
    ?question so:hasTitle ?title ;
              so:HasAcceptedAnswer ?accepted .
    ?accepted so:score ?score .
  }
} ORDER BY DESC(?score) LIMIT 10`},
	{vocab.HasAnswer, "which questions have most answers?", `SELECT ?question (COUNT(?answer) AS ?answers) {
  GRAPH <GRAPH> { ?question so:HasAnswer ?answer }
} GROUP BY ?question ORDER BY DESC(?answers) LIMIT 10`},
	{vocab.PostID, "which statements has it?", `SELECT ?subject ?property ?object {
  GRAPH <GRAPH> { ?subject ?property ?object }
} LIMIT 10`},
}

// query returns the first example that has results, in the largest graph that has them;
// nil where no graph has a question.
func (r *Report) query() *graphQuery {
	for _, q := range graphQueries {
		for _, i := range r.order {
			if g := r.stats.Graphs[i]; g.Terms["so:"+q.edge] > 0 {
				return &graphQuery{q.label, "PREFIX so: <" + vocab.NS + ">\n" + strings.Replace(q.text, "GRAPH>", g.IRI+">", 1)}
			}
		}
	}
	return nil
}

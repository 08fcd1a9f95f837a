package report

import (
	"fmt"
	"slices"
	"strings"

	"s2g/graph/trig"
	"s2g/schema/vocab"
)

// node is what one graph says of a node: the objects of each property of the
// ontology, by its local name, in the order of the files.
type node struct {
	iri     string
	classes []string // local names
	values  map[string][]string
}

// thread is a question in one graph, and the nodes that its edges lead to.
type thread struct {
	site     vocab.Site
	graphs   []string // that the question is in; the first is drawn
	question *node
	nodes    map[string]*node // by IRI
}

// The edges that are drawn: of a question, and of its answers.
var (
	toAnswers = []string{vocab.HasAnswer, vocab.HasAcceptedAnswer, vocab.HasPossibleBetterAnswer}
	toOthers  = []string{vocab.DuplicateOf, vocab.LinkedTo}
	edges     = slices.Concat(toAnswers, toOthers, []string{vocab.HasComment, vocab.TaggedWith})
)

// readThread scans the quads three times: for the question, for what it leads to, and
// for the comments of its answers. So it holds the thread alone, whatever the
// size of the graph. language is the tag of the graph that is drawn.
func readThread(scan func(each func(*trig.Quad)) error, site vocab.Site, language string, question int64) (*thread, error) {
	graph := site.Graph(language)
	t := &thread{site: site, graphs: []string{graph}, nodes: map[string]*node{}}
	t.question = t.add(site.Question(question))
	wanted := []*node{t.question}
	for step := range 3 {
		now := map[string]*node{}
		for _, n := range wanted {
			now[n.iri] = n
		}
		err := scan(func(q *trig.Quad) {
			n := now[string(q.Subject.Value)]
			switch {
			case n == nil:
			case string(q.Graph.Value) == graph:
				n.add(q)
			case n == t.question && string(q.Predicate.Value) == vocab.RDF+"type" && !slices.Contains(t.graphs, string(q.Graph.Value)): // not a link that leads out of another graph
				t.graphs = append(t.graphs, string(q.Graph.Value))
			}
		})
		if err != nil {
			return nil, err
		}
		wanted = t.next(wanted, step)
	}
	if len(t.question.classes) == 0 {
		return nil, fmt.Errorf("%s is not in graph %s", t.question.iri, graph)
	}
	return t, nil
}

func (t *thread) add(iri string) *node {
	n := &node{iri: iri, values: map[string][]string{}}
	t.nodes[iri] = n
	return n
}

// next adds the nodes that some nodes lead to. Beyond the question only comments
// are followed: what another question leads to is another thread.
func (t *thread) next(from []*node, step int) (added []*node) {
	for _, n := range from {
		follow := edges
		if step > 0 {
			follow = []string{vocab.HasComment}
		}
		if n != t.question && !slices.Contains(n.classes, vocab.Answer) {
			continue
		}
		for _, e := range follow {
			for _, iri := range n.values[e] {
				if t.nodes[iri] == nil {
					added = append(added, t.add(iri))
				}
			}
		}
	}
	return added
}

func (n *node) add(q *trig.Quad) {
	local := strings.TrimPrefix(string(q.Predicate.Value), vocab.NS)
	if string(q.Predicate.Value) == vocab.RDF+"type" {
		n.classes = append(n.classes, strings.TrimPrefix(string(q.Object.Value), vocab.NS))
		return
	}
	n.values[local] = append(n.values[local], string(q.Object.Value))
}

// by is the edges, of some, that lead from n to another node.
func (n *node) by(some []string, iri string) (names []string) {
	for _, e := range some {
		if slices.Contains(n.values[e], iri) {
			names = append(names, e)
		}
	}
	return names
}

// name is the IRI as the files abbreviate it.
func (t *thread) name(iri string) string {
	for _, p := range [][2]string{{"q", "/questions/"}, {"a", "/a/"}, {"c", "/posts/comments/"}, {"u", "/users/"}} {
		if local, ok := strings.CutPrefix(iri, string(t.site)+p[1]); ok {
			return p[0] + ":" + local
		}
	}
	if local, ok := strings.CutPrefix(iri, string(t.site)); ok {
		return "<S" + local + ">"
	}
	return "<" + iri + ">"
}

package report

import (
	"context"
	"slices"
	"strings"

	"s2g/graph/trig"
	"s2g/schema/vocab"
)

// thread is a question in one graph, with its answers, their comments, its tags
// and the posts that it links to.
type thread struct {
	site     vocab.Site
	graphs   []string // that hold the question; the first is drawn
	question *node
	nodes    map[string]*node // by IRI
}

// node is a node with its triples in one graph: the objects of each property of the
// ontology, by the property's local name, in the order of the files.
type node struct {
	iri     string
	classes []string // local names
	values  map[string][]string
	omitted map[string]int // number of objects beyond shownEdges, by local name
}

// shownEdges is the largest number of edges of a kind that a node has in the picture. It
// bounds the picture and the number of batches that are read: two or three for each of at
// most 12 answers, 24 linked posts and 12 tags, most of which share batches.
const shownEdges = 12

// The drawn edges of a question. Those of an answer are HasComment.
var (
	toAnswers = []string{vocab.HasAnswer, vocab.HasAcceptedAnswer, vocab.HasPossibleBetterAnswer}
	toOthers  = []string{vocab.DuplicateOf, vocab.LinkedTo}
	edges     = slices.Concat(toAnswers, toOthers, []string{vocab.HasComment, vocab.TaggedWith})
)

// readThread reads the thread of a question, with the answers of these ids, from the
// graph of a language, given by its tag. It returns nil where that graph does not hold
// the question.
func readThread(ctx context.Context, files *graphFiles, language string, question int64, answers []int64) (*thread, error) {
	graph := files.site.Graph(language)
	t := &thread{site: files.site, graphs: []string{graph}, nodes: map[string]*node{}}
	t.question = t.add(files.site.Question(question))
	places := []place{files.placeOf(t.question.iri)}
	shown := answers[:min(len(answers), shownEdges)]
	for _, id := range shown {
		places = append(places, files.placeOf(t.add(files.site.Answer(id)).iri))
	}
	err := files.read(ctx, places, func(q *trig.Quad) {
		n := t.nodes[string(q.Subject.Value)]
		switch {
		case n == nil:
		case string(q.Graph.Value) != graph:
			// by its type, because its links are in the graphs of the linked posts too
			if n == t.question && string(q.Predicate.Value) == vocab.RDF+"type" && !slices.Contains(t.graphs, string(q.Graph.Value)) {
				t.graphs = append(t.graphs, string(q.Graph.Value))
			}
		case n.add(q) && string(q.Predicate.Value) == vocab.NS+vocab.HasComment:
			t.add(string(q.Object.Value)) // the files have a comment right after the edge to it
		}
	})
	if err != nil || len(t.question.classes) == 0 {
		return nil, err
	}
	t.question.omitted[vocab.HasAnswer] = len(answers) - len(shown)

	others := map[string]*node{}
	places = places[:0]
	for _, e := range slices.Concat([]string{vocab.TaggedWith}, toOthers, toAnswers) { // toAnswers, because a graph of other tables can have other answers
		for _, iri := range t.question.values[e] {
			if t.nodes[iri] == nil {
				others[iri] = t.add(iri)
				places = append(places, files.placeOf(iri))
			}
		}
	}
	err = files.read(ctx, places, func(q *trig.Quad) {
		if n := others[string(q.Subject.Value)]; n != nil && string(q.Graph.Value) == graph {
			n.add(q)
		}
	})
	return t, err
}

// hasBetter reports whether an answer is possibly better than the accepted one.
func (t *thread) hasBetter() bool { return len(t.question.values[vocab.HasPossibleBetterAnswer]) > 0 }

// license returns the IRI of the question's licence.
func (t *thread) license() string {
	if v := t.question.values[vocab.License]; len(v) > 0 {
		return v[0]
	}
	return ""
}

func (t *thread) add(iri string) *node {
	n := &node{iri: iri, values: map[string][]string{}, omitted: map[string]int{}}
	t.nodes[iri] = n
	return n
}

// add adds a triple of the node, and reports whether the picture shows it. The picture
// shows no implied classes and properties (option materialize).
func (n *node) add(q *trig.Quad) bool {
	object := string(q.Object.Value)
	if string(q.Predicate.Value) == vocab.RDF+"type" {
		class, ok := strings.CutPrefix(object, vocab.NS)
		if ok = ok && class != vocab.Post && class != vocab.Content; ok {
			n.classes = append(n.classes, class)
		}
		return ok
	}
	property, ok := strings.CutPrefix(string(q.Predicate.Value), vocab.NS)
	if !ok || slices.Contains(n.values[property], object) {
		return false
	}
	if slices.Contains(edges, property) && len(n.values[property]) == shownEdges {
		n.omitted[property]++
		return false
	}
	n.values[property] = append(n.values[property], object)
	return true
}

// edgesTo returns those of the edges in names that lead from n to another node.
func (n *node) edgesTo(iri string, names []string) (found []string) {
	for _, e := range names {
		if slices.Contains(n.values[e], iri) {
			found = append(found, e)
		}
	}
	return found
}

// shortName returns an IRI in the abbreviated form of the files.
func (t *thread) shortName(iri string) string {
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

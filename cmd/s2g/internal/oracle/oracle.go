// Package oracle says what the graph of a dump must hold, from the tables alone:
// for each graph and term (a class or a predicate) how many quads there are, and
// an order-independent checksum of them. It is a statement of its own of the
// rules in docs/design.md, section 5: it shares no code with the stage that
// writes the graph. verify holds the files against it; stats are its counts.
//
// SQL says which rows and values count: which answer is an accepted one, how
// many votes a post has, which licence holds, which links there are. It only
// reads, in this order:
//
//	members   questions and answers, once: which graphs each is in (member.go)
//	tags      the tags that graphs describe, with wiki and excerpt (tag.go)
//	posts, comments, votes, links   one scan each, side by side
//
// The first two stay in memory, so that the server need not join each table with
// them, which took it four times as long as all the scans: 8 bytes for each id
// of a post, and a few hundred for each tag.
//
// # The checksum
//
// A quad's text is its subject, a space, a mark and its object. IRIs of the site
// are without the site ("/questions/12"), those of tags with the tag as it is in
// the dump ("/tags/c#"). The mark is < before an IRI, " before a string, # before
// an integer, @ before a date; of a quad with rdf:type the text is the subject
// and " a". The checksum of several quads is the sum of the CRC-32C of their
// texts, modulo 2^64. The client hashes what the server lists:
// CRC32(CONCAT(...)) for each value costs the server several times as much as to
// send it.
package oracle

import (
	"context"
	"fmt"
	"slices"

	"s2g/schema"
	"s2g/schema/tables"
)

// Options says which graphs there are.
type Options struct {
	Languages []schema.Language // nil: schema.DefaultLanguages
	Other     bool              // questions with no selected language have a graph too, the last one
	// Materialize says that the graph has the terms, too, that follow from its
	// own by the ontology.
	Materialize bool
	CountsOnly  bool // leave the checksums 0: faster, and no text is read
	Fields      bool // the fields of questions in the shards, too
	Answers     bool // and those of answers
	Connections int  // scans that run side by side, each on a connection; 0: 1
}

// Expected is what the tables say that the graph holds.
type Expected struct {
	// Graphs has the tallies of each graph, in the order of the languages; the
	// remainder graph is last, where there is one.
	Graphs []Tallies
	// Distinct counts a quad once that stands in several graphs.
	Distinct Tallies
	// QuestionFields and AnswerFields are what the shards of each graph's posts
	// repeat of them, where Options asked for it.
	QuestionFields, AnswerFields []FieldTallies

	survey *survey
}

// Compute reads the tables. The view keeps what it knows of posts in memory, for
// Subjects.
func Compute(ctx context.Context, db *tables.DB, o Options) (*Expected, error) {
	if o.Languages == nil {
		o.Languages = schema.DefaultLanguages()
	}
	o.Connections = max(o.Connections, 1)
	s := &survey{db: db, options: o}
	if err := s.prepare(ctx); err != nil {
		return nil, fmt.Errorf("computing what the graph must hold: %w", err)
	}
	all, err := s.run(ctx, s.scans(), nil)
	if err != nil {
		return nil, fmt.Errorf("computing what the graph must hold: %w", err)
	}
	v := &Expected{Graphs: all.graphs, Distinct: all.distinct, QuestionFields: all.fields[0], AnswerFields: all.fields[1], survey: s}
	if o.Materialize {
		ruled := s.ruled()
		derive(&v.Distinct, ruled)
		for g := range v.Graphs {
			derive(&v.Graphs[g], ruled)
		}
	}
	return v, nil
}

// Subjects calls yield with the subjects of the quads that a graph must hold of a
// term, and their checksums, in no order. It reads the tables again. A subject
// may come several times: its tallies are to be added up, and some of them take
// back what others say.
func (v *Expected) Subjects(ctx context.Context, graph int, term Term, yield func(subject []byte, t Tally)) error {
	s := v.survey
	wanted := sources(term, s.ruled())
	scans := slices.DeleteFunc(s.scans(), func(sc scan) bool {
		return !slices.ContainsFunc(wanted, func(t Term) bool { return slices.Contains(sc.terms, t) })
	})
	l := &listing{graph: graph, yield: yield}
	for _, t := range wanted {
		l.wanted[t] = true
	}
	if _, err := s.run(ctx, scans, l); err != nil {
		return fmt.Errorf("listing what the graph must hold of %s: %w", term, err)
	}
	return nil
}

// FieldSubjects calls yield with the posts of a graph, and the tallies of a field of
// theirs, as Subjects does with quads.
func (v *Expected) FieldSubjects(ctx context.Context, graph int, answers bool, f Field, yield func(subject []byte, t Tally)) error {
	scans := slices.DeleteFunc(v.survey.scans(), func(sc scan) bool { return !slices.Contains(sc.fields, f) })
	_, err := v.survey.run(ctx, scans, &listing{graph: graph, ofField: f, answers: answers, isField: true, yield: yield})
	return err
}

// Package oracle computes what the graph and the shards of a dump must hold, from the
// tables alone: for each graph and term (a class or a predicate) the number of quads and
// a checksum of them that does not depend on their order.
//
// It implements the rules of docs/formats.md a second time, on purpose: it shares no
// code with the stages that write graph and shards, and imports neither. verify compares
// files and servers with it; stats prints its counts.
//
// Its steps:
//
//  1. a scan of Posts, in the order of ids, finds the graphs of each question and answer (membership.go) and collects
//     what follows from a row (postscan.go, posts.go);
//  2. tags finds the tags that graphs describe, with wiki and excerpt (tags.go); these, and answers that come before
//     their question, are read by id;
//  3. what follows from answers and question together comes from memory (threads.go);
//  4. scans read comments, votes and links, side by side (scan.go).
//
// So it reads each table once. The same rows give the tables' fingerprints, and the texts of posts.
//
// MariaDB scans, and computes what one row needs, as the licence. s2g joins with membership and tags, which it keeps in
// memory: 17 bytes for each id of a post, 8 more while votes are counted, and some hundred for each tag. MariaDB takes
// four times as long as all the scans to join with temporary tables of them.
//
// # The checksum
//
// A quad's text is its subject, a space, a mark and its object. IRIs of the site
// are without the site ("/questions/12"), those of tags have the tag as the dump
// spells it ("/tags/c#"). The mark is < before an IRI, " before a string, # before
// an integer, @ before a date. A quad with rdf:type has the subject and " a".
// The checksum of several quads is the sum of the CRC-32C of their texts, modulo
// 2^64 (checksum.go). s2g computes it from the values that MariaDB returns, because
// CRC32(CONCAT(...)) in SQL takes several times as long.
package oracle

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"s2g/schema"
	"s2g/schema/tables"
)

// Options describes the graphs of a build.
type Options struct {
	Languages   []schema.Language // nil: schema.DefaultLanguages; schema.SiteLanguage among them has every question
	Other       bool              // there is a remainder graph, last: the questions without a selected language
	Materialize bool              // the graphs hold the implied terms too
	CountsOnly  bool              // leave the checksums 0: faster, and no text is read
	Fields      bool              // compute the fields of questions in the shards
	Answers     bool              // with Fields: those of answers too
	Connections int               // how many scans run side by side, each on a connection of its own; 0: 1

	// Texts returns a function that receives the texts of the posts in shards, each once and in no order; it is called
	// for each goroutine. Fields must be set. nil: none.
	Texts func() func(*PostText)
}

func (o Options) withDefaults() Options {
	if o.Languages == nil {
		o.Languages = schema.DefaultLanguages()
	}
	o.Connections = max(o.Connections, 1)
	return o
}

// graphs returns the number of graphs.
func (o Options) graphs() int {
	if o.Other {
		return len(o.Languages) + 1
	}
	return len(o.Languages)
}

// Expected is what graph and shards must hold.
type Expected struct {
	// Graphs has the tallies of each graph in the order of Options.Languages. The
	// remainder graph is last, where there is one.
	Graphs []Tallies
	// Distinct counts a quad of several graphs once.
	Distinct Tallies
	// QuestionFields and AnswerFields have the tallies of the fields of posts in the
	// shards of each graph. They are zero unless Options requests them.
	QuestionFields, AnswerFields []FieldTallies

	Figures *schema.Figures  // that the graph stage leaves in the manifest
	Omitted [Omissions]int64 // rows that are not in the graph
	Newest  string           // the latest CreationDate of a post, as 2024-03-31T23:59:59.999Z; empty: there is none
	Tables  map[string]bool  // the tables of the dump

	Fingerprints map[string]tables.Fingerprint // of the tables; nil with CountsOnly

	reader *tableReader
}

// Compute reads the tables. The result keeps the membership of posts, which Subjects and
// FieldSubjects use.
func Compute(ctx context.Context, db *tables.DB, o Options) (*Expected, error) {
	r := newTableReader(db, o)
	sum, err := r.readAll(ctx)
	if err != nil {
		return nil, fmt.Errorf("computing what the graph must hold: %w", err)
	}
	e := &Expected{Graphs: sum.graphs, Distinct: sum.distinct, QuestionFields: sum.fields[0], AnswerFields: sum.fields[1], Figures: r.figures(&sum.figures), Omitted: sum.omitted, Tables: r.present, reader: r}
	if date, time, ok := strings.Cut(string(r.memberships.newest), " "); ok {
		e.Newest = date + "T" + time + "Z"
	}
	if r.prints != nil {
		e.Fingerprints = map[string]tables.Fingerprint{}
		for name, p := range r.prints {
			if r.present[name] {
				e.Fingerprints[name] = p.Fingerprint
			}
		}
		r.prints = nil
	}
	if o.Materialize {
		scanned := r.scannedTerms()
		e.Distinct.addImplied(scanned)
		for g := range e.Graphs {
			e.Graphs[g].addImplied(scanned)
		}
	}
	return e, nil
}

// Subjects calls yield with the subject and the tally of each quad of a term that a
// graph must hold, in no order and one call at a time. It reads the tables again. A
// subject may come several times: its tallies add up, and some subtract what others add.
func (e *Expected) Subjects(ctx context.Context, graph int, term Term, yield func(subject []byte, t Tally)) error {
	r := e.reader
	sources := term.sources(r.scannedTerms())
	scans := slices.DeleteFunc(r.scans(), func(s scan) bool {
		return !slices.ContainsFunc(sources, func(t Term) bool { return slices.Contains(s.terms, t) })
	})
	selects := func(in graphSet, t Term) bool { return slices.Contains(sources, t) && slices.Contains(in, graph) }
	if _, err := r.run(ctx, scans, &lister{selectsQuad: selects, yield: yield}); err != nil {
		return fmt.Errorf("listing what the graph must hold of %s: %w", term, err)
	}
	return nil
}

// FieldSubjects calls yield with each post of a graph's shards, questions or answers, and
// with the tally of one of its fields, as Subjects does for quads.
func (e *Expected) FieldSubjects(ctx context.Context, graph int, answers bool, f Field, yield func(post []byte, t Tally)) error {
	r := e.reader
	scans := slices.DeleteFunc(r.scans(), func(s scan) bool { return !slices.Contains(s.fields, f) })
	selects := func(in graphSet, answer bool, g Field) bool {
		return g == f && answer == answers && slices.Contains(in, graph)
	}
	if _, err := r.run(ctx, scans, &lister{selectsField: selects, yield: yield}); err != nil {
		return fmt.Errorf("listing what the shards must hold of %s: %w", f, err)
	}
	return nil
}

package oracle

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

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
	Lanes       int  // scans that run side by side, each on a connection; 0: 1
}

// View is what the tables say that the graph holds.
type View struct {
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
// Texts.
func Compute(ctx context.Context, db *tables.DB, o Options) (*View, error) {
	if o.Languages == nil {
		o.Languages = schema.DefaultLanguages()
	}
	o.Lanes = max(o.Lanes, 1)
	s := &survey{db: db, options: o}
	if err := s.prepare(ctx); err != nil {
		return nil, fmt.Errorf("computing what the graph must hold: %w", err)
	}
	all, err := s.run(ctx, s.scans(), nil)
	if err != nil {
		return nil, fmt.Errorf("computing what the graph must hold: %w", err)
	}
	v := &View{Graphs: all.graphs, Distinct: all.distinct, QuestionFields: all.fields[0], AnswerFields: all.fields[1], survey: s}
	if o.Materialize {
		ruled := s.ruled()
		derive(&v.Distinct, ruled)
		for g := range v.Graphs {
			derive(&v.Graphs[g], ruled)
		}
	}
	return v, nil
}

// Texts calls yield with the subjects of the quads that a graph must hold of a
// term, and their checksums, in no order. It reads the tables again. A subject
// may come several times: its tallies are to be added up, and some of them take
// back what others say.
func (v *View) Texts(ctx context.Context, graph int, term Term, yield func(subject []byte, t Tally)) error {
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

// survey is how the tables are read.
type survey struct {
	db      *tables.DB
	options Options
	present map[string]bool // tables of the dump
	members *members
	tags    []tag
	wikis   map[int64]graphMask // the graphs of wikis and excerpts, by post id
	least   int64               // the smallest Id of a post,
	most    int64               // and the largest
	only    only                // posts; zero: all
}

// graphs is how many there are.
func (s *survey) graphs() int {
	if s.options.Other {
		return len(s.options.Languages) + 1
	}
	return len(s.options.Languages)
}

// prepare reads what all scans need to know: which graphs a post is in.
func (s *survey) prepare(ctx context.Context) error {
	if err := s.findTables(ctx); err != nil {
		return err
	}
	if !s.present["Posts"] {
		return schema.Faultf(schema.FaultUsage, "run s2g ingest first", "the database has no table Posts")
	}
	if err := s.readMembers(ctx); err != nil {
		return fmt.Errorf("finding the graphs of posts: %w", err)
	}
	if s.only.members != nil {
		return nil // no tags are asked for
	}
	if err := s.readTags(ctx); err != nil {
		return fmt.Errorf("finding the graphs of tags: %w", err)
	}
	return nil
}

func (s *survey) findTables(ctx context.Context) error {
	s.present = map[string]bool{}
	return s.each(ctx, "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA=DATABASE()", func(r [][]byte) error {
		s.present[string(r[0])] = true
		return nil
	})
}

// each calls use for each row of a query. The row is valid until it returns.
func (s *survey) each(ctx context.Context, query string, use func(row [][]byte) error) error {
	rows, err := s.db.Query(ctx, query)
	if err != nil {
		return err
	}
	for rows.Scan() {
		if err := use(rows.Record()); err != nil {
			return errors.Join(err, rows.Close())
		}
	}
	return errors.Join(rows.Err(), rows.Close())
}

// scan is a statement and the rules for its rows.
type scan struct {
	name   string
	terms  []Term // of the quads that it says
	fields []Field
	run    func(ctx context.Context, o *out) error
}

// scans are all that the dump has tables for. They may run side by side.
func (s *survey) scans() []scan {
	scans := []scan{s.tagScan()}
	scans = append(scans, s.postScans()...)
	if s.present["Comments"] {
		scans = append(scans, s.commentScan())
	}
	if s.present["Votes"] {
		scans = append(scans, s.voteScan())
	}
	if s.present["PostLinks"] {
		scans = append(scans, s.linkScan())
	}
	if s.options.Fields {
		scans = append(scans, s.linkFieldScan())
	}
	return scans
}

// run runs scans and sums up what they say, or lists it.
func (s *survey) run(ctx context.Context, scans []scan, to sink) (*out, error) {
	sum := newOut(s.graphs(), to)
	outs := make(chan *out, s.options.Lanes)
	for range s.options.Lanes {
		outs <- newOut(s.graphs(), to)
	}
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(s.options.Lanes)
	for _, sc := range scans {
		work.Go(func() error {
			o := <-outs
			defer func() { outs <- o }()
			if err := sc.run(ctx, o); err != nil {
				return fmt.Errorf("%s: %w", sc.name, err)
			}
			return nil
		})
	}
	if err := work.Wait(); err != nil {
		return nil, err
	}
	for range s.options.Lanes {
		sum.merge(<-outs)
	}
	return sum, nil
}

// ruled are the terms that rules count.
func (s *survey) ruled() map[Term]bool {
	ruled := map[Term]bool{}
	for _, sc := range s.scans() {
		for _, t := range sc.terms {
			ruled[t] = true
		}
	}
	return ruled
}

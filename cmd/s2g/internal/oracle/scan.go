package oracle

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"s2g/schema"
	"s2g/schema/tables"
)

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
	outs := make(chan *out, s.options.Connections)
	for range s.options.Connections {
		outs <- newOut(s.graphs(), to)
	}
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(s.options.Connections)
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
	for range s.options.Connections {
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

// out takes the quads that a scan says: into tallies, or one by one into a
// listing. It is not for concurrent use; listings are.
type out struct {
	graphs   []Tallies
	distinct Tallies
	fields   [2][]FieldTallies // of questions and of answers, by graph
	to       sink              // nil: tallies
}

// sink takes quads and fields one by one, from several scans at once. A tally may
// take back what another says.
type sink interface {
	quad(in []int, term Term, subject []byte, t Tally)
	field(in []int, answer bool, f Field, subject []byte, t Tally)
}

// listing gives what a graph holds of some terms.
type listing struct {
	graph  int
	wanted [AllTerms]bool
	// or the fields of posts
	isField bool
	ofField Field
	answers bool

	mu    sync.Mutex
	yield func(subject []byte, t Tally)
}

func newOut(graphs int, to sink) *out {
	return &out{graphs: make([]Tallies, graphs), fields: [2][]FieldTallies{make([]FieldTallies, graphs), make([]FieldTallies, graphs)}, to: to}
}

// quad says that a quad of n's subject stands in some graphs.
func (o *out) quad(in []int, term Term, subject []byte, crc uint32) {
	o.add(in, term, subject, Tally{1, uint64(crc)})
}

// instead says that a quad stands where another was said to stand.
func (o *out) instead(in []int, term Term, subject []byte, crc, of uint32) {
	o.add(in, term, subject, Tally{0, uint64(crc) - uint64(of)})
}

func (o *out) add(in []int, term Term, subject []byte, t Tally) {
	if o.to != nil {
		o.to.quad(in, term, subject, t)
		return
	}
	for _, g := range in {
		o.graphs[g][term].Merge(t)
	}
	if len(in) > 0 {
		o.distinct[term].Merge(t)
	}
}

func (l *listing) quad(in []int, term Term, subject []byte, t Tally) {
	if l.wanted[term] && slices.Contains(in, l.graph) {
		l.tell(subject, t)
	}
}

func (l *listing) field(in []int, answer bool, f Field, subject []byte, t Tally) {
	if l.isField && f == l.ofField && answer == l.answers && slices.Contains(in, l.graph) {
		l.tell(subject, t)
	}
}

func (l *listing) tell(subject []byte, t Tally) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.yield(subject, t)
}

// field says a field of a post in the shards of some graphs.
func (o *out) field(in []int, answer bool, f Field, subject []byte, crc uint32) {
	o.addField(in, answer, f, subject, Tally{1, uint64(crc)})
}

// fieldInstead says that a field is other than was said.
func (o *out) fieldInstead(in []int, answer bool, f Field, subject []byte, crc, of uint32) {
	o.addField(in, answer, f, subject, Tally{0, uint64(crc) - uint64(of)})
}

func (o *out) addField(in []int, answer bool, f Field, subject []byte, t Tally) {
	if o.to != nil {
		o.to.field(in, answer, f, subject, t)
		return
	}
	kind := 0
	if answer {
		kind = 1
	}
	for _, g := range in {
		o.fields[kind][g][f].Merge(t)
	}
}

func (o *out) merge(p *out) {
	for kind := range o.fields {
		for g := range o.graphs {
			o.fields[kind][g].Merge(&p.fields[kind][g])
		}
	}
	for t := range AllTerms {
		o.distinct[t].Merge(p.distinct[t])
		for g := range o.graphs {
			o.graphs[g][t].Merge(p.graphs[g][t])
		}
	}
}

// ranges are conditions that part the rows of a table for the connections to
// share, a few for each, because posts are not spread evenly.
func (s *survey) ranges(column string) []string {
	const each = 4
	parts := int64(s.options.Connections * each)
	step := (s.most - s.least) / parts
	if s.options.Connections == 1 || step == 0 {
		return []string{""}
	}
	where := []string{fmt.Sprintf(" AND %s<%d", column, s.least+step)}
	for i := range parts - 2 {
		where = append(where, fmt.Sprintf(" AND %s>=%d AND %[1]s<%[3]d", column, s.least+(i+1)*step, s.least+(i+2)*step))
	}
	return append(where, fmt.Sprintf(" AND %s>=%d", column, s.least+(parts-1)*step))
}

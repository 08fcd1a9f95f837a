package oracle

import (
	"context"
	"fmt"
	"sync"

	"golang.org/x/sync/errgroup"

	"s2g/schema"
	"s2g/schema/tables"
)

// tableReader reads the tables of a dump by scans.
type tableReader struct {
	db          *tables.DB
	options     Options
	positions   map[string]int  // of graphs, by tag
	present     map[string]bool // tables of the dump
	memberships *memberships
	tags        []tag
	wikis       map[int64]graphMask // the graphs of wikis and excerpts, by post id
	selection   selection           // posts to read; zero: all
	prints      map[string]*printer // of tables, while Compute reads them; nil: none
	newText     func() func(*PostText)
}

func newTableReader(db *tables.DB, o Options) *tableReader {
	r := &tableReader{db: db, options: o.withDefaults(), positions: map[string]int{}}
	for i, l := range r.options.Languages {
		r.positions[l.Tag] = i
	}
	return r
}

// findTables finds the tables of the dump.
func (r *tableReader) findTables(ctx context.Context) (err error) {
	if r.present, err = r.db.TableNames(ctx); err == nil && !r.present["Posts"] {
		err = schema.Faultf(schema.FaultUsage, "run s2g ingest first", "the database has no table Posts")
	}
	return err
}

// readAll reads each table once, and the posts of deferredScans by id.
func (r *tableReader) readAll(ctx context.Context) (*collector, error) {
	if err := r.findTables(ctx); err != nil {
		return nil, err
	}
	if !r.options.CountsOnly {
		r.prints = map[string]*printer{}
		for _, t := range schema.Tables() {
			r.prints[t.Name] = &printer{columns: len(t.Columns)}
		}
		r.newText = r.options.Texts
	}
	posts, err := r.scanPosts(ctx)
	if err != nil {
		return nil, fmt.Errorf("posts: %w", err)
	}
	posts.omitted[AnswersOutside] += r.endMemberships()
	if err := r.readTags(ctx); err != nil {
		return nil, fmt.Errorf("tags: %w", err)
	}
	scans := append(append([]scan{r.tagScan(), r.threadScan()}, r.otherScans()...), r.deferredScans()...)
	sum, err := r.run(ctx, scans, nil)
	if err != nil {
		return nil, err
	}
	r.newText = nil
	sum.merge(posts)
	return sum, nil
}

// printer computes the fingerprint of the rows of a table, whose columns are the first of each row.
type printer struct {
	tables.Fingerprint
	columns int
	line    []byte
}

// add adds a row. A nil printer adds nothing.
func (p *printer) add(row [][]byte) {
	if p != nil {
		p.line = tables.AppendRow(p.line[:0], row[:p.columns])
		p.Add(p.line)
	}
}

// printer returns that of a table, nil where there is none.
func (r *tableReader) printer(table string) *printer { return r.prints[table] }

// columnsOf returns the columns of a table, in their order, where its rows are printed; else none.
func (r *tableReader) columnsOf(table, alias string) (c columns) {
	if r.printer(table) == nil {
		return nil
	}
	t, _ := schema.TableByName(table)
	for _, column := range t.Columns {
		c.place(alias + "." + column.Name)
	}
	return c
}

// scan reads a table, or a range of its rows, once.
type scan struct {
	name   string
	terms  []Term  // of the collected quads
	fields []Field // the collected fields
	run    func(ctx context.Context, c *collector) error
}

// scans returns the scans of all tables of the dump, with memberships that are complete. They may run side by side.
func (r *tableReader) scans() []scan {
	return append(append([]scan{r.tagScan(), r.threadScan()}, r.postScans()...), r.otherScans()...)
}

// otherScans returns the scans of tables beside Posts and Tags.
func (r *tableReader) otherScans() (scans []scan) {
	if r.present["Comments"] {
		scans = append(scans, r.commentScan())
	}
	if r.present["Votes"] {
		scans = append(scans, r.voteScan())
	}
	return append(scans, r.linkScan())
}

// scannedTerms returns the terms whose quads scans collect. They imply the others.
func (r *tableReader) scannedTerms() map[Term]bool {
	scanned := map[Term]bool{}
	for _, s := range r.scans() {
		for _, t := range s.terms {
			scanned[t] = true
		}
	}
	return scanned
}

// run runs scans. Their quads and fields go to a sink or, where it is nil, into the sums
// of the result.
func (r *tableReader) run(ctx context.Context, scans []scan, to sink) (*collector, error) {
	sum := newCollector(r.options.graphs(), to)
	idle := make(chan *collector, r.options.Connections)
	for range r.options.Connections {
		idle <- newCollector(r.options.graphs(), to)
	}
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(r.options.Connections)
	for _, s := range scans {
		work.Go(func() error {
			c := <-idle
			defer func() { idle <- c }()
			if err := s.run(ctx, c); err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			return nil
		})
	}
	if err := work.Wait(); err != nil {
		return nil, err
	}
	for range r.options.Connections {
		sum.merge(<-idle)
	}
	return sum, nil
}

// collector adds the quads and fields of scans to tallies, or forwards them to a sink. It
// is not safe for concurrent use; a sink is.
//
// A sum can subtract: the scan of links adds empty lists for each post and then replaces
// them by the lists of the table.
type collector struct {
	graphs   []Tallies
	distinct Tallies
	fields   [2][]FieldTallies // of questions and of answers, by graph
	omitted  [Omissions]int64
	figures  figureCounts
	to       sink // nil: add to the tallies
}

// sink receives quads and fields one by one. A tally may subtract what another adds.
type sink interface {
	quad(in graphSet, term Term, subject []byte, t Tally)
	field(in graphSet, answer bool, f Field, post []byte, t Tally)
}

func newCollector(graphs int, to sink) *collector {
	return &collector{
		graphs:  make([]Tallies, graphs),
		fields:  [2][]FieldTallies{make([]FieldTallies, graphs), make([]FieldTallies, graphs)},
		figures: newFigureCounts(),
		to:      to,
	}
}

// addQuad adds a quad of some graphs.
func (c *collector) addQuad(in graphSet, term Term, subject []byte, crc uint32) {
	c.quad(in, term, subject, Tally{1, uint64(crc)})
}

func (c *collector) quad(in graphSet, term Term, subject []byte, t Tally) {
	if c.to != nil {
		c.to.quad(in, term, subject, t)
		return
	}
	for _, g := range in {
		c.graphs[g][term].Merge(t)
	}
	if len(in) > 0 {
		c.distinct[term].Merge(t)
	}
}

// addField adds a field of a post in the shards of some graphs.
func (c *collector) addField(in graphSet, answer bool, f Field, post []byte, crc uint32) {
	c.field(in, answer, f, post, Tally{1, uint64(crc)})
}

// replaceField replaces a field that was or will be added.
func (c *collector) replaceField(in graphSet, answer bool, f Field, post []byte, crc, old uint32) {
	c.field(in, answer, f, post, Tally{0, uint64(crc) - uint64(old)})
}

func (c *collector) field(in graphSet, answer bool, f Field, post []byte, t Tally) {
	if c.to != nil {
		c.to.field(in, answer, f, post, t)
		return
	}
	kind := 0
	if answer {
		kind = 1
	}
	for _, g := range in {
		c.fields[kind][g][f].Merge(t)
	}
}

func (c *collector) merge(d *collector) {
	for kind := range c.fields {
		for g := range c.graphs {
			c.fields[kind][g].Merge(&d.fields[kind][g])
		}
	}
	c.figures.merge(&d.figures)
	for o, n := range d.omitted {
		c.omitted[o] += n
	}
	for t := range AllTerms {
		c.distinct[t].Merge(d.distinct[t])
		for g := range c.graphs {
			c.graphs[g][t].Merge(d.graphs[g][t])
		}
	}
}

// lister is a sink that yields the subjects of the selected quads or fields.
type lister struct {
	selectsQuad  func(in graphSet, term Term) bool            // nil: none
	selectsField func(in graphSet, answer bool, f Field) bool // nil: none
	mu           sync.Mutex
	yield        func(subject []byte, t Tally)
}

func (l *lister) quad(in graphSet, term Term, subject []byte, t Tally) {
	if l.selectsQuad != nil && l.selectsQuad(in, term) {
		l.yieldLocked(subject, t)
	}
}

func (l *lister) field(in graphSet, answer bool, f Field, post []byte, t Tally) {
	if l.selectsField != nil && l.selectsField(in, answer, f) {
		l.yieldLocked(post, t)
	}
}

func (l *lister) yieldLocked(subject []byte, t Tally) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.yield(subject, t)
}

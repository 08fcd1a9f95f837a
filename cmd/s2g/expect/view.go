package expect

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

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
	Lanes       int  // connections that work side by side, 1 or 2; 0: 1. Each makes the temporary tables for itself
}

// View is what SQL says the graph holds.
type View struct {
	// Graphs has the tallies of each graph, in the order of the languages; the
	// remainder graph is last, where there is one.
	Graphs []Tallies
	// Distinct counts a quad once that stands in several graphs.
	Distinct Tallies

	lanes  []*lane
	blocks []block // those that the dump has tables for
}

// lane is a connection with the temporary tables.
type lane struct {
	conn *sql.Conn
	tags bool    // it has the tables of tags
	sets [][]int // positions of the graphs of each set, by its number
}

// Compute reads the tables. The view keeps its connections, for Texts, until it
// is closed.
func Compute(ctx context.Context, db *tables.DB, o Options) (*View, error) {
	if o.Languages == nil {
		o.Languages = schema.DefaultLanguages()
	}
	present, err := presentTables(ctx, db.SQL())
	if err != nil {
		return nil, err
	}
	if !present["Posts"] {
		return nil, schema.Faultf(schema.FaultUsage, "run s2g ingest first", "the database has no table Posts")
	}
	n := len(o.Languages)
	if o.Other {
		n++
	}
	v := &View{Graphs: make([]Tallies, n)}
	for _, b := range blocks(o.Materialize) {
		if present[b.needs] {
			v.blocks = append(v.blocks, b)
		}
	}
	if err := v.compute(ctx, db, o, present["Tags"]); err != nil {
		return nil, errors.Join(err, v.Close())
	}
	return v, nil
}

func (v *View) compute(ctx context.Context, db *tables.DB, o Options, haveTags bool) error {
	shares := share(v.blocks, o.Lanes)
	for range shares {
		conn, err := db.SQL().Conn(ctx)
		if err != nil {
			return fmt.Errorf("connecting to the tables: %w", err)
		}
		v.lanes = append(v.lanes, &lane{conn: conn})
	}
	results := make([]*View, len(shares))
	work, ctx := errgroup.WithContext(ctx)
	for i, l := range v.lanes {
		results[i] = &View{Graphs: make([]Tallies, len(v.Graphs))}
		work.Go(func() error { return l.run(ctx, o, haveTags, shares[i], results[i]) })
	}
	if err := work.Wait(); err != nil {
		return err
	}
	for _, r := range results {
		for t := range AllTerms {
			v.Distinct[t].Merge(r.Distinct[t])
			for g := range v.Graphs {
				v.Graphs[g][t].Merge(r.Graphs[g][t])
			}
		}
	}
	if o.Materialize {
		ruled := v.ruled()
		derive(&v.Distinct, ruled)
		for g := range v.Graphs {
			derive(&v.Graphs[g], ruled)
		}
	}
	return nil
}

// share divides the blocks over lanes. The first has the posts and what needs
// the tables of tags, the second the rest, which takes about as long.
func share(all []block, lanes int) [][]block {
	if lanes < 2 {
		return [][]block{all}
	}
	first := func(b block) bool { return b.tags || b.name == "posts" }
	var shares [2][]block
	for _, b := range all {
		if first(b) {
			shares[0] = append(shares[0], b)
		} else {
			shares[1] = append(shares[1], b)
		}
	}
	return shares[:]
}

func (l *lane) run(ctx context.Context, o Options, haveTags bool, bs []block, into *View) error {
	if err := l.prepare(ctx, o); err != nil {
		return err
	}
	if err := l.readSets(ctx); err != nil {
		return err
	}
	if l.tags = slices.ContainsFunc(bs, func(b block) bool { return b.tags }); l.tags {
		if err := l.prepareTags(ctx, haveTags); err != nil {
			return err
		}
	}
	for _, b := range bs {
		work := l.tally
		if o.CountsOnly {
			work = l.count
		}
		if err := work(ctx, b, into); err != nil {
			return fmt.Errorf("computing what the graph must hold of %s: %w", b.name, err)
		}
	}
	return nil
}

func (l *lane) readSets(ctx context.Context) error {
	rows, err := l.conn.QueryContext(ctx, "SELECT S, K FROM S2GSets")
	if err != nil {
		return fmt.Errorf("reading the sets of graphs: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var s int
		var key string
		if err := rows.Scan(&s, &key); err != nil {
			return fmt.Errorf("reading the sets of graphs: %w", err)
		}
		var graphs []int
		for digits := range strings.SplitSeq(key, ",") {
			g, err := strconv.Atoi(digits)
			if err != nil {
				return fmt.Errorf("reading the sets of graphs: %w", err)
			}
			graphs = append(graphs, g)
		}
		for len(l.sets) <= s {
			l.sets = append(l.sets, nil)
		}
		l.sets[s] = graphs
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("reading the sets of graphs: %w", err)
	}
	return nil
}

// Texts calls yield with subject and checksum of each quad that a graph must
// hold of a term, in no order. It reads the tables again.
func (v *View) Texts(ctx context.Context, graph int, term Term, yield func(subject string, crc uint32)) error {
	wanted := sources(term, v.ruled())
	for _, b := range v.blocks {
		i := slices.IndexFunc(v.lanes, func(l *lane) bool { return l.tags || !b.tags })
		l := v.lanes[i]
		b.rules = slices.DeleteFunc(slices.Clone(b.rules), func(r rule) bool {
			of, _ := Named(r.term)
			return !slices.Contains(wanted, of)
		})
		if len(b.rules) == 0 {
			continue
		}
		err := l.stream(ctx, b, func(k groupKey, _ Term, subject []byte, crc uint32) {
			if slices.Contains(l.union(k), graph) {
				yield(string(subject), crc)
			}
		})
		if err != nil {
			return fmt.Errorf("listing what the graph must hold of %s: %w", term, err)
		}
	}
	return nil
}

// Close gives the connections back. They are closed, not used again: they have
// temporary tables and settings.
func (v *View) Close() error {
	var errs []error
	for _, l := range v.lanes {
		err := l.conn.Raw(func(any) error { return driver.ErrBadConn })
		if !errors.Is(err, driver.ErrBadConn) && !errors.Is(err, sql.ErrConnDone) {
			errs = append(errs, err)
		}
		if err := l.conn.Close(); !errors.Is(err, sql.ErrConnDone) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func presentTables(ctx context.Context, db *sql.DB) (map[string]bool, error) {
	rows, err := db.QueryContext(ctx, "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA=DATABASE()")
	if err != nil {
		return nil, fmt.Errorf("listing the tables: %w", err)
	}
	defer rows.Close()
	present := map[string]bool{}
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, fmt.Errorf("listing the tables: %w", err)
		}
		present[name] = true
	}
	return present, rows.Err()
}

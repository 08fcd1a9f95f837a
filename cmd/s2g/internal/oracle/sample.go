package oracle

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"

	"s2g/schema/tables"
)

// Sample is what the files must hold of some posts, and of the comments on them.
type Sample struct {
	Posts []int64 // ascending
	// Threads are Posts and the answers to the questions among them, ascending. The
	// edge from a question to an answer may be in the file of either.
	Threads []int64
	// Quads has the tallies of each subject, by its IRI without the site, and graph.
	// A post in no graph has none.
	Quads map[string]map[int]*Tallies
	// Fields has the tallies of each post's fields in the shards, by its IRI without
	// the site, and graph.
	Fields map[string]map[int]*FieldTallies

	mu    sync.Mutex
	nodes map[string]bool // IRIs of Posts without the site
}

// selection limits the rows that scans read to those of some posts. The zero value
// selects all.
type selection struct {
	posts   postIDs // of the sample
	threads postIDs // posts, and the answers to the questions among them, whose rows have the edges
	members postIDs // threads, all posts that share an edge with one, and accepted answers
}

// postIDs lists posts in ascending order. nil means all posts.
type postIDs []int64

// in returns an SQL condition that a column is among the posts. It begins with AND.
func (l postIDs) in(column string) string {
	if l == nil {
		return ""
	}
	return " AND " + column + " IN (" + tables.IDList(l) + ")"
}

// Draw draws questions and answers of the dump: it splits the ids into n equal ranges,
// and draws one from each range that has any. The same seed draws the same posts.
func Draw(ctx context.Context, db *tables.DB, n int, seed uint64) ([]int64, error) {
	first, last := int64(0), int64(-1)
	err := db.EachRow(ctx, "SELECT MIN(Id), MAX(Id) FROM Posts", func(row [][]byte) error {
		if row[0] != nil {
			first, last = tables.Int(row[0]), tables.Int(row[1])
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("drawing posts: %w", err)
	}
	random := rand.New(rand.NewPCG(seed, 0))
	var drawn []int64
	for i := range int64(n) {
		span := float64(last-first+1) / float64(n)
		from, to := first+int64(float64(i)*span), first+int64(float64(i+1)*span)
		if from >= to {
			continue
		}
		at := from + random.Int64N(to-from)
		// the first post from the drawn id on, else the first of the range
		for _, begin := range []int64{at, from} {
			found := false
			query := fmt.Sprintf("SELECT Id FROM Posts WHERE Id>=%d AND Id<%d AND PostTypeId IN (1,2) ORDER BY Id LIMIT 1", begin, to)
			err := db.EachRow(ctx, query, func(row [][]byte) error {
				drawn, found = append(drawn, tables.Int(row[0])), true
				return nil
			})
			if err != nil {
				return nil, fmt.Errorf("drawing posts: %w", err)
			}
			if found {
				break
			}
		}
	}
	return drawn, nil
}

// ComputeSample reads what the files must hold of posts, which are questions and answers.
func ComputeSample(ctx context.Context, db *tables.DB, o Options, posts []int64) (*Sample, error) {
	o.CountsOnly = false
	r := newTableReader(db, o)
	if err := r.selectPosts(ctx, posts); err != nil {
		return nil, fmt.Errorf("computing what files must hold of posts: %w", err)
	}
	if err := r.findTables(ctx); err != nil {
		return nil, fmt.Errorf("computing what files must hold of posts: %w", err)
	}
	if err := r.readMemberships(ctx); err != nil {
		return nil, fmt.Errorf("finding the graphs of posts: %w", err)
	}
	s := &Sample{
		Posts: r.selection.posts, Threads: r.selection.threads,
		Quads: map[string]map[int]*Tallies{}, Fields: map[string]map[int]*FieldTallies{}, nodes: map[string]bool{},
	}
	for _, id := range posts {
		if m := r.memberships.at(id); m.inGraph() {
			s.nodes[m.path()+strconv.FormatInt(id, 10)] = true
		}
	}
	if _, err := r.run(ctx, r.scans(), s); err != nil {
		return nil, fmt.Errorf("computing what files must hold of posts: %w", err)
	}
	if o.Materialize {
		scanned := r.scannedTerms()
		for _, graphs := range s.Quads {
			for _, t := range graphs {
				t.addImplied(scanned)
			}
		}
	}
	return s, nil
}

// selectPosts selects posts, and those that they share edges with.
func (r *tableReader) selectPosts(ctx context.Context, posts []int64) error {
	present, err := r.db.TableNames(ctx)
	if err != nil || !present["Posts"] {
		return err // prepare returns the fault of missing tables
	}
	s := &r.selection
	s.posts = append(postIDs{}, slices.Compact(slices.Sorted(slices.Values(posts)))...) // nil would stand for all
	withRows := func(known postIDs, query string) (postIDs, error) {
		all := slices.Clone(known)
		err := r.db.EachRow(ctx, query, func(row [][]byte) error {
			if row[0] != nil {
				all = append(all, tables.Int(row[0]))
			}
			return nil
		})
		slices.Sort(all)
		return slices.Compact(all), err
	}
	if s.threads, err = withRows(s.posts, "SELECT Id FROM Posts WHERE TRUE"+s.posts.in("ParentId")); err != nil {
		return err
	}
	s.members = s.threads
	if present["PostLinks"] {
		if s.members, err = withRows(s.members, "SELECT RelatedPostId FROM PostLinks WHERE TRUE"+s.posts.in("PostId")); err != nil {
			return err
		}
	}
	if s.members, err = withRows(s.members, "SELECT ParentId FROM Posts WHERE TRUE"+s.members.in("Id")); err != nil {
		return err
	}
	s.members, err = withRows(s.members, "SELECT AcceptedAnswerId FROM Posts WHERE TRUE"+s.members.in("Id"))
	return err
}

// quad is the method of a sink. It keeps the quads of Posts and of the comments.
func (s *Sample) quad(in graphSet, term Term, subject []byte, t Tally) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.nodes[string(subject)] && !strings.HasPrefix(string(subject), commentPath) {
		return
	}
	graphs := s.Quads[string(subject)]
	if graphs == nil {
		graphs = map[int]*Tallies{}
		s.Quads[string(subject)] = graphs
	}
	for _, g := range in {
		if graphs[g] == nil {
			graphs[g] = &Tallies{}
		}
		graphs[g][term].Merge(t)
	}
}

// field is the method of a sink. It keeps the fields of Posts.
func (s *Sample) field(in graphSet, _ bool, f Field, post []byte, t Tally) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.nodes[string(post)] {
		return
	}
	graphs := s.Fields[string(post)]
	if graphs == nil {
		graphs = map[int]*FieldTallies{}
		s.Fields[string(post)] = graphs
	}
	for _, g := range in {
		if graphs[g] == nil {
			graphs[g] = &FieldTallies{}
		}
		graphs[g][f].Merge(t)
	}
}

package oracle

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"

	"s2g/schema"
	"s2g/schema/tables"
)

// Sample is what the tables say of some posts and of the comments on them.
type Sample struct {
	Posts []int64 // ascending
	// Threads are these and the answers of questions among them, ascending: an
	// edge from a question to an answer may be told with either.
	Threads []int64
	// Quads has the quads of each node, by its IRI without the site, by graph.
	// A post that is in no graph has none.
	Quads map[string]map[int]*Tallies
	// Fields has what the shards of each graph repeat of a post.
	Fields map[string]map[int]*FieldTallies

	mu    sync.Mutex
	nodes map[string]bool // of the posts
}

// ids are posts. The zero value stands for all.
type ids []int64

// in is a condition on a column, to follow others.
func (l ids) in(column string) string {
	if l == nil {
		return ""
	}
	if len(l) == 0 {
		return " AND FALSE"
	}
	var b strings.Builder
	fmt.Fprintf(&b, " AND %s IN (", column)
	for i, id := range l {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.FormatInt(id, 10))
	}
	return b.String() + ")"
}

// only says which posts are read.
type only struct {
	posts   ids // those that are asked for
	threads ids // and the answers of questions among them, which say their edges
	members ids // and all that these have edges from or to
}

// Draw draws questions and answers of the dump: one at random from each of n
// equal ranges of ids, where there is one. The same seed draws the same posts.
func Draw(ctx context.Context, db *tables.DB, n int, seed uint64) ([]int64, error) {
	s := &survey{db: db}
	first, last := int64(0), int64(-1)
	err := s.each(ctx, "SELECT MIN(Id), MAX(Id) FROM Posts", func(r [][]byte) error {
		if r[0] != nil {
			first, last = tables.Int(r[0]), tables.Int(r[1])
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
		// the next one from there, else the next from the beginning of the range
		for _, begin := range []int64{at, from} {
			found := false
			query := fmt.Sprintf("SELECT Id FROM Posts WHERE Id>=%d AND Id<%d AND PostTypeId IN (1,2) ORDER BY Id LIMIT 1", begin, to)
			err := s.each(ctx, query, func(r [][]byte) error {
				drawn, found = append(drawn, tables.Int(r[0])), true
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

// ComputeSample reads what the tables say of posts: questions and answers, those
// of Draw.
func ComputeSample(ctx context.Context, db *tables.DB, o Options, posts []int64) (*Sample, error) {
	if o.Languages == nil {
		o.Languages = schema.DefaultLanguages()
	}
	o.Connections, o.CountsOnly = max(o.Connections, 1), false
	s := &survey{db: db, options: o}
	if err := s.choose(ctx, posts); err != nil {
		return nil, fmt.Errorf("computing what is said of posts: %w", err)
	}
	if err := s.prepare(ctx); err != nil {
		return nil, fmt.Errorf("computing what is said of posts: %w", err)
	}
	a := &Sample{Posts: s.only.posts, Threads: s.only.threads, Quads: map[string]map[int]*Tallies{}, Fields: map[string]map[int]*FieldTallies{}, nodes: map[string]bool{}}
	for _, id := range posts {
		if p := s.members.at(id); p.bits&setMask != 0 {
			a.nodes[p.path()+strconv.FormatInt(id, 10)] = true
		}
	}
	if _, err := s.run(ctx, s.scans(), a); err != nil {
		return nil, fmt.Errorf("computing what is said of posts: %w", err)
	}
	if o.Materialize {
		ruled := s.ruled()
		for _, in := range a.Quads {
			for _, t := range in {
				derive(t, ruled)
			}
		}
	}
	return a, nil
}

// choose finds the posts that have to be known to tell of some.
func (s *survey) choose(ctx context.Context, posts []int64) error {
	if err := s.findTables(ctx); err != nil {
		return err
	}
	if !s.present["Posts"] {
		return nil // prepare says so
	}
	posts = slices.Compact(slices.Sorted(slices.Values(posts)))
	s.only.posts = append(ids{}, posts...)
	more := func(to ids, query string) (ids, error) {
		err := s.each(ctx, query, func(r [][]byte) error {
			if r[0] != nil {
				to = append(to, tables.Int(r[0]))
			}
			return nil
		})
		slices.Sort(to)
		return slices.Compact(to), err
	}
	var err error
	if s.only.threads, err = more(slices.Clone(s.only.posts), "SELECT Id FROM Posts WHERE TRUE"+s.only.posts.in("ParentId")); err != nil {
		return err
	}
	s.only.members = slices.Clone(s.only.threads)
	if s.present["PostLinks"] {
		if s.only.members, err = more(s.only.members, "SELECT RelatedPostId FROM PostLinks WHERE TRUE"+s.only.posts.in("PostId")); err != nil {
			return err
		}
	}
	s.only.members, err = more(s.only.members, "SELECT ParentId FROM Posts WHERE TRUE"+s.only.members.in("Id"))
	return err
}

func (a *Sample) quad(in []int, term Term, subject []byte, t Tally) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.nodes[string(subject)] && !strings.HasPrefix(string(subject), commentPath) {
		return
	}
	of := a.Quads[string(subject)]
	if of == nil {
		of = map[int]*Tallies{}
		a.Quads[string(subject)] = of
	}
	for _, g := range in {
		if of[g] == nil {
			of[g] = &Tallies{}
		}
		of[g][term].Merge(t)
	}
}

func (a *Sample) field(in []int, _ bool, f Field, subject []byte, t Tally) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.nodes[string(subject)] {
		return
	}
	of := a.Fields[string(subject)]
	if of == nil {
		of = map[int]*FieldTallies{}
		a.Fields[string(subject)] = of
	}
	for _, g := range in {
		if of[g] == nil {
			of[g] = &FieldTallies{}
		}
		of[g][f].Merge(t)
	}
}

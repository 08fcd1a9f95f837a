package vectors

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/vectors/embed"
)

// defaultTop is how many questions a search finds where nobody says.
const defaultTop = 5

// acceptedFetch is how many times as many questions are fetched where only those
// with an accepted answer are wanted, as in the paper.
const acceptedFetch = 4

// SearchOptions says what to look for.
type SearchOptions struct {
	Slug     string // of the language; schema.OtherSlug is the remainder
	Query    string
	Top      int  // how many questions; 0: 5
	Hops     int  // 1: also the neighbours of those over DuplicateOf and LinkedTo, both ways
	Accepted bool // only questions with an accepted answer, of the neighbours too

	Dense, Sparse string // specs of the build's models at other endpoints; empty: the build's own
	Remote        embed.RemoteOptions
}

// Search finds the questions of a language that fit a query best, the best first,
// each followed by its neighbours. It reads the shards and parents of the build in
// out, and nothing else: no server is needed but a remote embedder's.
//
// Each point has a sparse score, its weights times the query's and, for BM25, the
// inverse document frequencies in the language, as Qdrant computes them; and a dense
// one, the cosine. Both are standardised over the language's points, and the weighted
// sum of a post's highest sparse and highest dense score ranks it; see [Best]. Where
// answers are embedded a question counts by itself or by the best answer to it. Of
// equal ones the lower id comes first.
//
// With Accepted, four times Top questions are fetched and their neighbours followed;
// those that remain are cut at Top, where a question that has none itself but leads to
// one that has counts as found.
//
// Memory is some 30 bytes a point of the language, and what is found.
func Search(ctx context.Context, out string, o SearchOptions) ([]Hit, error) {
	m, err := manifest.Read(out)
	if err != nil {
		return nil, err
	}
	shelf, err := openShelf(out, m)
	if err != nil {
		return nil, err
	}
	names, err := shelf.of(o.Slug)
	if err != nil {
		return nil, err
	}
	m.Options.Dense, m.Options.Sparse = defaultTo(o.Dense, m.Options.Dense), defaultTo(o.Sparse, m.Options.Sparse)
	embedders, err := OpenEmbedders(ctx, out, m, o.Remote)
	if err != nil {
		return nil, err
	}
	q, err := embedders.query(ctx, o.Query)
	if err != nil {
		return nil, err
	}
	q.answers = m.Stages[manifest.Vectors].Counts["answers"] > 0
	scan, err := scanShards(ctx, out, names, q)
	if err != nil {
		return nil, err
	}
	s := &search{SearchOptions: o, shelf: shelf, names: names, scan: scan, q: q}
	s.Top = defaultTo(max(0, o.Top), defaultTop)
	return s.hits(ctx)
}

// Fetch is how many questions are found before their edges are followed.
func (o SearchOptions) Fetch() int {
	top := defaultTo(max(0, o.Top), defaultTop)
	if o.Accepted {
		return top * acceptedFetch
	}
	return top
}

// search is one search, after the scores are known.
type search struct {
	SearchOptions
	shelf *shelf
	names []string // of the language's shards
	scan  *scan
	q     *query
}

func (s *search) hits(ctx context.Context) ([]Hit, error) {
	best := s.q.best(s.scan, s.Fetch())
	found := make([]Hit, len(best))
	for i, r := range best {
		var err error
		if found[i], err = s.read(r); err != nil {
			return nil, err
		}
	}
	neighbours := make([][]Hit, len(found))
	if s.Hops > 0 {
		var err error
		if neighbours, err = s.neighbours(ctx, found); err != nil {
			return nil, err
		}
	}
	return s.choose(found, neighbours), nil
}

// Follow goes on from questions of the language o.Slug that something else has found, as
// a vector database: o.Fetch() of them, the best first. It follows their edges over the
// shards of the build in out, and puts the list together, as [Search] does. A folder
// without the shards is a usage fault.
func Follow(ctx context.Context, out string, o SearchOptions, found []Hit) ([]Hit, error) {
	m, err := manifest.Read(out)
	if err != nil {
		return nil, err
	}
	shelf, err := openShelf(out, m)
	if err != nil {
		return nil, err
	}
	q, err := words(ctx, o.Query)
	if err != nil {
		return nil, err
	}
	s := &search{SearchOptions: o, shelf: shelf, q: q}
	s.Top = defaultTo(max(0, o.Top), defaultTop)
	neighbours, err := s.neighbours(ctx, found)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, schema.Faultf(schema.FaultUsage, "leave --hops out, or give as --out a folder with vectors/ and parents/",
			"edges are followed over the shards of the build, which are not all in %s: %w", out, err)
	}
	if err != nil {
		return nil, err
	}
	return s.choose(found, neighbours), nil
}

// choose puts the list together: each question once, where it stands first.
func (s *search) choose(found []Hit, neighbours [][]Hit) []Hit {
	var list []Hit
	direct, listed := map[int64]bool{}, map[int64]bool{}
	for _, h := range found {
		direct[h.PostID] = true
	}
	wanted := func(h Hit) bool { return (!s.Accepted || h.AcceptedAnswerID != 0) && !listed[h.PostID] }
	for i, places := 0, 0; i < len(found) && places < s.Top; i++ {
		before := len(list)
		if wanted(found[i]) {
			list = append(list, found[i])
			listed[found[i].PostID] = true
		}
		for _, n := range neighbours[i] {
			if wanted(n) && !direct[n.PostID] {
				list = append(list, n)
				listed[n.PostID] = true
			}
		}
		if len(list) > before {
			places++
		}
	}
	return list
}

// read reads a question that was found, and the chunk that was.
func (s *search) read(r ranked) (Hit, error) {
	shard, row := s.scan.place(r.at)
	match, err := readRowOf[payload](s.shelf.path(s.names[shard]), row)
	if err != nil {
		return Hit{}, err
	}
	question := match
	if match.PostID != r.question {
		if question, err = s.shelf.find(r.question, s.Slug); err != nil {
			return Hit{}, err
		}
		if question == nil {
			return Hit{}, fmt.Errorf("the shards have the answer %d and not its question %d", match.PostID, r.question)
		}
	}
	return s.q.hit(question, match, r.score), nil
}

// query is what shards are searched for.
type query struct {
	sparse  embed.SparseVector
	dense   []float32 // nil: the embedder knows no term of the query
	idf     bool
	weight  float64 // of the dense score, between 0 and 1
	answers bool    // there are answers among the points

	// of snippets, whatever the sparse embedder
	words *embed.BM25
	terms []uint32           // of the query, ascending
	worth map[uint32]float64 // of those
}

func (e *Embedders) query(ctx context.Context, words string) (*query, error) {
	q := &query{idf: e.Sparse.IDF(), weight: e.Weight, words: embed.NewBM25(), worth: map[uint32]float64{}}
	var err error
	if q.sparse, err = e.Sparse.Query(ctx, words); err != nil {
		return nil, fmt.Errorf("sparse vector of the query: %w", err)
	}
	if q.dense, err = e.DenseQuery(ctx, words); err != nil {
		return nil, err
	}
	if q.dense == nil {
		q.weight = 0
	}
	return q, q.addTerms(ctx, words)
}

// words is a query that shows what something else has found.
func words(ctx context.Context, text string) (*query, error) {
	q := &query{words: embed.NewBM25(), worth: map[uint32]float64{}}
	return q, q.addTerms(ctx, text)
}

// addTerms makes the terms of the query known, for snippets.
func (q *query) addTerms(ctx context.Context, words string) error {
	terms, err := q.words.Query(ctx, words)
	if err != nil {
		return fmt.Errorf("terms of the query: %w", err)
	}
	q.terms = terms.Indices
	for _, t := range terms.Indices {
		q.worth[t] = 1
	}
	return nil
}

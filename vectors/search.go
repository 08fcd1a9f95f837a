package vectors

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/vectors/embed"
)

// defaultTop is how many posts a search finds where nobody says.
const defaultTop = 5

// SearchOptions says what to look for.
type SearchOptions struct {
	Slug  string // of the language; schema.OtherSlug is the remainder
	Query string
	Top   int // how many posts; 0: 5
}

// Hit is a post that was found.
type Hit struct {
	PostID           int64    `json:"post_id"`
	QuestionID       int64    `json:"question_id"`
	IRI              string   `json:"iri"`
	Type             string   `json:"type"`  // question or answer
	Score            float64  `json:"score"` // how well it fits: sparse and dense, each standardised over the language
	Title            string   `json:"title"`
	Snippet          string   `json:"snippet"` // the beginning of the chunk that fits best
	Votes            int32    `json:"votes"`   // the post's score on its site
	Tags             []string `json:"tags"`
	AcceptedAnswerID int64    `json:"accepted_answer_id,omitempty"`
	DuplicateOf      []int64  `json:"duplicate_of,omitempty"`
	LinkedTo         []int64  `json:"linked_to,omitempty"`
}

// Search finds the posts of a language that fit a query best, the best first. It
// reads the shards of the build in out, and nothing else: no server is needed.
//
// Each point has a sparse score, its BM25 weights times the inverse document
// frequencies in the language, as Qdrant computes them; and a dense one, the
// cosine. Both are standardised over the language's points, and their weighted
// sum ranks. A post counts by its best chunk; of equal ones the lower id comes
// first. Memory is some 20 bytes a point of the language.
func Search(ctx context.Context, out string, o SearchOptions) ([]Hit, error) {
	m, err := manifest.Read(out)
	if err != nil {
		return nil, err
	}
	names, err := shardsOf(m, out, o.Slug)
	if err != nil {
		return nil, err
	}
	embedders, err := OpenEmbedders(out, m)
	if err != nil {
		return nil, err
	}
	q, err := embedders.query(ctx, o.Query)
	if err != nil {
		return nil, err
	}
	scan, err := scanShards(ctx, out, names, q)
	if err != nil {
		return nil, err
	}
	best := top(scan.points, q.fuse(scan), max(0, defaultTo(o.Top, defaultTop)))
	return readHits(out, names, scan, best)
}

// shardsOf returns the names of a language's shards, ordered by part.
func shardsOf(m *manifest.Manifest, out, slug string) ([]string, error) {
	stage := m.Stages[manifest.Vectors]
	if stage == nil {
		return nil, schema.Faultf(schema.FaultUsage, "run s2g build --out "+out, "%s holds no vectors", out)
	}
	bySlug := map[string][]string{}
	for _, f := range stage.Files {
		if path.Ext(f.Name) == ".parquet" && strings.HasPrefix(f.Name, "vectors/") {
			of := path.Base(path.Dir(f.Name))
			bySlug[of] = append(bySlug[of], f.Name)
		}
	}
	names := bySlug[slug]
	if len(names) == 0 {
		return nil, schema.Faultf(schema.FaultUsage, "give one of "+strings.Join(slices.Sorted(maps.Keys(bySlug)), ", "), "%s holds no vectors of a language %q", out, slug)
	}
	// part-100000 follows part-99999
	slices.SortFunc(names, func(a, b string) int {
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return strings.Compare(a, b)
	})
	return names, nil
}

// query is what shards are searched for.
type query struct {
	sparse embed.SparseVector
	dense  []float32 // nil: the embedder knows no term of the query
	idf    bool
	weight float64 // of the dense score, between 0 and 1
}

func (e *Embedders) query(ctx context.Context, words string) (*query, error) {
	q := &query{idf: e.Sparse.IDF(), weight: e.Weight}
	var err error
	if q.sparse, err = e.Sparse.Query(ctx, words); err != nil {
		return nil, fmt.Errorf("sparse vector of the query: %w", err)
	}
	if q.dense, err = e.Dense.Query(ctx, words); err != nil {
		return nil, fmt.Errorf("dense vector of the query: %w", err)
	}
	if firstAxis(q.dense) {
		q.dense = nil
	}
	return q, nil
}

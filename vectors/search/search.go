// Package search finds questions in the shards of a build, or in a vector database that
// holds them.
//
// A search takes these steps:
//
//  1. the embedders of the build make the vectors of the query ([Query]);
//  2. a [Finder] scores points and ranks the questions that pass the [Filter]: over the
//     shards, which are read once from end to end, or in a server;
//  3. edges of the graph, which are in the shards, lead from these to their neighbours;
//  4. each question becomes a [Hit] with a snippet; [AddThreads] completes it with its
//     text and its answers.
package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/vectors/embed"
	"s2g/vectors/shard"
)

// defaultTop is the number of questions where Options.Top is 0.
const defaultTop = 5

// acceptedFactor is how many times Options.Top questions are fetched with
// Options.Accepted, as in the paper.
const acceptedFactor = 4

// Options configure a search.
type Options struct {
	Slugs  []string // languages to search in; empty: all of the build, see [Slugs]
	Query  string
	Top    int // number of questions; 0: 5
	Hops   int // 1: also their neighbours over DuplicateOf and LinkedTo, in both directions
	Filter Filter

	Dense, Sparse string // specs of the build's models at other endpoints; empty: the build's own
	Remote        embed.RemoteOptions
	Find          Finder // nil: searches the shards
}

// A Finder finds the n questions that pass a filter and fit a query best, the best first.
type Finder func(ctx context.Context, q *Query, n int, f Filter) ([]Found, error)

// Found is a question and the point that matched the query best: one of the question, or of
// an answer to it. The points have no vectors.
type Found struct {
	Question, Match *shard.Point
	Score           float64 // compares within one search
	Strength        float64 // compares between searches; see [Query.Strength]
}

// Result is what a search finds.
type Result struct {
	Hits []Hit // the best first, each followed by its neighbours

	// NoGoodMatch: no question found is as strong a match as questions that the build
	// answers usually have; see [LeastStrength]. It is a hint, whose errors eval measures.
	NoGoodMatch bool

	query *Query
}

// Search finds the questions that fit a query best, the best first, each followed by its
// neighbours. Without o.Find it reads the shards of the build in out; only a remote embedder
// needs a server.
//
// Each point of the shards has a sparse score, the product of its sparse vector and the
// query's (with BM25 times the inverse document frequencies, as in Qdrant), and a dense
// score, the cosine. Both are standardised over the points of the languages, and the
// weighted sum of a post's highest sparse and highest dense score ranks the post; see
// [Best]. Where answers are embedded, a question ranks by itself or by its best answer. Of
// equal questions the lower id comes first.
//
// Several languages are searched as one set of points, in which a post of two languages is
// one: frequencies, means and deviations are those of the union, so all scores compare.
//
// A filter removes questions and changes no score. With Hops and Filter.Accepted, four times
// Top questions are fetched and their neighbours followed. The result keeps Top of those that
// have an accepted answer or lead to a question that has one.
//
// Memory is some 30 bytes for each point of the languages, beside the result; with several
// languages up to twice that.
func Search(ctx context.Context, out string, o Options) (*Result, error) {
	m, err := manifest.Read(out)
	if err != nil {
		return nil, err
	}
	catalog, err := shard.OpenCatalog(out, m)
	if err != nil {
		return nil, err
	}
	slugs := o.Slugs
	if len(slugs) == 0 {
		if slugs, err = Slugs(out, m); err != nil {
			return nil, err
		}
	}
	find := o.Find
	if find == nil {
		if find, err = shardFinder(catalog, slugs, m.Stages[manifest.Vectors].Counts["answers"] > 0); err != nil {
			return nil, err
		}
	}
	m.Options.Dense, m.Options.Sparse = cmp.Or(o.Dense, m.Options.Dense), cmp.Or(o.Sparse, m.Options.Sparse)
	embedders, err := OpenEmbedders(ctx, out, m, o.Remote)
	if err != nil {
		return nil, err
	}
	q, err := newQuery(ctx, embedders, o.Query)
	if err != nil {
		return nil, err
	}
	top := cmp.Or(max(0, o.Top), defaultTop)
	n, filter := top, o.Filter
	if o.Filter.Accepted && o.Hops > 0 { // a question without an accepted answer may lead to one that has
		n, filter.Accepted = n*acceptedFactor, false
	}
	found, err := find(ctx, q, n, filter)
	if err != nil {
		return nil, err
	}
	r := &Result{query: q, NoGoodMatch: !isGood(found, m)}
	hits := make([]Hit, len(found))
	for i, f := range found {
		hits[i] = q.hit(f)
	}
	neighbours := make([][]Hit, len(hits))
	if o.Hops > 0 {
		neighbours, err = follow(ctx, catalog, slugs[0], q, hits, o.Filter)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, schema.Faultf(schema.FaultUsage, "leave option hops out, or give as option out a folder with vectors/ and parents/",
				"edges are in the shards of the build, and %s lacks some of them: %w", out, err)
		}
		if err != nil {
			return nil, err
		}
	}
	r.Hits = choose(hits, neighbours, top, o.Filter.Accepted)
	for i := range r.Hits {
		r.Hits[i].NoGoodMatch = r.NoGoodMatch
	}
	return r, nil
}

// Slugs returns the languages that a search without a language looks in: the one of the
// whole site where the build has it, else all that have shards, in the order of the language
// table. A build without points is a usage fault.
func Slugs(out string, m *manifest.Manifest) ([]string, error) {
	catalog, err := shard.OpenCatalog(out, m)
	if err != nil {
		return nil, err
	}
	have := catalog.Slugs()
	if slices.Contains(have, schema.SiteSlug) {
		return []string{schema.SiteSlug}, nil
	}
	var slugs []string
	for _, l := range m.Options.Graphs() {
		if slices.Contains(have, l.Slug) {
			slugs = append(slugs, l.Slug)
		}
	}
	if len(slugs) == 0 {
		return nil, schema.Faultf(schema.FaultUsage, "build with languages that the posts of the dump have, or with option other",
			"%s holds no points to search in", out)
	}
	return slugs, nil
}

// isGood reports whether one of the questions found is a match as strong as the build's
// threshold, or the build has none.
func isGood(found []Found, m *manifest.Manifest) bool {
	least, ok := LeastStrength(m.Stages[manifest.Vectors].Embedders)
	return !ok || slices.ContainsFunc(found, func(f Found) bool { return f.Strength >= least })
}

// choose lists each question once, at its first place: top of the questions found, each
// with its neighbours. With accepted it leaves out questions without an accepted answer;
// such a question still counts towards top if a neighbour of it is listed.
func choose(found []Hit, neighbours [][]Hit, top int, accepted bool) []Hit {
	var list []Hit
	direct, listed := map[int64]bool{}, map[int64]bool{}
	for _, h := range found {
		direct[h.PostID] = true
	}
	fits := func(h Hit) bool { return (!accepted || h.AcceptedAnswerID != 0) && !listed[h.PostID] }
	for i, places := 0, 0; i < len(found) && places < top; i++ {
		before := len(list)
		if fits(found[i]) {
			list = append(list, found[i])
			listed[found[i].PostID] = true
		}
		for _, n := range neighbours[i] {
			if fits(n) && !direct[n.PostID] {
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

// OpenEmbedders opens the embedders of the build in out, whose manifest is m. Errors are
// those of [shard.Stage] and [embed.OpenPair].
func OpenEmbedders(ctx context.Context, out string, m *manifest.Manifest, remote embed.RemoteOptions) (*embed.Pair, error) {
	stage, err := shard.Stage(out, m)
	if err != nil {
		return nil, err
	}
	o := embed.PairOptions{Dense: m.Options.Dense, Sparse: m.Options.Sparse, ModelFile: shard.ModelPath(out)}
	if made := stage.Embedders; made != nil {
		o.Models, o.Weight = &embed.Models{Dense: made.Dense, Sparse: made.Sparse}, &made.Weight
	}
	pair, err := embed.OpenPair(ctx, o, remote)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, schema.Faultf(schema.FaultUsage, "copy the builtin model, model.bin, with the build, or build anew", "%w", err)
	}
	return pair, err
}

// Query holds the vectors of a query's text, and its terms.
type Query struct {
	Dense  []float32 // nil: no term of the query is in the embedder's vocabulary, or dense scores have no weight
	Sparse embed.SparseVector
	IDF    bool    // the sparse weights are multiplied by inverse document frequencies
	Weight float64 // of the dense score in a fused score, from 0 to 1; 0 where Dense is nil

	// The terms of the text for snippets: those of BM25 also with another sparse embedder.
	bm25        *embed.BM25
	terms       []uint32           // ascending
	termWeights map[uint32]float64 // of each of terms in a snippet
}

// newQuery embeds the text of a query.
func newQuery(ctx context.Context, p *embed.Pair, text string) (*Query, error) {
	q := &Query{IDF: p.Sparse.IDF(), Weight: p.Weight, bm25: p.BM25(), termWeights: map[uint32]float64{}}
	var err error
	if q.Sparse, err = p.Sparse.Query(ctx, text); err != nil {
		return nil, fmt.Errorf("sparse vector of the query: %w", err)
	}
	if q.Dense, err = p.DenseQuery(ctx, text); err != nil {
		return nil, err
	}
	if q.Dense == nil {
		q.Weight = 0
	}
	terms, err := q.bm25.Query(ctx, text)
	if err != nil {
		return nil, fmt.Errorf("terms of the query: %w", err)
	}
	q.terms = terms.Indices
	for _, t := range q.terms {
		q.termWeights[t] = 1
	}
	return q, nil
}

// SetTermWeights sets the weights of terms in snippets to those of the sparse vector's terms.
func (q *Query) SetTermWeights(weights []float64) {
	for i, t := range q.Sparse.Indices {
		if _, ok := q.termWeights[t]; ok {
			q.termWeights[t] = weights[i]
		}
	}
}

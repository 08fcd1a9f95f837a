// Package eval measures how well a build's embedders find known items. It reads posts from
// the tables and writes nothing; the caller stores the weight that it returns.
//
// The title of a question is a query with a known result:
//
//   - [TitleBody]: among the bodies of questions, that of the question;
//   - [TitleAnswer]: among answers, the accepted one.
//
// Bodies are embedded without their titles, cut into windows as the build cuts them, and
// kept in an index in memory. The builtin dense embedder is fitted again on these bodies:
// that of the build is fitted on titles together with their bodies, and would recognise
// them.
//
// For each query posts are ranked by the sparse score, the dense score, and their weighted
// sum, as in a search; see [search.Best]. The weight is fitted on one half of the queries;
// see [fit]. So is the strength below which a search reports that it has no good match; its
// errors are measured on the other half, and on questions about everything else
// (foreign.txt). The results depend on the tables and the options alone.
package eval

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/tables"
	"s2g/schema/threads"
	"s2g/vectors"
	"s2g/vectors/embed"
	"s2g/vectors/search"
	"s2g/vectors/text"
)

// Options select the items to measure. All but the embedders may be zero.
type Options struct {
	Languages []schema.Language // of the build; nil: schema.DefaultLanguages
	Other     bool              // the build has the posts without a selected language, too
	Links     bool              // the build's texts keep the addresses of links
	Windows   vectors.Windows   // of the build
	Dense     embed.Dense
	Sparse    embed.Sparse

	Queries int // at most; 0: 2,000
	Posts   int // questions to search in, and as many answers, at most; 0: 100,000

	Workers  int // 0: GOMAXPROCS
	Log      *slog.Logger
	Progress func(what string, done, total int64)
}

func (o Options) complete() Options {
	if o.Languages == nil {
		o.Languages = schema.DefaultLanguages()
	}
	if o.Queries <= 0 {
		o.Queries = 2000
	}
	if o.Posts <= 0 {
		o.Posts = 100_000
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Progress == nil {
		o.Progress = func(string, int64, int64) {}
	}
	return o
}

// Run measures a build's embedders and fits the weight. A build with less than two questions
// is a usage fault.
func Run(ctx context.Context, db *tables.DB, o Options) (*Report, error) {
	o = o.complete()
	o.Progress("reading threads", 0, 0)
	threads, err := threads.Build(ctx, db, o.Languages, o.Other)
	if err != nil {
		return nil, err
	}
	s := drawSample(threads, o.Queries, o.Posts)
	if len(s.queries) < 2 {
		return nil, schema.Faultf(schema.FaultUsage, "build with option other, or with languages that its posts have",
			"the build has %d questions, a measurement needs 2", len(s.queries))
	}
	o.Log.Info("measuring the search", "queries", len(s.queries), "questions", len(s.questions), "answers", len(s.answers))
	r := &postReader{db: db, cleaner: &text.Cleaner{Languages: o.Languages, Links: o.Links}, options: o}
	if built, ok := o.Dense.(*embed.LSA); ok {
		if r.options.Dense, err = r.fit(ctx, s.questions, built.Language(), built.Dim()); err != nil {
			return nil, err
		}
	}
	if err := r.readTitles(ctx, s.queries); err != nil {
		return nil, err
	}
	if err := embedQueries(ctx, r.options, s.queries); err != nil {
		return nil, err
	}
	// One index after the other, so that memory holds one of them.
	foreign := foreignQueries()
	if err := embedQueries(ctx, r.options, foreign); err != nil {
		return nil, err
	}
	all := slices.Concat(s.queries, foreign)
	bodies, err := rankAll(ctx, r, all, "questions", s.questions, func(q query) int64 { return q.id }, true)
	if err != nil {
		return nil, err
	}
	accepted, err := rankAll(ctx, r, s.queries, "accepted answers", s.answers, func(q query) int64 { return q.accepted }, false)
	if err != nil {
		return nil, err
	}
	results := make([]result, len(s.queries))
	for i, q := range s.queries {
		results[i] = result{fits: q.fits, ranks: [tasks]ranks{TitleBody: bodies[i].ranks, TitleAnswer: accepted[i].ranks}, strengths: bodies[i].strengths}
	}
	report := summarise(results, embed.DefaultWeight(o.Dense.Model()))
	report.Dense, report.Sparse = o.Dense.Model(), o.Sparse.Model()
	report.Questions, report.Answers = len(s.questions), len(s.answers)
	best := slices.Index(weights[:], report.Weight)
	var of []float64
	for _, f := range bodies[len(s.queries):] {
		of = append(of, f.strengths[best])
	}
	prior, _ := search.LeastStrength(&manifest.Embedders{Dense: report.Dense, Sparse: report.Sparse})
	report.NoGoodMatch = fitStrength(results, of, best, prior)
	return report, nil
}

// embedQueries makes the vectors of the queries.
func embedQueries(ctx context.Context, o Options, queries []query) error {
	var done atomic.Int64
	return eachQuery(ctx, o.Workers, len(queries), func(ctx context.Context, _, i int) (err error) {
		q := &queries[i]
		q.vectors.IDF = o.Sparse.IDF()
		if q.vectors.Dense, err = embed.DenseQuery(ctx, o.Dense, q.title); err != nil {
			return err
		}
		if q.vectors.Sparse, err = o.Sparse.Query(ctx, q.title); err != nil {
			return fmt.Errorf("sparse vector of a query: %w", err)
		}
		o.Progress("embedding titles", done.Add(1), int64(len(queries)))
		return nil
	})
}

// ranking holds, for each weight, the rank of a query's target and the strength of the first
// post.
type ranking struct {
	ranks
	strengths
}

// rankAll embeds posts, at least one, and ranks them for each query. Without a target the ranks are 0.
func rankAll(ctx context.Context, r *postReader, queries []query, what string, posts []int64, target func(query) int64, withStrengths bool) ([]ranking, error) {
	x, err := r.index(ctx, "indexing "+what, posts)
	if err != nil {
		return nil, err
	}
	all, ofWorker := make([]ranking, len(queries)), make([]scores, r.options.Workers)
	err = eachQuery(ctx, r.options.Workers, len(queries), func(_ context.Context, worker, i int) error {
		at, ok := slices.BinarySearch(x.posts, target(queries[i]))
		s := &ofWorker[worker]
		if ok || withStrengths {
			s.compute(x, &queries[i].vectors)
		}
		if withStrengths {
			all[i].strengths = s.strengths(x, &queries[i].vectors)
		}
		if ok {
			all[i].ranks = s.ranks(at)
		}
		return nil
	})
	r.options.Progress("ranking "+what, int64(len(queries)), int64(len(queries)))
	return all, err
}

// eachQuery calls do for each of n queries, on several workers.
func eachQuery(ctx context.Context, workers, n int, do func(ctx context.Context, worker, query int) error) error {
	var next atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	for worker := range workers {
		group.Go(func() error {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				if err := ctx.Err(); err != nil {
					return err
				}
				if err := do(ctx, worker, i); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return group.Wait()
}

// Package eval measures how well a build's embedders find what is known to be
// there. It reads posts from the tables and writes nothing: the caller keeps the
// weight that it returns.
//
// The title of a question is a query for which the right answer is known:
//
//   - [TitleBody]: among the bodies of questions, the question's own;
//   - [TitleAnswer]: among answers, the one that was accepted;
//   - [Thread]: the accepted answer, reached as a user of graph and vectors together
//     reaches it: the question is found by its body, and HasAcceptedAnswer leads on.
//
// Bodies are embedded without their titles, cut into windows as the build cuts them,
// and kept in an index in memory that is thrown away. The builtin dense embedder is
// fitted anew on those bodies: the build's own has seen titles and bodies together,
// and would know of each title what body it stands over.
//
// Posts are ranked for each query by the sparse score, the dense score, and their
// weighted sum, by the rule that a search has: [search.Best].
// The weight is fitted on one half of the queries; see [fit]. Everything depends on
// the tables and options alone.
package eval

import (
	"context"
	"log/slog"
	"runtime"

	"s2g/schema"
	"s2g/schema/tables"
	"s2g/schema/threads"
	"s2g/vectors"
	"s2g/vectors/embed"
)

// Options says what to measure. The zero value works, but for the embedders.
type Options struct {
	Languages []schema.Language // of the build; nil: schema.DefaultLanguages
	Other     bool              // the build has the posts without a selected language, too
	Links     bool              // the build's texts keep the addresses of links
	Windows   vectors.Windows   // of the build
	Dense     embed.Dense
	Sparse    embed.Sparse

	Queries int // at most; 0: 2,000
	Posts   int // questions, and answers, to search in, at most; 0: 100,000

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

// Run measures, and fits the weight. A build without questions is a usage fault.
func Run(ctx context.Context, db *tables.DB, o Options) (*Report, error) {
	o = o.complete()
	o.Progress("reading threads", 0, 0)
	threads, err := threads.Build(ctx, db, o.Languages, o.Other)
	if err != nil {
		return nil, err
	}
	s := choose(threads, o.Queries, o.Posts)
	if len(s.queries) < 2 {
		return nil, schema.Faultf(schema.FaultUsage, "build with --other, or with languages that its posts have",
			"the build has %d questions to ask for", len(s.queries))
	}
	o.Log.Info("measuring the search", "queries", len(s.queries), "questions", len(s.questions), "answers", len(s.answers))
	r := &reader{ctx: ctx, db: db, o: o}
	if _, builtin := o.Dense.(*embed.LSA); builtin {
		if r.o.Dense, err = r.refit(s.questions, o.Dense.Dim()); err != nil {
			return nil, err
		}
	}
	if err := r.titles(s.queries); err != nil {
		return nil, err
	}
	if err := r.embedQueries(s.queries); err != nil {
		return nil, err
	}
	found, err := r.ranks(&s)
	if err != nil {
		return nil, err
	}
	report := summarise(found, embed.DefaultWeight(o.Dense.Model()))
	report.Dense, report.Sparse = o.Dense.Model(), o.Sparse.Model()
	report.Questions, report.Answers = len(s.questions), len(s.answers)
	return report, nil
}

// ranks asks all queries, of one index after the other: memory holds one of them.
func (r *reader) ranks(s *sample) ([]found, error) {
	bodies, err := r.index("indexing questions", s.questions)
	if err != nil {
		return nil, err
	}
	all := make([]found, len(s.queries))
	questions, err := r.ask("asking for questions", bodies, s.queries, func(q query) int64 { return q.id })
	if err != nil {
		return nil, err
	}
	bodies = nil
	answers, err := r.index("indexing answers", s.answers)
	if err != nil {
		return nil, err
	}
	accepted, err := r.ask("asking for accepted answers", answers, s.queries, func(q query) int64 { return q.accepted })
	if err != nil {
		return nil, err
	}
	for i, q := range s.queries {
		all[i] = found{fits: q.fits, ranks: [tasks]ranks{TitleBody: questions[i]}}
		if q.accepted != 0 {
			all[i].ranks[TitleAnswer], all[i].ranks[Thread] = accepted[i], questions[i]
		}
	}
	return all, nil
}

package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"s2g/cmd/s2g/internal/build"
	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/vectors"
	"s2g/vectors/eval"
	"s2g/vectors/qdrant"
	"s2g/vectors/search"
)

const evalHelp = `Measures how well the build's embedders find known items. The queries are titles of questions; the items are the body
under the title, and the accepted answer. Bodies are embedded without their titles into an index in memory.
The weight of the dense score in a fused score is fitted on half of the queries, and so is the strength below which a
search reports that it has no good match. The report is of the other half. The manifest stores both for s2g search.

    s2g eval --out build
    s2g eval --out build --sample 500 --json`

func (a *app) eval() *cobra.Command {
	o := &options{}
	var measure eval.Options
	cmd := &cobra.Command{
		Use:   "eval --out DIR",
		Short: "search quality of the build's embedders; fits the weight of hybrid search",
		Long:  evalHelp,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if measure.Queries < 2 || measure.Posts < 2 {
				return schema.Faultf(schema.FaultUsage, "give 2 or more: one half fits the weight, the report is of the other", "--sample %d, --posts %d", measure.Queries, measure.Posts)
			}
			return a.inBuild(cmd, o, func(b *build.Build) error { return a.evaluate(cmd.Context(), b, measure) })
		},
	}
	f := cmd.Flags()
	o.outFlag(f)
	o.databaseFlags(f)
	o.workerFlag(f)
	denseEndpointFlag(f, &o.Shape.Dense)
	sparseEndpointFlag(f, &o.Shape.Sparse)
	retryFlag(f, new(time.Duration), qdrant.DefaultRetryFor)
	f.IntVar(&measure.Queries, "sample", 2000, "maximal number of `questions` whose titles are queries")
	f.IntVar(&measure.Posts, "posts", 100_000, "maximal number of `questions` in the index, and of answers")
	return cmd
}

// evaluate measures the build and stores the fitted weight in the manifest.
func (a *app) evaluate(ctx context.Context, b *build.Build, o eval.Options) error {
	db, err := b.Tables(ctx)
	if err != nil {
		return err
	}
	s := b.Options.Shape
	m := *b.Dir.Manifest()
	m.Options.Dense, m.Options.Sparse = s.Dense, s.Sparse
	embedders, err := search.OpenEmbedders(ctx, b.Options.Out, &m, b.Options.Remote)
	if err != nil {
		return err
	}
	if o.Windows, err = vectors.WindowsOf(&m, embedders.Dense); err != nil {
		return err
	}
	o.Languages, o.Other, o.Links = s.Table(), s.Other, s.Links
	o.Dense, o.Sparse, o.Workers, o.Log = embedders.Dense, embedders.Sparse, b.Options.Workers, a.log
	shown := a.progress("eval")
	o.Progress = shown.Report
	report, err := eval.Run(ctx, db, o)
	shown.End()
	if err != nil {
		return err
	}
	err = b.Dir.Update(func(m *manifest.Manifest) {
		built := m.Stages[manifest.Vectors].Embedders
		built.Weight, built.Fitted, built.NoGoodMatch = report.Weight, report.Fitted, report.NoGoodMatch
	})
	if err != nil {
		return err
	}
	if a.json {
		return printJSON(a, report)
	}
	return report.WriteTable(a.stdout)
}

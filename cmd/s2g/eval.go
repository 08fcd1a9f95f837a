package main

import (
	"context"
	"encoding/json"

	"github.com/spf13/cobra"

	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/vectors"
	"s2g/vectors/eval"
)

const evalHelp = `Measures how well the build's embedders find what is known to be there, with the titles of questions as queries:
the body under the title, the accepted answer, and the accepted answer by way of its question and the graph.
Bodies are embedded without their titles into an index in memory. The weight of the dense score in a fused one is
fitted on half of the queries, reported on the others, and kept in the manifest: s2g search uses it.

    s2g eval --out build
    s2g eval --out build --sample 500 --json`

func (a *app) eval() *cobra.Command {
	o := &options{}
	var of eval.Options
	cmd := &cobra.Command{
		Use:   "eval --out DIR",
		Short: "search quality of the build's embedders; fits the weight of hybrid search",
		Long:  evalHelp,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if of.Queries < 2 || of.Posts < 2 {
				return schema.Faultf(schema.FaultUsage, "give 2 or more: one half fits the weight, the other is reported", "--sample %d, --posts %d", of.Queries, of.Posts)
			}
			if err := o.needBuild(); err != nil {
				return err
			}
			return a.inOut(o, func(p *pipeline) error {
				if err := a.resolve(cmd, o, p.dir.Manifest(), true); err != nil {
					return err
				}
				return p.eval(cmd.Context(), of)
			})
		},
	}
	f := cmd.Flags()
	o.outFlag(f)
	o.databaseFlags(f)
	o.workerFlag(f)
	f.StringVar(&o.shape.Dense, "dense", "", "the build's dense model at another endpoint, as openai+http://HOST:PORT/v1?model=NAME")
	f.StringVar(&o.shape.Sparse, "sparse", "", "the build's sparse model at another endpoint, as bgem3+http://HOST:PORT?model=NAME")
	f.IntVar(&of.Queries, "sample", 2000, "ask with the titles of so many `questions`, at most")
	f.IntVar(&of.Posts, "posts", 100_000, "search so many `questions`, and as many answers, at most")
	return cmd
}

func (p *pipeline) eval(ctx context.Context, o eval.Options) error {
	if _, err := p.ingested(ctx); err != nil {
		return err
	}
	s := p.opts.shape
	m := *p.dir.Manifest()
	m.Options.Dense, m.Options.Sparse = s.Dense, s.Sparse
	embedders, err := vectors.OpenEmbedders(ctx, p.opts.out, &m, p.app.remote())
	if err != nil {
		return err
	}
	if o.Windows, err = vectors.WindowsOf(&m, embedders.Dense); err != nil {
		return err
	}
	o.Languages, o.Other, o.Links = s.Languages, s.Other, s.Links
	o.Dense, o.Sparse, o.Workers, o.Log = embedders.Dense, embedders.Sparse, p.opts.workers, p.app.log
	shown := p.app.progress("eval", inRows)
	o.Progress = shown.report
	report, err := eval.Run(ctx, p.db, o)
	shown.end()
	if err != nil {
		return err
	}
	err = p.dir.Update(func(m *manifest.Manifest) {
		of := m.Stages[manifest.Vectors].Embedders
		of.Weight, of.Fitted = report.Weight, report.Fitted
	})
	if err != nil {
		return err
	}
	if p.app.json {
		return json.NewEncoder(p.app.stdout).Encode(report)
	}
	return report.WriteTable(p.app.stdout)
}

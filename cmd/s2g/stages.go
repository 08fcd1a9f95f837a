package main

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"s2g/vectors"
)

func (a *app) ingest() *cobra.Command {
	return a.stageCommand(&options{}, "ingest --dump PATH --out DIR", "dump to MariaDB tables",
		`Reads Posts, PostLinks, Comments, Votes and Tags of a dump into MariaDB. The tables that are in service stay
so until the new ones are complete. Bad rows are counted by class and listed in rejects.jsonl.`,
		(*options).ingestFlags,
		(*options).needOut, (*pipeline).ingest)
}

func (a *app) graph() *cobra.Command {
	return a.stageCommand(&options{}, "graph --out DIR", "tables to TriG, a named graph per language",
		`Writes graph/batch-000001.trig.gz and so on, of 50,000 triples each, with ontology.ttl and void.ttl, from the
tables of an earlier ingest. Options that are not given are those of the build that is there.`,
		func(o *options, f *pflag.FlagSet) { o.languageFlags(f); o.graphFlags(f) },
		(*options).needBuild, (*pipeline).graph)
}

func (a *app) vectors() *cobra.Command {
	var share sharing
	stage := func(p *pipeline, ctx context.Context) error {
		if share.merge {
			return p.vectorsBy(ctx, vectors.Merge)
		}
		return p.vectors(ctx)
	}
	o := &options{}
	cmd := a.stageCommand(o, "vectors --out DIR", "tables to Parquet shards with dense and sparse vectors", vectorsHelp,
		func(o *options, f *pflag.FlagSet) { o.languageFlags(f); o.vectorFlags(f); share.flags(f) },
		(*options).needBuild, stage)
	alone := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		shared, err := share.complete(cmd.Flags())
		if err != nil {
			return err
		}
		plans, err := cmd.Flags().GetBool("dry-run")
		switch {
		case err != nil:
			return err
		case !shared || plans: // a plan is of all ranks
			return alone(cmd, args)
		}
		if err := o.needBuild(); err != nil {
			return err
		}
		return a.vectorsRank(cmd, o, vectors.Ranks{Rank: share.rank, World: share.world})
	}
	return cmd
}

// stageCommand is a command that runs one stage in OUT, if that is there as the
// stage needs it.
func (a *app) stageCommand(o *options, use, short, long string, flags func(*options, *pflag.FlagSet), need func(*options) error, stage func(*pipeline, context.Context) error) *cobra.Command {
	var dryRun bool
	cmd := &cobra.Command{Use: use, Short: short, Long: long, Args: cobra.NoArgs}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := need(o); err != nil {
			return err
		}
		if dryRun {
			return a.planStages(cmd, o, []string{cmd.Name()}, true)
		}
		return a.inOut(o, func(p *pipeline) error {
			if err := a.resolve(cmd, o, p.dir.Manifest(), true); err != nil {
				return err
			}
			return stage(p, cmd.Context())
		})
	}
	f := cmd.Flags()
	o.outFlag(f)
	flags(o, f)
	o.databaseFlags(f)
	o.workerFlag(f)
	dryRunFlag(f, &dryRun)
	return cmd
}

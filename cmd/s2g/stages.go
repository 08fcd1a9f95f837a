package main

import (
	"context"
	"os"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"s2g/cmd/s2g/internal/build"
	"s2g/schema"
	"s2g/vectors"
)

// ingest is the command of the stage.
func (a *app) ingest() *cobra.Command {
	return a.stageCommand(&options{}, "ingest --dump PATH --out DIR", "dump to MariaDB tables",
		`Reads Posts, PostLinks, Comments, Votes and Tags of a dump into MariaDB. The tables of an earlier dump stay in
service until the new ones are complete. Bad rows are counted by class and listed in rejects.jsonl.`,
		(*options).ingestFlags,
		(*options).needOut, (*build.Build).Ingest)
}

// graph is the command of the stage.
func (a *app) graph() *cobra.Command {
	return a.stageCommand(&options{}, "graph --out DIR", "tables to TriG, a named graph per language",
		`Writes graph/batch-000001.trig.gz and so on, of 50,000 triples each, with ontology.ttl and void.ttl, from the
tables of an earlier ingest. Options that are not given are those of the build that is there.`,
		func(o *options, f *pflag.FlagSet) { o.languageFlags(f); o.graphFlags(f) },
		(*options).needBuild, (*build.Build).Graph)
}

// stageCommand is a command that runs one stage in OUT. need checks OUT before it.
func (a *app) stageCommand(o *options, use, short, long string, flags func(*options, *pflag.FlagSet), need func(*options) error, stage func(*build.Build, context.Context) error) *cobra.Command {
	var dryRun bool
	cmd := &cobra.Command{Use: use, Short: short, Long: long, Args: cobra.NoArgs}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := need(o); err != nil {
			return err
		}
		if dryRun {
			return a.printPlan(cmd, o, []string{cmd.Name()}, true)
		}
		return a.inOut(cmd, o, true, func(b *build.Build) error { return stage(b, cmd.Context()) })
	}
	f := cmd.Flags()
	o.outFlag(f)
	flags(o, f)
	o.databaseFlags(f)
	o.workerFlag(f)
	dryRunFlag(f, &dryRun)
	return cmd
}

const vectorsHelp = `Cleans, cuts and embeds the questions of each language and writes vectors/LANGUAGE/part-00000.parquet and so on,
from the tables of an earlier ingest. Options that are not given are those of the build that is there.

Several processes can share the work, on machines that see one OUT and one MariaDB (--dsn): each has its --rank and the
number of all, --world, and makes every Nth unit. When all have ended, --merge with the same options enters their shards
into the build; it refuses units that are missing or were made with other options. A rank may also come from the
environment of a Kubernetes Indexed Job (JOB_COMPLETION_INDEX with S2G_WORLD) or a Slurm array (SLURM_ARRAY_TASK_ID, _COUNT).`

// vectors is the command of the stage, as a whole or as one of several ranks.
func (a *app) vectors() *cobra.Command {
	var share sharing
	stage := func(b *build.Build, ctx context.Context) error {
		if share.merge {
			return b.MergeVectors(ctx)
		}
		return b.Vectors(ctx)
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
		case !shared || plans: // a plan covers all ranks
			return alone(cmd, args)
		}
		m, err := a.readBuild(cmd, o)
		if err != nil {
			return err
		}
		return build.RunRank(cmd.Context(), &o.Options, m, vectors.Ranks{Rank: share.rank, World: share.world})
	}
	return cmd
}

// sharing is how several processes share the stage.
type sharing struct {
	rank, world int
	merge       bool
}

func (s *sharing) flags(f *pflag.FlagSet) {
	f.IntVar(&s.rank, "rank", 0, "which part of the units to make, from 0 to world-1")
	f.IntVar(&s.world, "world", 0, "how many ranks share the work (default: no other)")
	f.BoolVar(&s.merge, "merge", false, "enter into the build what ranks have made")
}

// complete reads the rank from a scheduler's environment where no flag gives it. It reports whether this process is one
// of several.
func (s *sharing) complete(flags *pflag.FlagSet) (shared bool, err error) {
	given := flags.Changed("rank")
	if s.merge {
		if given {
			return false, schema.Faultf(schema.FaultUsage, "merge once, when all ranks have ended", "--merge with --rank")
		}
		return false, nil
	}
	if s.world == 0 && !given {
		s.world, err = fromScheduler("SLURM_ARRAY_TASK_COUNT", 0)
	}
	if err != nil || s.world == 0 && !given {
		return false, err
	}
	if s.world == 0 {
		return false, schema.Faultf(schema.FaultUsage, "give --world, how many ranks there are", "--rank %d of how many?", s.rank)
	}
	if !given {
		err = s.rankOfScheduler()
	}
	return true, err
}

func (s *sharing) rankOfScheduler() (err error) {
	if s.rank, err = fromScheduler("JOB_COMPLETION_INDEX", -1); err != nil || s.rank >= 0 {
		return err
	}
	id, err := fromScheduler("SLURM_ARRAY_TASK_ID", -1)
	if err != nil {
		return err
	}
	if id < 0 {
		return schema.Faultf(schema.FaultUsage, "give --rank, or run as a Kubernetes Indexed Job or a Slurm array", "which of %d ranks is this?", s.world)
	}
	first, err := fromScheduler("SLURM_ARRAY_TASK_MIN", 0)
	s.rank = id - first
	return err
}

func fromScheduler(variable string, otherwise int) (int, error) {
	value, ok := os.LookupEnv(variable)
	if !ok {
		return otherwise, nil
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < 0 {
		return 0, schema.Faultf(schema.FaultUsage, "unset it, or give --rank and --world", "%s is %q, which is no number of a rank", variable, value)
	}
	return n, nil
}

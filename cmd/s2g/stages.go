package main

import (
	"context"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"s2g/cmd/s2g/internal/build"
	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/vectors"
	"s2g/vectors/qdrant"
)

// ingest is the command of the stage.
func (a *app) ingest() *cobra.Command {
	o := &options{}
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "ingest --dump PATH --out DIR",
		Short: "dump to MariaDB tables",
		Long: `Reads Posts, PostLinks, Comments, Votes and Tags of a dump into MariaDB. The tables of an earlier dump stay in
service until the new ones are complete. Bad rows are counted by class and listed in rejects.jsonl.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.runStage(cmd, o, dryRun, (*build.Build).Ingest)
		},
	}
	o.ingestFlags(cmd.Flags())
	o.stageFlags(cmd.Flags(), &dryRun)
	return cmd
}

// graph is the command of the stage.
func (a *app) graph() *cobra.Command {
	o := &options{}
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "graph --out DIR",
		Short: "tables to TriG, a named graph per language",
		Long: `Writes graph/batch-000001.trig.gz and so on, of 50,000 triples each, with ontology.ttl and void.ttl, from the
tables of an earlier ingest. Options without a flag keep the value that they have in the build.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.needBuild(); err != nil {
				return err
			}
			return a.runStage(cmd, o, dryRun, (*build.Build).Graph)
		},
	}
	o.languageFlags(cmd.Flags())
	o.graphFlags(cmd.Flags())
	o.stageFlags(cmd.Flags(), &dryRun)
	return cmd
}

const vectorsHelp = `Cleans, cuts and embeds the questions of each language and writes vectors/LANGUAGE/part-00000.parquet and so on,
from the tables of an earlier ingest. Options without a flag keep the value that they have in the build.

Several processes can share the work, on machines that see one OUT and one MariaDB (--dsn). Each gets its --rank and the
number of all ranks, --world, and makes every Nth unit. When all have ended, --merge with the same options enters their
shards into the build; it refuses units that are missing or have other options. A rank may also come from the
environment of a Kubernetes Indexed Job (JOB_COMPLETION_INDEX with S2G_WORLD) or a Slurm array (SLURM_ARRAY_TASK_ID, _COUNT).`

// vectors is the command of the stage, as a whole or as one of several ranks.
func (a *app) vectors() *cobra.Command {
	o := &options{}
	var share sharing
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "vectors --out DIR",
		Short: "tables to Parquet shards with dense and sparse vectors",
		Long:  vectorsHelp,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			isRank, err := share.complete(cmd.Flags())
			if err != nil {
				return err
			}
			if isRank && !dryRun { // a plan covers all ranks
				if err := o.needBuild(); err != nil {
					return err
				}
				m, err := manifest.ReadLatest(o.Out)
				if err != nil {
					return err
				}
				if err := a.resolve(cmd, o, m); err != nil {
					return err
				}
				return build.RunRank(cmd.Context(), &o.Options, m, vectors.Ranks{Rank: share.rank, World: share.world})
			}
			if err := o.needBuild(); err != nil {
				return err
			}
			stage := (*build.Build).Vectors
			if share.merge {
				stage = (*build.Build).MergeVectors
			}
			return a.runStage(cmd, o, dryRun, stage)
		},
	}
	o.languageFlags(cmd.Flags())
	o.vectorFlags(cmd.Flags())
	retryFlag(cmd.Flags(), new(time.Duration), qdrant.DefaultRetryFor)
	share.flags(cmd.Flags())
	o.stageFlags(cmd.Flags(), &dryRun)
	return cmd
}

// stageFlags adds the flags that the commands of all stages have.
func (o *options) stageFlags(f *pflag.FlagSet, dryRun *bool) {
	o.outFlag(f)
	o.databaseFlags(f)
	o.workerFlag(f)
	o.replacementFlags(f)
	dryRunFlag(f, dryRun)
	o.makes = true
}

// runStage runs one stage in OUT, or prints its plan. The command has the name of the stage.
func (a *app) runStage(cmd *cobra.Command, o *options, dryRun bool, stage func(*build.Build, context.Context) error) error {
	if dryRun {
		return a.printPlan(cmd, o, []string{cmd.Name()})
	}
	return a.inOut(cmd, o, func(b *build.Build) error { return b.RunStage(cmd.Context(), stage) })
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
		if s.world, _, err = schedulerNumber("SLURM_ARRAY_TASK_COUNT"); err != nil || s.world == 0 {
			return false, err
		}
	}
	if s.world == 0 {
		return false, schema.Faultf(schema.FaultUsage, "give --world, how many ranks there are", "--rank %d of how many?", s.rank)
	}
	if given {
		return true, nil
	}
	rank, set, err := schedulerNumber("JOB_COMPLETION_INDEX")
	if err == nil && !set {
		var first int // of the array
		if rank, set, err = schedulerNumber("SLURM_ARRAY_TASK_ID"); err == nil {
			first, _, err = schedulerNumber("SLURM_ARRAY_TASK_MIN")
		}
		rank -= first
	}
	if err == nil && !set {
		err = schema.Faultf(schema.FaultUsage, "give --rank, or run as a Kubernetes Indexed Job or a Slurm array", "which of %d ranks is this?", s.world)
	}
	s.rank = rank
	return err == nil, err
}

// schedulerNumber returns the number in a variable that a scheduler sets, and whether it is set.
func schedulerNumber(variable string) (n int, set bool, err error) {
	value, set := os.LookupEnv(variable)
	if !set {
		return 0, false, nil
	}
	if n, err = strconv.Atoi(value); err != nil || n < 0 {
		err = schema.Faultf(schema.FaultUsage, "unset it, or give --rank and --world", "%s is %q, which is no number of a rank", variable, value)
	}
	return n, true, err
}

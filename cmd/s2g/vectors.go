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

const vectorsHelp = `Cleans, cuts and embeds the questions of each language and writes vectors/LANGUAGE/part-00000.parquet and so on,
from the tables of an earlier ingest. Options that are not given are those of the build that is there.

Several processes can share the work, on machines that see one OUT and one MariaDB (--dsn): each is given its --rank and
the --world, how many there are, and makes every Nth unit. When all have ended, --merge with the same options enters
what they made into the build; it refuses what is missing or was made otherwise. A rank is taken from the environment
of a Kubernetes Indexed Job (JOB_COMPLETION_INDEX with S2G_WORLD) and of a Slurm array (SLURM_ARRAY_TASK_ID, _COUNT), too.`

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
		case !shared || plans: // a plan is of all ranks
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

// sharing is how a vectors command shares the stage with others.
type sharing struct {
	rank, world int
	merge       bool
}

func (s *sharing) flags(f *pflag.FlagSet) {
	f.IntVar(&s.rank, "rank", 0, "which part of the units to make, from 0 to world-1")
	f.IntVar(&s.world, "world", 0, "how many ranks share the work (default: no other)")
	f.BoolVar(&s.merge, "merge", false, "enter into the build what ranks have made")
}

// complete takes the rank from a scheduler's environment where no flag gives it, and
// says whether this process is one of several.
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

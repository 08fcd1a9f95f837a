package main

import (
	"errors"
	"os"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/tables"
	"s2g/vectors"
)

const vectorsHelp = `Cleans, cuts and embeds the questions of each language and writes vectors/LANGUAGE/part-00000.parquet and so on,
from the tables of an earlier ingest. Options that are not given are those of the build that is there.

Several processes can share the work, on machines that see one OUT and one MariaDB (--dsn): each is given its --rank and
the --world, how many there are, and makes every Nth unit. When all have ended, --merge with the same options enters
what they made into the build; it refuses what is missing or was made otherwise. A rank is taken from the environment
of a Kubernetes Indexed Job (JOB_COMPLETION_INDEX with S2G_WORLD) and of a Slurm array (SLURM_ARRAY_TASK_ID, _COUNT), too.`

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

// vectorsRank makes the units of one rank. It holds the lock of OUT together with
// the other ranks, and does not touch the manifest. The disk must have what all ranks
// have still to write: it is one for all, and which of them are at work nobody knows.
func (a *app) vectorsRank(cmd *cobra.Command, o *options, r vectors.Ranks) error {
	m, err := manifest.Read(o.out)
	if err != nil {
		return err
	}
	if err := a.resolve(cmd, o, m, true); err != nil {
		return err
	}
	plan, _, err := o.plan(cmd.Context(), m, []string{manifest.Vectors})
	if err != nil {
		return err
	}
	if err := plan.Err(); err != nil {
		return err
	}
	return a.withTables(cmd.Context(), o, m, func(db *tables.DB) (err error) {
		opts, key, err := o.vectorsOptions(m, m.Stages[manifest.Ingest].Key)
		if err != nil {
			return err
		}
		if m.Fresh(manifest.Vectors, key) {
			a.log.Info("vectors are up to date")
			return nil
		}
		share, err := manifest.OpenShare(o.out, manifest.Vectors, key)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, share.Close()) }()
		shown := a.progress(manifest.Vectors, inRows)
		opts.Log, opts.Progress, opts.Remote = a.log, shown.report, a.remote()
		done, err := vectors.RunRank(cmd.Context(), share, db, opts, r)
		shown.end()
		if err == nil {
			a.log.Info("rank is done", "rank", r.Rank, "world", r.World, "points", done.Rows)
		}
		return err
	})
}

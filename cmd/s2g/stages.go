package main

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"s2g/cmd/s2g/internal/build"
)

func (a *app) ingest() *cobra.Command {
	return a.stageCommand(&options{}, "ingest --dump PATH --out DIR", "dump to MariaDB tables",
		`Reads Posts, PostLinks, Comments, Votes and Tags of a dump into MariaDB. The tables that are in service stay
so until the new ones are complete. Bad rows are counted by class and listed in rejects.jsonl.`,
		(*options).ingestFlags,
		(*options).needOut, (*build.Build).Ingest)
}

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

package main

import (
	"io"

	"github.com/spf13/cobra"

	"s2g/cmd/s2g/internal/commandline"
	"s2g/cmd/s2g/internal/stats"
	"s2g/schema/tables"
)

const statsHelp = `Prints the statistics of the paper's Table 1 and section 4 for a build: questions, answers, acceptance, answers
and comments a question, by language and as a distribution; nodes by class and edges by predicate, summed over
the graphs and distinct. The statements of --materialize are a separate group of edges; of the other figures only the
quads include them. For a build of all of Stack Overflow the table has the paper's figures beside the build's.`

func (a *app) stats() *cobra.Command {
	o := &options{}
	var form string
	cmd := &cobra.Command{
		Use:   "stats --out DIR",
		Short: "statistics of the graph, by language, class and predicate",
		Long:  statsHelp,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.printStats(cmd, o, form)
		},
	}
	o.outFlag(cmd.Flags())
	o.databaseFlags(cmd.Flags())
	formFlag(cmd.Flags(), &form)
	return cmd
}

// printStats computes and prints the statistics.
func (a *app) printStats(cmd *cobra.Command, o *options, form string) error {
	ctx := cmd.Context()
	m, err := a.readBuild(cmd, o)
	if err != nil {
		return err
	}
	if err := commandline.CheckOneOf("as", form, forms); err != nil {
		return err
	}
	site, err := m.BuildSite()
	if err != nil {
		return err
	}
	return o.WithTables(ctx, m, func(db *tables.DB) error {
		s, err := stats.Compute(ctx, db, stats.Options{Site: site, Languages: o.Shape.Table(), Other: o.Shape.Other, Materialize: o.Shape.Materialize})
		if err != nil {
			return err
		}
		return a.printAs(form, s, func(w io.Writer) error { return s.WriteTable(w, stats.ComparesWithPaper(site, m)) })
	})
}

package main

import (
	"io"

	"github.com/spf13/cobra"

	"s2g/cmd/s2g/internal/build"
	"s2g/cmd/s2g/internal/commandline"
	"s2g/cmd/s2g/internal/stats"
	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/tables"
	"s2g/schema/vocab"
)

const statsHelp = `Prints the statistics of the paper's Table 1 and section 4 for a build: questions, answers, acceptance, answers
and comments a question, by language and as a distribution; nodes by class and edges by predicate, summed over
the graphs and distinct. The statements of --materialize are a separate group of edges; of the other figures only the
quads include them. For a build of all of Stack Overflow the table has the paper's figures beside the build's.
The figures are those of graph/void.ttl, and need no tables. A build without a graph is counted in its tables.`

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
	s, _, err := counted(o.Out, m, site)
	if err == nil && s == nil {
		err = o.WithTables(ctx, m, func(db *tables.DB) (err error) {
			a.log.Info("stats counts the rows of the tables, because there is no graph of them")
			shown := a.progress("stats")
			defer shown.End()
			s, _, err = stats.Compute(ctx, db, statsOptions(m, site))
			return err
		})
	}
	if err != nil {
		return err
	}
	return a.printAs(form, s, func(w io.Writer) error { return s.WriteTable(w, stats.ComparesWithPaper(site, m)) })
}

func statsOptions(m *manifest.Manifest, site vocab.Site) stats.Options {
	o := m.Options
	return stats.Options{Site: site, Languages: o.Table(), Other: o.Other, Materialize: o.Materialize}
}

// counted returns the statistics and the figures of the graph in a folder, which the graph stage has counted. They are nil
// where the build has no graph, or one of other tables or options than its own; the figures also where the
// manifest has none, as one of an earlier version.
func counted(out string, m *manifest.Manifest, site vocab.Site) (*stats.Stats, *schema.Figures, error) {
	done := m.Stages[manifest.Graph]
	if done == nil {
		return nil, nil, nil
	}
	if keys, err := build.Keys(m); err != nil || keys[manifest.Graph] != done.Key {
		return nil, nil, err
	}
	s, err := stats.Read(out, done, statsOptions(m, site))
	if err != nil || done.Figures == nil || !done.Figures.Fits(m.Options.Graphs()) {
		return s, nil, err
	}
	return s, done.Figures, nil
}

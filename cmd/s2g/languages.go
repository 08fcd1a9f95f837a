package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"s2g/schema/manifest"
	"s2g/schema/vocab"
)

const languagesHelp = `Prints the language table in force: that of --languages, else that of the build in --out, else the 39
languages of the paper. Each language has a named graph and a folder of vectors. Without --out and --site, the names of
graphs begin with SITE. With --whole-site a graph holds all questions; --language * names it. With --other the last graph
holds the questions without a selected language.`

func (a *app) languages() *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:   "languages",
		Short: "the language table in force",
		Long:  languagesHelp,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			m := &manifest.Manifest{}
			if o.Out != "" {
				var err error
				if m, err = manifest.Read(o.Out); err != nil {
					return err
				}
			}
			if err := a.resolve(cmd, o, m); err != nil {
				return err
			}
			site := vocab.Site("SITE") // of no build in particular
			if o.Out != "" || o.Shape.Site != "" {
				var err error
				if site, err = o.Shape.BuildSite(m.Dump); err != nil {
					return err
				}
			}
			return a.printLanguages(namedGraphs(o.Shape, site))
		},
	}
	o.outFlag(cmd.Flags())
	o.languageFlags(cmd.Flags())
	return cmd
}

// namedGraph is a graph of a build, and the folder of its vectors.
type namedGraph struct {
	Graph string `json:"graph"`
	Name  string `json:"name"`
	Slug  string `json:"slug"`
	Tag   string `json:"tag"` // empty: the remainder; *: the whole site
}

// namedGraphs returns the graphs of the languages and, with --other, of the remainder.
func namedGraphs(shape manifest.Options, site vocab.Site) (graphs []namedGraph) {
	for _, l := range shape.Graphs() {
		graphs = append(graphs, namedGraph{Graph: site.Graph(l.Tag), Name: l.Name, Slug: l.Slug, Tag: l.Tag})
	}
	return graphs
}

func (a *app) printLanguages(graphs []namedGraph) error {
	if a.json {
		return printJSON(a, graphs...)
	}
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "tag\tslug\tname\tgraph")
	for _, g := range graphs {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", g.Tag, g.Slug, g.Name, g.Graph)
	}
	return w.Flush()
}

package main

import (
	"encoding/json"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/vocab"
)

const languagesHelp = `Prints the language table in force: that of --languages, else that of the build in --out, else the 39
languages of the paper. Each has a named graph and a folder of vectors.`

func (a *app) languages() *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:   "languages",
		Short: "the language table in force",
		Long:  languagesHelp,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			m := &manifest.Manifest{}
			if o.out != "" {
				var err error
				if m, err = manifest.Read(o.out); err != nil {
					return err
				}
			}
			if err := a.resolve(cmd, o, m, true); err != nil {
				return err
			}
			site, err := o.site(m)
			if err != nil {
				return err
			}
			return a.printLanguages(o.shape.Languages, site)
		},
	}
	o.outFlag(cmd.Flags())
	o.languageFlags(cmd.Flags())
	return cmd
}

func (a *app) printLanguages(table []schema.Language, site vocab.Site) error {
	if a.json {
		lines := json.NewEncoder(a.stdout)
		for _, l := range table {
			if err := lines.Encode(map[string]string{"tag": l.Tag, "slug": l.Slug, "name": l.Name, "graph": site.Graph(l.Tag)}); err != nil {
				return err
			}
		}
		return nil
	}
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "tag\tslug\tname\tgraph")
	for _, l := range table {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", l.Tag, l.Slug, l.Name, site.Graph(l.Tag))
	}
	return w.Flush()
}

package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flagGroups are the flags of build in the order of its help. Flags in none of them end it.
var flagGroups = []struct {
	title string
	flags []string
}{
	{"Most builds need", []string{"dump", "out", "site", "languages", "whole-site", "units", "dense", "stages", "dry-run", "replace", "graphdb", "qdrant"}},
	{"Dump", []string{"dump-site", "without", "rehash", "strict", "max-rejects"}},
	{"Graph", []string{"other", "graph-format", "compress", "materialize"}},
	{"Vectors", []string{"sparse", "window", "overlap", "links", "text-language", "reuse"}},
	{"Machine", []string{"workers", "db-memory", "dsn", "in-place"}},
}

// groupFlags makes the help of a command list its flags in groups.
func groupFlags(cmd *cobra.Command) {
	cmd.SetUsageFunc(func(cmd *cobra.Command) error {
		var text strings.Builder
		fmt.Fprintf(&text, "Usage:\n  %s\n", cmd.UseLine())
		var grouped []string
		for _, g := range flagGroups {
			grouped = append(grouped, g.flags...)
			flags := pflag.NewFlagSet(g.title, pflag.ContinueOnError)
			flags.SortFlags = false
			for _, name := range g.flags {
				if f := cmd.LocalFlags().Lookup(name); f != nil {
					flags.AddFlag(f)
				}
			}
			fmt.Fprintf(&text, "\n%s:\n%s", g.title, flags.FlagUsages())
		}
		all := pflag.NewFlagSet("", pflag.ContinueOnError)
		all.AddFlagSet(cmd.InheritedFlags())
		rest := pflag.NewFlagSet("", pflag.ContinueOnError)
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Name == "help" {
				all.AddFlag(f)
			} else if !slices.Contains(grouped, f.Name) {
				rest.AddFlag(f)
			}
		})
		fmt.Fprintf(&text, "\nServers to load into:\n%s\nAll commands:\n%s", rest.FlagUsages(), all.FlagUsages())
		_, err := fmt.Fprint(cmd.OutOrStdout(), text.String())
		return err
	})
}

package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"s2g/cmd/s2g/internal/build"
	"s2g/graph/graphdb"
	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/vectors/embed"
	"s2g/vectors/qdrant"
)

// completions registers the completion of flags and arguments in shells (see s2g completion), whose default is file names.
func completions(cmd *cobra.Command) {
	for _, c := range cmd.Commands() {
		completions(c)
	}
	switch {
	case cmd.ValidArgsFunction != nil, len(cmd.ValidArgs) > 0, cmd.HasSubCommands():
	case cmd.Name() == "diff", cmd.Name() == "man":
		cmd.ValidArgsFunction = folders
	default:
		cmd.ValidArgsFunction = cobra.NoFileCompletions
	}
	visit := func(f *pflag.Flag) {
		if complete := completion(cmd, f); complete != nil {
			_ = cmd.RegisterFlagCompletionFunc(f.Name, complete) // an error is a flag that has one already
		}
	}
	cmd.Flags().VisitAll(visit)
	cmd.PersistentFlags().VisitAll(visit)
}

// completion returns the completion of a flag; nil for flags that name a file or take no value.
func completion(cmd *cobra.Command, f *pflag.Flag) cobra.CompletionFunc {
	if values := build.Choices[f.Name]; values != nil {
		return cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)
	}
	switch f.Name {
	case "out", "reuse", "import-dir", "offline":
		return folders
	case "dump", "config", "metrics", "repository-config":
		return nil
	case "languages", "language":
		return languageTags
	case "without":
		return listed(func() []string { return build.OptionalTables })
	case "stages":
		return listed(func() []string { return build.Stages })
	case "format":
		return cobra.FixedCompletions(searchFormats, cobra.ShellCompDirectiveNoFileComp)
	case "as":
		return cobra.FixedCompletions(forms, cobra.ShellCompDirectiveNoFileComp)
	case "tags":
		return cobra.FixedCompletions(spellings, cobra.ShellCompDirectiveNoFileComp)
	case "list":
		return cobra.FixedCompletions(lists, cobra.ShellCompDirectiveNoFileComp)
	case "quantization":
		return cobra.FixedCompletions(qdrant.Quantizations(), cobra.ShellCompDirectiveNoFileComp)
	case "server":
		return cobra.FixedCompletions([]string{graphdb.ServerAuto, graphdb.ServerGraphDB, graphdb.ServerRDF4J}, cobra.ShellCompDirectiveNoFileComp)
	case "ruleset":
		return cobra.FixedCompletions(graphdb.Rulesets, cobra.ShellCompDirectiveNoFileComp)
	case "text-language":
		return cobra.FixedCompletions(embed.LanguageNames(), cobra.ShellCompDirectiveNoFileComp)
	case "dense":
		return cobra.FixedCompletions([]string{"builtin", "openai+http://"}, cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveNoSpace)
	case "sparse":
		return cobra.FixedCompletions([]string{"bm25", "bgem3+http://"}, cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveNoSpace)
	}
	if f.NoOptDefVal != "" || strings.HasSuffix(f.Name, "-file") { // a switch, or a file
		return nil
	}
	return cobra.NoFileCompletions
}

func folders(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// listed completes the last of several values, which commas separate.
func listed(values func() []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		before, given := "", []string(nil)
		if i := strings.LastIndexByte(typed, ','); i >= 0 {
			before, given = typed[:i+1], strings.Split(typed[:i], ",")
		}
		var list []string
		for _, v := range values() {
			if !slices.Contains(given, v) && strings.HasPrefix(v, typed[len(before):]) {
				list = append(list, before+v)
			}
		}
		return list, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
}

// languageTags completes the tags of the build in --out, else of the paper's table. After an @ it completes files.
func languageTags(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if strings.HasPrefix(typed, "@") {
		return nil, cobra.ShellCompDirectiveDefault
	}
	table := schema.DefaultLanguages()
	if out := cmd.Flags().Lookup("out"); out != nil && manifest.Exists(out.Value.String()) {
		if m, err := manifest.Read(out.Value.String()); err == nil {
			table = m.Options.Table()
		}
	}
	return listed(func() (tags []string) {
		for _, l := range table {
			tags = append(tags, l.Tag)
		}
		return tags
	})(cmd, args, typed)
}

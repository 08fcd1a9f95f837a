package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"s2g/cmd/s2g/internal/commandline"
	"s2g/cmd/s2g/internal/diff"
)

const diffHelp = `Compares two builds by language: questions and answers that were added, removed, have another text (title, body or
tags) or differ in another property (score, dates, accepted …); the properties that differ; and texts (chunks) that were
added, removed or changed. "embed" counts the texts that a post did not have before: those that vectors --reuse OLD
embeds, where the models are the same. A post counts in each of its languages, and once in the last line.

It reads the files of the two folders, not their tables: posts from graph/, texts from vectors/. A copy without .s2g is
enough. The exit code is 0 even if the builds differ.

    s2g diff march june
    s2g diff march june --list changed | grep hasBody`

// lists are the values of --list.
var lists = []string{"added", "changed", "removed"}

func (a *app) diff() *cobra.Command {
	var form, list string
	cmd := &cobra.Command{
		Use:   "diff OLD NEW",
		Short: "changes between two builds, by language",
		Long:  diffHelp,
		Args:  cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, out := range args {
				if err := a.hold(cmd, out); err != nil {
					return err
				}
			}
			if list != "" {
				return a.listDiff(cmd.Context(), args[0], args[1], list)
			}
			return a.printDiff(cmd.Context(), args[0], args[1], form)
		},
	}
	formFlag(cmd.Flags(), &form)
	cmd.Flags().StringVar(&list, "list", "", "print the posts that were `added, changed or removed`: id, type, languages, changed properties")
	return cmd
}

func (a *app) printDiff(ctx context.Context, was, now, form string) error {
	if err := commandline.CheckOneOf("as", form, forms); err != nil {
		return err
	}
	shown := a.progress("diff")
	r, err := diff.Compare(ctx, was, now, diff.Options{Progress: shown.Report})
	shown.End()
	if err != nil {
		return err
	}
	return a.printAs(form, r, r.WriteTable)
}

// listDiff prints the posts of one list in the order in which they are found, a line each.
func (a *app) listDiff(ctx context.Context, was, now, what string) error {
	if err := commandline.CheckOneOf("list", what, lists); err != nil {
		return err
	}
	r, err := diff.Compare(ctx, was, now, diff.Options{PostsOnly: true, Each: func(p diff.Post) error {
		switch {
		case p.What != what:
			return nil
		case a.json:
			return printJSON(a, p)
		}
		a.printf("%d\t%s\t%s\t%s\n", p.ID, p.Type, strings.Join(p.Languages, ","), strings.Join(p.Changed, ","))
		return nil
	}})
	if err != nil {
		return err
	}
	for _, n := range r.Notes {
		a.log.Warn(n)
	}
	return nil
}

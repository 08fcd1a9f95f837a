package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/vectors"
)

const searchHelp = `Finds questions of a language by their words and by their meaning: BM25 and dense vectors over the shards of a
build, the scores fused, the best chunk of each question shown.

    s2g search --out build --language python "how do I merge two dicts"`

func (a *app) search() *cobra.Command {
	o := &options{}
	var language string
	var top int
	cmd := &cobra.Command{
		Use:   "search --out DIR --language TAG QUERY",
		Short: "hybrid search over the shards of a build",
		Long:  searchHelp,
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.needOut(); err != nil {
				return err
			}
			m, err := manifest.Read(o.out)
			if err != nil {
				return err
			}
			l, err := chooseLanguage(m, language)
			if err != nil {
				return err
			}
			hits, err := vectors.Search(cmd.Context(), o.out, vectors.SearchOptions{Slug: l.Slug, Query: strings.Join(args, " "), Top: top})
			if err != nil {
				return err
			}
			return a.printHits(hits)
		},
	}
	o.outFlag(cmd.Flags())
	cmd.Flags().StringVar(&language, "language", "", "`tag` or slug of the language")
	cmd.Flags().IntVar(&top, "top", 5, "how many questions to show")
	return cmd
}

// chooseLanguage finds a language of the build by its tag or slug.
func chooseLanguage(m *manifest.Manifest, name string) (schema.Language, error) {
	if m.Options.Other && name == schema.OtherSlug {
		return schema.Language{Slug: schema.OtherSlug}, nil
	}
	for _, l := range m.Options.Languages {
		if name == l.Tag || name == l.Slug {
			return l, nil
		}
	}
	if name == "" {
		return schema.Language{}, schema.Faultf(schema.FaultUsage, "give --language TAG, as --language python", "no language to search in")
	}
	return schema.Language{}, schema.Faultf(schema.FaultUsage, "see s2g languages --out", "this build has no language %q", name)
}

func (a *app) printHits(hits []vectors.Hit) error {
	if a.json {
		lines := json.NewEncoder(a.stdout)
		for _, h := range hits {
			if err := lines.Encode(h); err != nil {
				return err
			}
		}
		return nil
	}
	if len(hits) == 0 {
		fmt.Fprintln(a.stderr, "nothing found")
	}
	for i, h := range hits {
		a.printf("%d. %s\n   %s\n   score %.2f, votes %d, tags %s", i+1, h.Title, h.IRI, h.Score, h.Votes, strings.Join(h.Tags, " "))
		if h.AcceptedAnswerID != 0 {
			a.printf(", accepted answer %d", h.AcceptedAnswerID)
		}
		a.printf("\n%s\n\n", indent(h.Snippet))
	}
	return nil
}

// indent sets a snippet off from the lines about it.
func indent(text string) string {
	return "     " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n     ")
}

package main

import (
	"github.com/spf13/cobra"

	"s2g/cmd/s2g/internal/build"
	"s2g/cmd/s2g/internal/summary"
	"s2g/schema/manifest"
)

const publishHelp = `Writes the documents that accompany a published build: README.md (also a Hugging Face dataset card), croissant.json
(MLCommons Croissant 1.0), LICENSE, ATTRIBUTION.md and SHA256SUMS. Each stage that changes files also writes them; this
command restores documents that were changed or removed since, or that an older s2g did not write.

    s2g publish --out build && (cd build && sha256sum -c --quiet SHA256SUMS)`

func (a *app) publish() *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:   "publish --out DIR",
		Short: "the documents of a build: dataset card, Croissant, licence, checksums",
		Long:  publishHelp,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.inBuild(cmd, o, func(b *build.Build) error {
				if err := b.Publish(); err != nil {
					return err
				}
				return a.printPublished(b.Dir.Manifest().Published)
			})
		},
	}
	o.outFlag(cmd.Flags())
	return cmd
}

func (a *app) printPublished(files []manifest.File) error {
	if a.json {
		return printJSON(a, map[string]any{"published": files})
	}
	if a.quiet {
		return nil
	}
	if len(files) == 0 {
		a.printf("the build has no graph and no vectors yet\n")
	}
	for _, f := range files {
		a.printf("%s\t%s\n", summary.Size(f.Size), f.Name)
	}
	return nil
}

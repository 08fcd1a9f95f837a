package main

import (
	"encoding/json"

	"github.com/spf13/cobra"

	"s2g/cmd/s2g/internal/publish"
)

const publishHelp = `Writes the documents that go with a build to those it is given to: README.md (also a Hugging Face dataset card),
croissant.json (MLCommons Croissant 1.0), LICENSE, ATTRIBUTION.md and SHA256SUMS. Each stage that changes files does
so by itself; this command puts documents right that were changed or removed since, or that an older s2g did not write.

    s2g publish --out build && (cd build && sha256sum -c --quiet SHA256SUMS)`

func (a *app) publish() *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:   "publish --out DIR",
		Short: "the documents of a build: dataset card, Croissant, licence, checksums",
		Long:  publishHelp,
		Args:  cobra.NoArgs,
		RunE: func(_ *cobra.Command, _ []string) error {
			if err := o.needBuild(); err != nil {
				return err
			}
			return a.inOut(o, func(p *pipeline) error {
				if err := p.publish(); err != nil {
					return err
				}
				return a.printPublished(p)
			})
		},
	}
	o.outFlag(cmd.Flags())
	return cmd
}

// publish writes the documents of the build as it is now.
func (p *pipeline) publish() error {
	documents, err := publish.Documents(p.dir.Manifest())
	if err != nil || len(documents) == 0 {
		return err
	}
	if err := p.dir.CheckOverwrite(publish.Names()...); err != nil {
		return err
	}
	changed, err := p.dir.Publish(documents)
	if changed {
		p.app.log.Info("wrote README.md, croissant.json, LICENSE, ATTRIBUTION.md and SHA256SUMS")
	}
	return err
}

func (a *app) printPublished(p *pipeline) error {
	files := p.dir.Manifest().Published
	if a.json {
		return json.NewEncoder(a.stdout).Encode(map[string]any{"published": files})
	}
	if a.quiet {
		return nil
	}
	if len(files) == 0 {
		a.printf("there is neither a graph nor vectors to publish yet\n")
	}
	for _, f := range files {
		a.printf("%s\t%s\n", size(f.Size), f.Name)
	}
	return nil
}

package main

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"s2g/cmd/s2g/internal/terminal"
	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/remote"
	"s2g/schema/tables"
	"s2g/vectors"
	"s2g/vectors/embed"
	"s2g/vectors/text"
)

const cleanHelp = `Shows the text of a question or an answer as it is embedded: the parts that cleaning drops, each with its rule, and the
chunks with their tokens. It reads the tables and cleans by the rules of this version of s2g; docs/vectors.md has them.

    s2g clean --out build 11227809`

func (a *app) clean() *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:   "clean --out DIR POST_ID",
		Short: "the text of a post as it is embedded, and what was dropped",
		Long:  cleanHelp,
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := strconv.ParseInt(args[0], 10, 64)
			if err != nil {
				return schema.Faultf(schema.FaultUsage, "give the number of a post, as 11227809", "%q is no post id", args[0])
			}
			return a.printCleaned(cmd, o, id)
		},
	}
	o.outFlag(cmd.Flags())
	o.databaseFlags(cmd.Flags())
	denseEndpointFlag(cmd.Flags(), &o.Shape.Dense)
	retryFlag(cmd.Flags(), new(time.Duration), waitedRetry)
	return cmd
}

func (a *app) printCleaned(cmd *cobra.Command, o *options, id int64) error {
	m, err := a.readBuild(cmd, o)
	if err != nil {
		return err
	}
	windows, err := a.windows(cmd.Context(), o, m)
	if err != nil {
		return err
	}
	return o.WithTables(cmd.Context(), m, func(db *tables.DB) error {
		c, err := vectors.Clean(cmd.Context(), db, id, vectors.CleanOptions{
			Languages: o.Shape.Table(), Links: o.Shape.Links, Windows: windows,
		})
		if err != nil {
			return err
		}
		if a.json {
			return printJSON(a, c)
		}
		a.printChunks(c, windows.Size)
		return nil
	})
}

// windows returns the windows of the build. If the build's endpoint has cut the texts, they use that endpoint.
func (a *app) windows(ctx context.Context, o *options, m *manifest.Manifest) (vectors.Windows, error) {
	if !vectors.CutByEndpoint(m) {
		return vectors.WindowsOf(m, nil)
	}
	dense, err := embed.OpenDense(ctx, o.Shape.Dense, o.Remote)
	if err != nil {
		return vectors.Windows{}, err
	}
	return vectors.WindowsOf(m, dense)
}

// printChunks prints a cleaned post for people.
func (a *app) printChunks(c *vectors.Cleaned, window int) {
	a.printf("%s %d: %s\n", c.Type, c.PostID, terminal.PrintableLine(c.Title))
	for _, d := range c.Drops {
		a.printf("\ndropped by %s (%s):\n%s\n", d.Rule, text.NoiseRuleMeaning(d.Rule), indent(remote.Printable(d.Text)))
	}
	if len(c.Drops) == 0 {
		a.printf("\nnothing was dropped\n")
	}
	for i, chunk := range c.Chunks {
		a.printf("\nchunk %d of %d, code points %d to %d of the text, %d of %d tokens:\n%s\n",
			i+1, len(c.Chunks), chunk.Start, chunk.End, chunk.Tokens, window, indent(remote.Printable(chunk.Text)))
	}
}

// indent indents each line of a text.
func indent(text string) string {
	return "     " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n     ")
}

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"s2g/cmd/s2g/internal/commandline"
	"s2g/ingest/sample"
	"s2g/schema"
)

const sampleHelp = `Writes a synthetic dump in the shape of a real one, to try things and to benchmark: Posts, Comments, Votes,
PostLinks and Tags with the paper's languages, threads, duplicates, tag wikis and code. The same seed gives
the same bytes on any machine. It holds no text of real users. It does not replace a dump in the folder
(exit 2) without --force.

    s2g sample --posts 20000 --out dump && s2g build --dump dump --out build`

func (a *app) sample() *cobra.Command {
	var o sample.Options
	var force bool
	cmd := &cobra.Command{
		Use:   "sample --posts N --seed S --out DIR",
		Short: "a synthetic dump, to try things and to benchmark",
		Long:  sampleHelp,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.Out == "" {
				return schema.Faultf(schema.FaultUsage, "give --out DIR", "no folder to write the dump to")
			}
			if o.Posts < 1 {
				return schema.Faultf(schema.FaultUsage, "give 1 or more", "--posts %d", o.Posts)
			}
			if o.Grow != 0 && o.Grow < o.Posts {
				return schema.Faultf(schema.FaultUsage, "--grow is the final number of posts of the site", "--posts %d is more than --grow %d", o.Posts, o.Grow)
			}
			if fileExists(filepath.Join(o.Out, "manifest.json")) {
				return schema.Faultf(schema.FaultUsage, "give another --out", "%s holds a build: a dump in it would be a foreign file", o.Out)
			}
			if err := checkSample(o); err != nil {
				return err
			}
			if err := clearFolder(o, force); err != nil {
				return err
			}
			return a.writeSample(cmd, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Out, "out", "", "the `folder` to write the dump into")
	f.IntVar(&o.Posts, "posts", sample.DefaultPosts, "`number` of posts")
	f.IntVar(&o.Grow, "grow", 0, "final `number` of posts of the site: with the same --grow and --seed, more --posts are a later dump of it")
	f.Uint64Var(&o.Seed, "seed", 1, "another seed gives other posts")
	f.StringVar(&o.Tags, "tags", "angle", "spelling of Posts.Tags: angle (<a><b>, until 2024) or pipe (|a|b|)")
	f.BoolVar(&o.Shuffle, "shuffle", false, "posts out of Id order, as in dumps since 2024")
	f.BoolVar(&o.Licence, "license", false, "write ContentLicense attributes, as dumps since 2019 have them")
	f.StringVar(&o.Compress, "compress", "", "gzip writes .xml.gz files")
	f.BoolVar(&force, "force", false, "replace the dump that is in the folder")
	return cmd
}

// spellings are the values of --tags.
var spellings = []string{sample.TagsAngle, sample.TagsPipe}

// checkSample returns a usage fault for an unknown value of a flag, and for a folder that holds a dump in the other form,
// because a build could not tell the two apart.
func checkSample(o sample.Options) error {
	if err := commandline.CheckOneOf("tags", o.Tags, spellings); err != nil {
		return err
	}
	other := ".xml.gz"
	switch o.Compress {
	case "":
	case sample.CompressGzip:
		other = ".xml"
	default:
		return schema.Faultf(schema.FaultUsage, "it takes gzip, or is left out", "--compress has the value %q", o.Compress)
	}
	if path := filepath.Join(o.Out, "Posts"+other); fileExists(path) {
		return schema.Faultf(schema.FaultUsage, "give another --out, or remove the files *"+other+" there", "%s holds a dump in another form: Posts%s", o.Out, other)
	}
	return nil
}

// clearFolder returns a usage fault if the folder holds a dump, which may be a real one. With force it removes the files
// of that dump, so that an interrupted run leaves no mixture of two dumps.
func clearFolder(o sample.Options, force bool) error {
	files := sample.Files(o)
	if force {
		files = append(files, filepath.Join(o.Out, schema.DumpSiteFile)) // the last one that Write writes
	}
	for _, path := range files {
		switch {
		case force:
			if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("removing the dump before: %w", err)
			}
		case fileExists(path):
			return schema.Faultf(schema.FaultUsage, "give another --out, or --force to replace it", "%s holds a dump: %s", o.Out, filepath.Base(path))
		}
	}
	return nil
}

func fileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// writeSample writes the dump and prints its counts.
func (a *app) writeSample(cmd *cobra.Command, o sample.Options) error {
	shown := a.progress("sample")
	o.Progress = shown.Report
	started := time.Now()
	s, err := sample.Write(cmd.Context(), o)
	shown.End()
	if err != nil {
		return err
	}
	if a.json {
		return printJSON(a, map[string]any{
			"posts": s.Posts, "comments": s.Comments, "votes": s.Votes, "links": s.PostLinks, "tags": s.Tags, "bytes": s.Bytes, "seconds": time.Since(started).Seconds(),
		})
	}
	if !a.quiet {
		a.printf("%s: %s posts, %s comments, %s votes, %s links, %s tags, %s in %.1f s\n", o.Out, humanize.Comma(s.Posts), humanize.Comma(s.Comments),
			humanize.Comma(s.Votes), humanize.Comma(s.PostLinks), humanize.Comma(s.Tags), humanize.IBytes(uint64(s.Bytes)), time.Since(started).Seconds())
	}
	return nil
}

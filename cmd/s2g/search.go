package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"s2g/cmd/s2g/internal/build"
	"s2g/cmd/s2g/internal/commandline"
	"s2g/cmd/s2g/internal/destination"
	"s2g/cmd/s2g/internal/searchpage"
	"s2g/cmd/s2g/internal/terminal"
	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/tables"
	"s2g/vectors/qdrant"
	"s2g/vectors/search"
)

const searchHelp = `Finds questions by their words (BM25) and by their meaning (dense vectors) in the shards of a build: those of a
language, or, without --language, of the whole build, where a post of two languages is one result. It fuses the two
scores and shows the best chunk of each question, and its answers, the accepted one first. --hops 1 adds the neighbours
over DuplicateOf and LinkedTo, in both directions, under the result that leads to them. --tag, --min-score, --since,
--has-code and --accepted leave out the other questions and neighbours.

"No good match" above the results is a hint: they match the query less than known questions match their titles; s2g eval
fits the threshold. With --json each line is a whole thread: the question's text, and its answers if the build has its
tables (else the accepted one alone). --qdrant searches the collections in that server instead; the neighbours still
come from the shards in --out.

    s2g search --out build "how do I merge two dicts"
    s2g search --out build --language python --tag pandas --since 2020 --accepted "merge two tables"
    s2g search --out build --language python --hops 1 --accepted --json "how do I merge two dicts"`

// searchCommand is the command's options.
type searchCommand struct {
	options
	query     search.Options
	server    destination.Qdrant
	languages []string
	minScore  int32
	since     string
	answers   int
	format    string
}

// searchFormats are the values of --format.
var searchFormats = []string{"text", "md", "html", "json"}

func (a *app) search() *cobra.Command {
	s := &searchCommand{}
	cmd := &cobra.Command{
		Use:   "search --out DIR QUERY",
		Short: "hybrid search over the shards of a build",
		Long:  searchHelp,
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s.query.Query = strings.Join(args, " ")
			return a.runSearch(cmd, s)
		},
	}
	f := cmd.Flags()
	s.outFlag(f)
	s.databaseFlags(f)
	f.StringSliceVar(&s.languages, "language", nil, "`tags` or slugs of languages, with commas (default all of the build)")
	f.IntVar(&s.query.Top, "top", 5, "number of questions to show, without their neighbours")
	f.IntVar(&s.query.Hops, "hops", 0, "1: also show the neighbours over DuplicateOf and LinkedTo")
	f.StringSliceVar(&s.query.Filter.Tags, "tag", nil, "show only questions with all of these `tags`")
	f.Int32Var(&s.minScore, "min-score", 0, "show only questions with at least this score on the site")
	f.StringVar(&s.since, "since", "", "show only questions of this `date` (UTC) or later: 2023, 2023-05 or 2023-05-31")
	f.BoolVar(&s.query.Filter.HasCode, "has-code", false, "show only posts with a block of code")
	f.BoolVar(&s.query.Filter.Accepted, "accepted", false, "show only questions with an accepted answer; with --hops fetches four times as many candidates")
	f.IntVar(&s.answers, "answers", 3, "number of answers to show under a question; 0 reads no tables (text, md and html)")
	f.StringVar(&s.format, "format", searchFormats[0], "`form` of the output: text, md, html or json, as --json")
	denseEndpointFlag(f, &s.query.Dense)
	sparseEndpointFlag(f, &s.query.Sparse)
	qdrantFlags(f, &s.server, "qdrant")
	collectionFlag(f, &s.server)
	retryFlag(f, &s.server.RetryFor, waitedRetry)
	return cmd
}

func (a *app) runSearch(cmd *cobra.Command, s *searchCommand) (err error) {
	if err := s.check(cmd); err != nil {
		return err
	}
	ctx := cmd.Context()
	m, err := a.readBuild(cmd, &s.options)
	if err != nil {
		return err
	}
	for _, name := range s.languages {
		l, err := build.Language(m, name)
		if err != nil {
			return err
		}
		if !slices.Contains(s.query.Slugs, l.Slug) {
			s.query.Slugs = append(s.query.Slugs, l.Slug)
		}
	}
	s.query.Remote = s.Remote
	if s.server.URL != "" {
		server, err := s.server.Connect(ctx, a.environment())
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, server.Close()) }()
		if err := s.searchServer(ctx, m, server); err != nil {
			return err
		}
	}
	found, err := search.Search(ctx, s.Out, s.query)
	if err != nil {
		return err
	}
	if a.json || s.format == "json" {
		if err := a.addThreads(ctx, &s.options, m, found.Hits); err != nil {
			return err
		}
		return printJSON(a, found.Hits...)
	}
	if s.answers > 0 && len(found.Hits) > 0 {
		if err := a.addThreads(ctx, &s.options, m, found.Hits); err != nil {
			return err
		}
	}
	p := searchpage.New(found, s.query.Query, s.answers)
	if len(p.Results) == 0 {
		fmt.Fprintln(a.stderr, "nothing found")
	}
	switch s.format {
	case "md":
		return p.WriteMarkdown(a.stdout)
	case "html":
		return p.WriteHTML(a.stdout)
	}
	return p.WriteText(a.stdout, a.marksTerms())
}

// marksTerms reports whether results are printed with marks.
func (a *app) marksTerms() bool {
	results, ok := a.stdout.(*resultWriter)
	return ok && terminal.ShowsMarks(results.w)
}

// check completes the options and returns a usage fault for a bad value.
func (s *searchCommand) check(cmd *cobra.Command) error {
	o := &s.query
	if strings.TrimSpace(o.Query) == "" {
		return schema.Faultf(schema.FaultUsage, "give the words to search for, as \"merge two dicts\"", "an empty query")
	}
	if o.Hops < 0 || o.Hops > 1 {
		return schema.Faultf(schema.FaultUsage, "it takes 0 or 1", "--hops %d", o.Hops)
	}
	if o.Top < 1 {
		return schema.Faultf(schema.FaultUsage, "give 1 or more", "--top %d", o.Top)
	}
	if s.answers < 0 {
		return schema.Faultf(schema.FaultUsage, "give 0 or more", "--answers %d", s.answers)
	}
	if err := commandline.CheckOneOf("format", s.format, searchFormats); err != nil {
		return err
	}
	if cmd.Flags().Changed("min-score") {
		o.Filter.MinScore = &s.minScore
	}
	var err error
	o.Filter.Since, err = commandline.ParseDate(s.since)
	return err
}

// addThreads adds the answers of the questions to the hits: from the tables, or, if the build has none, the accepted
// answers from the shards.
func (a *app) addThreads(ctx context.Context, o *options, m *manifest.Manifest, hits []search.Hit) error {
	has, err := o.HasTables()
	if err != nil {
		return err
	}
	if !has || build.TablesOfNext(m) {
		return search.AddThreads(ctx, o.Out, nil, hits)
	}
	return o.WithTables(ctx, m, func(db *tables.DB) error { return search.AddThreads(ctx, o.Out, db, hits) })
}

// searchServer makes the search one of collections in a server: those of the languages, else of all languages of the build
// that the server has. The models and the edges still come from the build in OUT: a payload holds only outgoing edges, and
// a server may hold a part of a build.
func (s *searchCommand) searchServer(ctx context.Context, m *manifest.Manifest, server *qdrant.Server) error {
	site, err := m.BuildSite()
	if err != nil {
		return err
	}
	prefix := cmp.Or(s.server.Prefix, site.Prefix()) + "_"
	slugs := s.query.Slugs
	if len(slugs) == 0 {
		if slugs, err = s.served(ctx, m, server, prefix); err != nil {
			return err
		}
		s.query.Slugs = slugs
	}
	var aliases []string
	for _, slug := range slugs {
		aliases = append(aliases, prefix+slug)
	}
	s.query.Find = server.Finder(aliases)
	return nil
}

// served returns the languages of the build that have an alias in a server.
func (s *searchCommand) served(ctx context.Context, m *manifest.Manifest, server *qdrant.Server, prefix string) (slugs []string, err error) {
	all, err := search.Slugs(s.Out, m)
	if err != nil {
		return nil, err
	}
	aliases, err := server.Aliases(ctx)
	if err != nil {
		return nil, err
	}
	for _, slug := range all {
		if aliases[prefix+slug] != "" {
			slugs = append(slugs, slug)
		}
	}
	if len(slugs) == 0 {
		return nil, schema.Faultf(schema.FaultUsage, "run s2g load qdrant with option out "+s.Out+", or give its option prefix",
			"%s has no alias %s* of a language of this build", s.server.URL, prefix)
	}
	return slugs, nil
}

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"s2g/cmd/s2g/internal/build"
	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/tables"
	"s2g/vectors/qdrant"
	"s2g/vectors/search"
)

const searchHelp = `Finds questions of a language by their words (BM25) and by their meaning (dense vectors) in the shards of a build. It
fuses the two scores and shows the best chunk of each question. --hops 1 adds the neighbours over DuplicateOf and
LinkedTo, in both directions. --accepted shows only questions and neighbours with an accepted answer. With --json each
line is a whole thread: the question's text, and its answers if the build has its tables (else the accepted one alone).
--qdrant searches the language's collection in that server instead; the neighbours still come from the shards in --out.

    s2g search --out build --language python "how do I merge two dicts"
    s2g search --out build --language python --hops 1 --accepted --json "how do I merge two dicts"`

func (a *app) search() *cobra.Command {
	o := &options{}
	var language string
	var query search.Options
	var q qdrantFlags
	cmd := &cobra.Command{
		Use:   "search --out DIR --language TAG QUERY",
		Short: "hybrid search over the shards of a build",
		Long:  searchHelp,
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			query.Query = strings.Join(args, " ")
			return a.runSearch(cmd, o, language, query, &q)
		},
	}
	f := cmd.Flags()
	o.outFlag(f)
	o.databaseFlags(f)
	f.StringVar(&language, "language", "", "`tag` or slug of the language")
	f.IntVar(&query.Top, "top", 5, "number of questions to show, without their neighbours")
	f.IntVar(&query.Hops, "hops", 0, "1: also show the neighbours over DuplicateOf and LinkedTo")
	denseEndpointFlag(f, &query.Dense)
	sparseEndpointFlag(f, &query.Sparse)
	f.BoolVar(&query.Accepted, "accepted", false, "show only questions with an accepted answer; fetches four times as many candidates")
	q.flags(f, "qdrant")
	q.prefixFlag(f)
	return cmd
}

func (a *app) runSearch(cmd *cobra.Command, o *options, language string, query search.Options, q *qdrantFlags) (err error) {
	if query.Hops < 0 || query.Hops > 1 {
		return schema.Faultf(schema.FaultUsage, "it takes 0 or 1", "--hops %d", query.Hops)
	}
	if strings.TrimSpace(query.Query) == "" {
		return schema.Faultf(schema.FaultUsage, "give the words to search for, as \"merge two dicts\"", "an empty query")
	}
	if query.Top < 1 {
		return schema.Faultf(schema.FaultUsage, "give 1 or more", "--top %d", query.Top)
	}
	ctx := cmd.Context()
	m, err := a.readBuild(cmd, o)
	if err != nil {
		return err
	}
	if language == "" {
		return schema.Faultf(schema.FaultUsage, "give --language TAG, as --language python", "no language to search in")
	}
	l, err := build.Language(m, language)
	if err != nil {
		return err
	}
	query.Slug, query.Remote = l.Slug, a.remote()
	if q.url != "" {
		server, finder, failed := a.qdrantFinder(ctx, m, query.Slug, q)
		if failed != nil {
			return failed
		}
		defer func() { err = errors.Join(err, server.Close()) }()
		query.Find = finder
	}
	hits, err := search.Search(ctx, o.Out, query)
	if err != nil {
		return err
	}
	if !a.json {
		a.printHits(hits)
		return nil
	}
	if err := a.addThreads(ctx, o, m, hits); err != nil {
		return err
	}
	return printJSON(a, hits...)
}

// addThreads adds the answers of the questions to the hits: from the tables, or, if the build has none, the accepted
// answers from the shards.
func (a *app) addThreads(ctx context.Context, o *options, m *manifest.Manifest, hits []search.Hit) error {
	has, err := o.HasTables()
	if err != nil {
		return err
	}
	if !has {
		return search.AddThreads(ctx, o.Out, nil, hits)
	}
	return o.WithTables(ctx, m, func(db *tables.DB) error { return search.AddThreads(ctx, o.Out, db, hits) })
}

// printHits prints hits for people.
func (a *app) printHits(hits []search.Hit) {
	if len(hits) == 0 {
		fmt.Fprintln(a.stderr, "nothing found")
	}
	for i, h := range hits {
		a.printf("%d. %s\n   %s\n", i+1, printable(h.Title), h.IRI)
		switch v := h.Via; {
		case v == nil:
			a.printf("   score %.2f, ", h.Score)
		case v.Direction == search.DirectionOut:
			a.printf("   found by %d --%s--> %d, ", v.From, v.Edge, v.Post)
		default:
			a.printf("   found by %d --%s--> %d, ", v.Post, v.Edge, v.From)
		}
		a.printf("votes %d, tags %s", h.Votes, strings.Join(h.Tags, " "))
		if h.AcceptedAnswerID != 0 {
			a.printf(", accepted answer %d", h.AcceptedAnswerID)
		}
		if h.Match.PostID != h.PostID {
			a.printf("\n   in the answer %d:", h.Match.PostID)
		}
		a.printf("\n%s\n\n", indent(printable(h.Match.Snippet)))
	}
}

// indent indents each line of a text.
func indent(text string) string {
	return "     " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n     ")
}

// qdrantFinder connects to a server and returns a finder of questions in the collection that serves a language. The models
// and the edges still come from the build in OUT: a payload holds only outgoing edges, and a server may hold a part of a
// build.
func (a *app) qdrantFinder(ctx context.Context, m *manifest.Manifest, slug string, q *qdrantFlags) (*qdrant.Server, search.Finder, error) {
	site, err := m.BuildSite()
	if err != nil {
		return nil, nil, err
	}
	server, err := q.connect(ctx, a)
	if err != nil {
		return nil, nil, err
	}
	return server, server.Finder(cmp.Or(q.prefix, site.Prefix()) + "_" + slug), nil
}

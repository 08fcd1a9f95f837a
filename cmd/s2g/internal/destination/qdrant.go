package destination

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/dustin/go-humanize"

	"s2g/cmd/s2g/internal/summary"
	"s2g/vectors/qdrant"
)

// QdrantKey is the variable of the API key of Qdrant.
const QdrantKey = "S2G_QDRANT_API_KEY"

// Qdrant is a Qdrant server, and how a build is put into it.
type Qdrant struct {
	URL         string
	Prefix      string // beginning of the collections' names; empty: by the site of the build
	PlainKey    bool   // the API key is also sent to another machine without TLS
	RetryFor    time.Duration
	Loading     qdrant.Options
	Keep        int  // earlier collections to keep for each language; -1: all
	AllowShrink bool // a build with far fewer points than the one in service may replace it
}

// Access returns the access to the server, without its address and retries.
func (q *Qdrant) Access(e Environment) qdrant.Access {
	return qdrant.Access{Key: e.Getenv(QdrantKey), PlainKey: q.PlainKey, Log: e.Log}
}

// Connect connects to the server.
func (q *Qdrant) Connect(ctx context.Context, e Environment) (*qdrant.Server, error) {
	address, err := qdrant.ParseAddress(q.URL)
	if err != nil {
		return nil, err
	}
	access := q.Access(e)
	access.Address, access.RetryFor = address, q.RetryFor
	return qdrant.Open(ctx, access)
}

// Load sends the points that the collections lack. No alias leads to the collections yet.
func (q *Qdrant) Load(ctx context.Context, e Environment, server *qdrant.Server, points qdrant.Build) ([]qdrant.Loaded, error) {
	report, end := e.Progress("load qdrant")
	defer end()
	o := q.Loading
	o.Progress = report
	return server.Load(ctx, points, o)
}

// WritePointsPlan writes the plan of a load into Qdrant for people.
func WritePointsPlan(w io.Writer, p qdrant.Plan) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "alias\tserves now\tpoints\twill serve\tpoints\tto send\t")
	for _, one := range p.Languages {
		serves, serving := "-", "-"
		if one.Serves != "" {
			serves, serving = one.Serves, humanize.Comma(one.Serving)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t\n", one.Alias, serves, serving, one.Collection, humanize.Comma(one.Points), humanize.Comma(max(0, one.Points-one.There)))
	}
	err := t.Flush()
	for _, names := range []struct {
		what string
		list []string
	}{{"aliases to delete", p.Withdrawn}, {"collections to delete", p.Dropped}} {
		if len(names.list) > 0 && err == nil {
			_, err = fmt.Fprintf(w, "%s: %s\n", names.what, strings.Join(names.list, ", "))
		}
	}
	return err
}

// WriteLoadedPoints writes the result of a load for people.
func WriteLoadedPoints(w io.Writer, points qdrant.Build, loaded []qdrant.Loaded, dropped []string) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "alias\tcollection\tpoints\tsent\tseconds\tpoints/s\tindex ready after\t")
	var sum qdrant.Loaded
	for _, l := range loaded {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%.1f\t%s\t%.1f\t\n", points.Alias(l.Language), l.Collection, humanize.Comma(l.Points), humanize.Comma(l.Sent),
			l.Seconds, summary.Rate(l.Sent, l.Seconds, 1), l.Waited)
		sum.Points, sum.Sent, sum.Seconds = sum.Points+l.Points, sum.Sent+l.Sent, sum.Seconds+l.Seconds
	}
	fmt.Fprintf(t, "\t%d collections\t%s\t%s\t%.1f\t%s\t\t\n", len(loaded), humanize.Comma(sum.Points), humanize.Comma(sum.Sent), sum.Seconds, summary.Rate(sum.Sent, sum.Seconds, 1))
	err := t.Flush()
	if len(dropped) > 0 && err == nil {
		_, err = fmt.Fprintf(w, "deleted: %s\n", strings.Join(dropped, ", "))
	}
	return err
}

package plan

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"s2g/cmd/s2g/internal/build"
	"s2g/schema"
	"s2g/schema/manifest"
)

// Refusal is the error of a run that would delete what an endpoint has made, or replace the build of another site. Nothing
// has changed.
type Refusal struct {
	Plan *Plan
	err  error
}

// Error returns the message of the usage fault.
func (r *Refusal) Error() string { return r.err.Error() }

// Unwrap returns the usage fault.
func (r *Refusal) Unwrap() error { return r.err }

// refusal returns a usage fault where the run requires option replace, which is not given.
func (p *Plan) refusal() error {
	if p.replace {
		return nil
	}
	var deleted []string
	for _, l := range p.Losses {
		deleted = append(deleted, describeLoss(l))
	}
	const remedy = "give option replace to allow it, or build into another folder with option out"
	switch {
	case p.OtherSite != "" && len(deleted) > 0:
		return schema.Faultf(schema.FaultUsage, remedy, "the dump is of %s, the build of %s; its replacement deletes what an endpoint has made: %s", p.Site, p.OtherSite, strings.Join(deleted, "; "))
	case p.OtherSite != "":
		return schema.Faultf(schema.FaultUsage, remedy, "the dump is of %s, the build of %s", p.Site, p.OtherSite)
	case len(deleted) > 0:
		return schema.Faultf(schema.FaultUsage, remedy, "the run deletes what an endpoint has made: %s", strings.Join(deleted, "; "))
	}
	return nil
}

// kept returns the bytes of outputs in service that stay until the build ends.
func (p *Plan) kept() (n int64) {
	for _, s := range p.Steps {
		n += s.Kept
	}
	return n
}

// runs reports whether a stage runs.
func (p *Plan) runs(stage string) bool {
	return slices.ContainsFunc(p.Steps, func(s Step) bool { return s.Stage == stage && !s.Fresh })
}

// describeLoss returns a loss in words.
func describeLoss(l build.Loss) string {
	took := ""
	if l.Seconds >= 1 {
		took = ", " + describeTime(l.Seconds) + " of work"
	}
	return fmt.Sprintf("%s, at most %s texts, %s%s (%s)", l.What, humanize.Comma(l.Texts), size(l.Bytes), took, l.Reason)
}

// describeTime returns a time in hours, or in minutes and seconds if it is short.
func describeTime(seconds float64) string {
	if seconds < 3600 {
		return time.Duration(seconds * float64(time.Second)).Round(time.Second).String()
	}
	return fmt.Sprintf("%.1f hours", seconds/3600)
}

// writeChanges prints the site, why stages run and what the run deletes.
func (p *Plan) writeChanges(w io.Writer) error {
	var lines strings.Builder
	if p.Site != "" {
		fmt.Fprintf(&lines, "site: %s\n", p.Site)
	}
	if p.OtherSite != "" {
		fmt.Fprintf(&lines, "replaces a build of another site: %s\n", p.OtherSite)
	}
	if p.Compared {
		lines.WriteString("a server may have changed the tables: the run compares their rows with those of the dump, and reads it again if they differ\n")
	}
	for _, c := range p.Changes {
		if slices.Equal(c.Reasons, []string{build.NotMade}) {
			continue // the table of stages shows that it runs
		}
		fmt.Fprintf(&lines, "%s runs: %s\n", c.Stage, strings.Join(c.Reasons, "; "))
	}
	if kept := p.kept(); kept > 0 {
		fmt.Fprintf(&lines, "the outputs in service stay until the new ones are complete: %s\n", size(kept))
		if p.runs(manifest.Ingest) {
			lines.WriteString("until then their tables are gone: s2g verify checks them with option files-only\n")
		}
	}
	for _, l := range p.Losses {
		fmt.Fprintf(&lines, "deletes %s\n", describeLoss(l))
	}
	for _, warning := range p.Warnings {
		fmt.Fprintf(&lines, "warning: %s\n", warning)
	}
	_, err := io.WriteString(w, lines.String())
	return err
}

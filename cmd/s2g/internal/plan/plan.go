// Package plan computes what a build would do, the disk and memory that it takes, and whether machine and servers
// suffice, before a stage runs. --dry-run, doctor and the check before a stage are views of one [Plan].
//
// The stale stages are those of [build.Options.State]. Sizes are estimates from the size of the dump as XML. The size of
// a compressed file that does not hold its decoded size is estimated, too; see expansion.
package plan

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"text/tabwriter"

	"github.com/dustin/go-humanize"

	"s2g/cmd/s2g/internal/build"
	"s2g/ingest/dump"
	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/tables"
	"s2g/schema/vocab"
	"s2g/vectors/embed"
)

// Step is what one stage takes.
type Step struct {
	Stage     string `json:"stage"`
	Fresh     bool   `json:"fresh"`          // the stage is up to date, or not among the stages of the plan
	Disk      int64  `json:"disk"`           // bytes that stay
	Temporary int64  `json:"passes"`         // bytes more while it runs: sorts, archives in archives, tables of the earlier dump
	Existing  int64  `json:"there"`          // bytes of Disk that files of an earlier run occupy: they are kept or replaced
	Kept      int64  `json:"kept,omitempty"` // bytes of the outputs in service, which stay until the build ends
	Memory    int64  `json:"memory"`         // bytes at most, of s2g

	WholeSite int64 `json:"whole_site,omitempty"` // bytes of Disk for the graph or the shards of all questions

	oldTables int64 // of Temporary: tables of the earlier dump
}

// Plan is what a build takes.
type Plan struct {
	dump    *dump.Dump // nil without the option dump
	replace bool       // option replace: nothing is refused

	Site      vocab.Site     `json:"site,omitempty"`       // of the build once it has run
	OtherSite vocab.Site     `json:"other_site,omitempty"` // of the build that is there, if the dump is of another one
	Changes   []build.Change `json:"changes,omitempty"`    // the stages that run, and why
	Losses    []build.Loss   `json:"deleted,omitempty"`    // work of endpoints that the run deletes
	Warnings  []string       `json:"warnings,omitempty"`   // of tags that the dump does not have
	Compared  bool           `json:"compared,omitempty"`   // see [build.State]
	XML       int64          `json:"xml"`                  // bytes of the tables decoded, as UTF-8
	Estimated bool           `json:"estimated"`            // XML is an estimate
	Steps     []Step         `json:"steps"`
	Disk      Need           `json:"disk"`             // where OUT is
	Tables    *Need          `json:"tables,omitempty"` // on the disk of the private database; nil where that is the disk of OUT
	Memory    Need           `json:"memory"`
	Pool      *Pool          `json:"pool,omitempty"`    // nil: nothing to do, or the tables are the user's server's
	Loading   *Loading       `json:"loading,omitempty"` // nil: nothing is loaded
}

// Need is what a build needs of disk or memory beside the files that exist, and what the machine has, in bytes. 0 Has is
// unknown.
type Need struct {
	Needs int64 `json:"needs"`
	Has   int64 `json:"has"`
}

// lacks reports whether the machine has too little.
func (n Need) lacks() bool { return n.Has > 0 && n.Has < n.Needs }

// New returns the plan of the given stages of a build. It changes nothing.
func New(ctx context.Context, o *build.Options, m *manifest.Manifest, stages []string) (*Plan, error) {
	warnings, err := o.CheckTags(ctx, m, stages)
	if err != nil {
		return nil, err
	}
	p, err := newPlan(ctx, o, m, stages, 0)
	if err != nil {
		return nil, err
	}
	p.Warnings = warnings
	if slices.ContainsFunc(p.Steps, func(s Step) bool { return !s.Fresh }) {
		err = o.CheckFolder(m)
	}
	return p, err
}

// Check returns the error of [Plan.Err] for the given stages of a build, a [Refusal], or the error of an endpoint that a
// later stage would find. It is a value for
// [build.Options.Fits].
func Check(ctx context.Context, o *build.Options, m *manifest.Manifest, stages []string) error {
	p, err := New(ctx, o, m, stages)
	if err != nil {
		return err
	}
	if err := p.refusal(); err != nil {
		return &Refusal{p, err}
	}
	return p.Ready(ctx, o)
}

// Ready returns the error of [Plan.Err], or that of an endpoint that a later stage would find.
func (p *Plan) Ready(ctx context.Context, o *build.Options) error {
	if err := p.Err(); err != nil {
		return err
	}
	return p.checkEndpoints(ctx, o)
}

// newPlan returns the plan. dimensions is the length of the dense vectors if an endpoint has returned it, else 0.
func newPlan(ctx context.Context, o *build.Options, m *manifest.Manifest, stages []string, dimensions int) (*Plan, error) {
	s := o.Shape
	dense, err := embed.ParseSpec(cmp.Or(s.Dense, embed.KindBuiltin))
	if err != nil {
		return nil, err
	}
	state, err := o.State(ctx, m, stages)
	if err != nil {
		return nil, err
	}
	in := estimateInput{
		Out: o.Out, Read: m.Dump, Stale: state.Stale, Dimensions: dimensions, Cores: cmp.Or(o.Workers, runtime.GOMAXPROCS(0)),
	}
	if made := m.Stages[manifest.Vectors]; made != nil && made.Embedders != nil {
		in.Aside = o.InPlace && !(embed.IsLocal(made.Embedders.Dense) && embed.IsLocal(made.Embedders.Sparse))
	}
	if done := m.Stages[manifest.Ingest]; done != nil {
		in.Held, in.Sent = true, done.BytesOut
	}
	if in.Stale[manifest.Ingest] { // else the manifest has the sizes of the dump
		in.Dump = state.Dump
	}
	in.Shape, in.Kept = s, state.Beside
	if slices.Contains(slices.Collect(maps.Values(state.Stale)), true) { // nothing is read for a build that is up to date
		form, tags, err := o.Examine(ctx, state.Dump)
		if err != nil {
			return nil, err
		}
		in.UTF8, in.Gzip, in.Tags = form.UTF8, form.Gzip, tags
	}
	for stage := range in.Stale {
		in.Stale[stage] = in.Stale[stage] && slices.Contains(stages, stage)
	}
	if dense.Kind == embed.KindBuiltin {
		in.Dimensions = builtinDimensions
	} else if in.Dimensions == 0 {
		in.Dimensions = dense.Dimensions
	}
	server, err := o.Server()
	if err != nil {
		return nil, err
	}
	if server.DSN == "" {
		in.Pool, in.DefaultPool = cmp.Or(server.Memory, tables.DefaultMemory(0)), server.Memory == 0
	}
	p, err := estimate(in)
	if err != nil {
		return nil, err
	}
	p.dump, p.replace, p.Compared = state.Dump, o.Replace, state.Compared
	p.Site, p.OtherSite, p.Changes, p.Losses = state.Site, state.OtherSite, state.Changes, state.Losses
	return p, nil
}

// Err returns a usage fault where the run requires option replace, and a fault of [schema.FaultResources] where the machine
// has too little.
func (p *Plan) Err() error {
	if err := p.refusal(); err != nil {
		return err
	}
	if p.Disk.lacks() {
		return schema.Faultf(schema.FaultResources, "free some, choose another option out, or list the needs of each stage with option dry-run",
			"too little disk: the build needs about %s more, %s are free", size(p.Disk.Needs), size(p.Disk.Has))
	}
	if p.Tables != nil && p.Tables.lacks() {
		return schema.Faultf(schema.FaultResources, "free some, or list the needs of each stage with option dry-run",
			"too little disk for the tables: they need about %s more, %s are free there", size(p.Tables.Needs), size(p.Tables.Has))
	}
	if p.Memory.lacks() {
		return schema.Faultf(schema.FaultResources, "give a smaller option db-memory, or use a larger machine",
			"too little memory: the build needs about %s, this machine has %s", size(p.Memory.Needs), size(p.Memory.Has))
	}
	return nil
}

// Write prints the plan as a table for people.
func (p *Plan) Write(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "stage\truns\tdisk\ttemporary\texisting\tmemory\t")
	for _, s := range p.Steps {
		if s.Fresh {
			fmt.Fprintf(t, "%s\tno\t-\t-\t-\t-\t\n", s.Stage)
			continue
		}
		fmt.Fprintf(t, "%s\tyes\t%s\t%s\t%s\t%s\t\n", s.Stage, size(s.Disk), size(s.Temporary), size(s.Existing), size(s.Memory))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if err := p.writeChanges(w); err != nil {
		return err
	}
	if n := p.wholeSite(); n > 0 {
		if _, err := fmt.Fprintf(w, "the graph and the collection of all questions take %s of that disk\n", size(n)); err != nil {
			return err
		}
	}
	about := ""
	if p.Estimated {
		about = "about "
	}
	if p.Memory.Needs == 0 {
		todo := "nothing to do"
		if p.Compared {
			todo = "nothing to do, if the tables are those of the dump"
		}
		_, err := fmt.Fprintf(w, "the dump is %s%s of XML; %s\n", about, size(p.XML), todo)
		return err
	}
	tablesDisk := ""
	if p.Tables != nil {
		tablesDisk = fmt.Sprintf(", %s on the disk of the tables (%s free)", size(p.Tables.Needs), size(p.Tables.Has))
	}
	_, err := fmt.Fprintf(w, "the dump is %s%s of XML; the build needs at most, beside existing files: %s of disk (%s free)%s, %s of memory with MariaDB's (machine: %s)\n",
		about, size(p.XML), size(p.Disk.Needs), size(p.Disk.Has), tablesDisk, size(p.Memory.Needs), size(p.Memory.Has))
	if err == nil && p.Pool != nil {
		_, err = fmt.Fprintln(w, p.Pool)
	}
	if err == nil && p.Loading != nil {
		_, err = fmt.Fprintln(w, p.Loading)
	}
	return err
}

// wholeSite returns the disk for the graph and the shards of all questions.
func (p *Plan) wholeSite() (n int64) {
	for _, s := range p.Steps {
		n += s.WholeSite
	}
	return n
}

// size formats a number of bytes.
func size(n int64) string { return humanize.IBytes(uint64(max(n, 0))) }

// Package plan has what a build would do and take, before anything is read, and whether the machine and the servers are
// fit for it. --dry-run, doctor and the check before a stage are views of one [Plan].
//
// What is stale is read from the build's options and manifest (see [build.Options]). Sizes are estimates from the size of
// the dump as XML. A compressed file of unknown size is taken for as large as such files usually are.
package plan

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/dustin/go-humanize"

	"s2g/cmd/s2g/internal/build"
	"s2g/ingest/dump"
	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/tables"
	"s2g/vectors/embed"
)

// Step is the part of one stage.
type Step struct {
	Stage  string `json:"stage"`
	Fresh  bool   `json:"fresh"`  // the stage is up to date, or not among those that are to be run
	Disk   int64  `json:"disk"`   // bytes that stay
	Passes int64  `json:"passes"` // bytes more while it runs: sorts, archives in archives, tables of the dump before
	There  int64  `json:"there"`  // bytes of Disk that exist: of a run that was interrupted or is replaced
	Memory int64  `json:"memory"` // bytes at most, of s2g

	held int64 // of Passes: tables of the dump before
}

// Plan is what a build takes.
type Plan struct {
	dump *dump.Dump // that the options name; nil where they name none

	XML       int64  `json:"xml"`       // bytes of the tables decoded, as UTF-8
	Estimated bool   `json:"estimated"` // XML is an estimate
	Steps     []Step `json:"steps"`
	Disk      Need   `json:"disk"`             // where OUT is
	Tables    *Need  `json:"tables,omitempty"` // where the private database is, if that is on a disk of its own
	Memory    Need   `json:"memory"`
}

// Need compares what is needed, beside what exists, with what is free, in bytes; 0 free is unknown.
type Need struct {
	Needs int64 `json:"needs"`
	Has   int64 `json:"has"`
}

// lacks reports whether less is free than is needed.
func (n Need) lacks() bool { return n.Has > 0 && n.Has < n.Needs }

// New returns the plan of the given stages of a build. It changes nothing.
func New(ctx context.Context, o *build.Options, m *manifest.Manifest, stages []string) (*Plan, error) {
	return newPlan(ctx, o, m, stages, 0)
}

// Check returns an error where the machine lacks what the given stages of a build take. It is for [build.Options].
func Check(ctx context.Context, o *build.Options, m *manifest.Manifest, stages []string) error {
	p, err := New(ctx, o, m, stages)
	if err != nil {
		return err
	}
	return p.Err()
}

// newPlan takes the dimensions of the dense vectors where an endpoint was asked for them, else 0.
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
	in := input{
		Out: o.Out, Read: m.Dump, Stale: state.Stale, Dimensions: dimensions,
		Compress: s.Compress, Materialize: s.Materialize, Answers: strings.Contains(s.Units, "answer"),
	}
	if done := m.Stages[manifest.Ingest]; done != nil {
		in.Held, in.Sent = true, done.BytesOut
	}
	if in.Stale[manifest.Ingest] { // else the manifest has the sizes of what was read
		in.Dump = state.Dump
		if form, err := state.Dump.DetectForm(ctx); err == nil { // ingest reports the error
			in.UTF8 = form.UTF8
		}
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
		in.Pool = cmp.Or(server.Memory, tables.DefaultMemory())
	}
	p, err := estimate(in)
	if err != nil {
		return nil, err
	}
	p.dump = state.Dump
	return p, nil
}

// Err returns a fault of [schema.FaultResources] where the machine has too little.
func (p *Plan) Err() error {
	if p.Disk.lacks() {
		return schema.Faultf(schema.FaultResources, "free some, choose another option out, or see what takes how much with option dry-run",
			"too little disk: the build needs about %s more, %s are free", size(p.Disk.Needs), size(p.Disk.Has))
	}
	if p.Tables != nil && p.Tables.lacks() {
		return schema.Faultf(schema.FaultResources, "free some, or see what takes how much with option dry-run",
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
	fmt.Fprintln(t, "stage\tto do\tdisk\tin passing\tthere\tmemory\t")
	for _, s := range p.Steps {
		if s.Fresh {
			fmt.Fprintf(t, "%s\tno\t-\t-\t-\t-\t\n", s.Stage)
			continue
		}
		fmt.Fprintf(t, "%s\tyes\t%s\t%s\t%s\t%s\t\n", s.Stage, size(s.Disk), size(s.Passes), size(s.There), size(s.Memory))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	about := ""
	if p.Estimated {
		about = "about "
	}
	if p.Memory.Needs == 0 {
		_, err := fmt.Fprintf(w, "the dump is %s%s of XML; nothing is to be done\n", about, size(p.XML))
		return err
	}
	apart := ""
	if p.Tables != nil {
		apart = fmt.Sprintf(", for the tables %s on their own (%s free)", size(p.Tables.Needs), size(p.Tables.Has))
	}
	_, err := fmt.Fprintf(w, "the dump is %s%s of XML; needed beside what is there, at most: %s of disk (%s free)%s, %s of memory with MariaDB's (%s here)\n",
		about, size(p.XML), size(p.Disk.Needs), size(p.Disk.Has), apart, size(p.Memory.Needs), size(p.Memory.Has))
	return err
}

// size formats a number of bytes.
func size(n int64) string { return humanize.IBytes(uint64(max(n, 0))) }

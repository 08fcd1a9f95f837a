package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"s2g/cmd/s2g/internal/plan"
	"s2g/ingest/dump"
	"s2g/schema/manifest"
	"s2g/schema/tables"
	"s2g/vectors/embed"
)

func dryRunFlag(f *pflag.FlagSet, dryRun *bool) {
	f.BoolVar(dryRun, "dry-run", false, "print what would be done and what it takes in disk and memory, and do nothing")
}

// existing reads the manifest in OUT, or gives an empty one where there is none.
func existing(out string) (*manifest.Manifest, error) {
	if out == "" || !manifest.Exists(out) {
		return &manifest.Manifest{}, nil
	}
	return manifest.Read(out)
}

// readSumsFor reads the dump for --rehash where a plan depends on it: on what an ingest
// would find that has one before it. The first takes the same whatever the bytes are.
func (a *app) readSumsFor(ctx context.Context, o *options, m *manifest.Manifest, stages []string, tmp string) error {
	if m.Stages[manifest.Ingest] == nil || o.dump == "" || !slices.Contains(stages, manifest.Ingest) {
		return nil
	}
	return a.readSums(ctx, o, tmp)
}

// plan says what the given stages would take, and finds the dump where one is
// given. It changes nothing.
func (o *options) plan(ctx context.Context, m *manifest.Manifest, stages []string) (*plan.Plan, *dump.Dump, error) {
	in, err := o.planInput(m)
	if err != nil {
		return nil, nil, err
	}
	key := ""
	if done := m.Stages[manifest.Ingest]; done != nil {
		key, in.Held, in.Sent = done.Key, true, done.BytesOut
	}
	var found *dump.Dump
	if o.dump != "" {
		plan, err := o.ingestPlan(m)
		if err != nil {
			return nil, nil, err
		}
		found, key = plan.Dump, plan.Key
		if !m.Fresh(manifest.Ingest, key) { // else the manifest knows better what is in it
			in.Dump, in.Stale[manifest.Ingest] = found, true
			if form, err := found.DetectForm(ctx); err == nil { // else ingest will say what is the matter
				in.UTF8 = form.UTF8
			}
		}
	}
	if err := o.stale(m, key, in.Stale); err != nil {
		return nil, nil, err
	}
	for stage := range in.Stale {
		in.Stale[stage] = in.Stale[stage] && slices.Contains(stages, stage)
	}
	p, err := plan.New(in)
	return p, found, err
}

// planInput is what the options say of a plan.
func (o *options) planInput(m *manifest.Manifest) (plan.Input, error) {
	s := o.shape
	in := plan.Input{
		Out: o.out, Read: m.Dump, Stale: map[string]bool{},
		Compress: s.Compress, Materialize: s.Materialize, Answers: strings.Contains(s.Units, "answer"),
	}
	if dense, err := embed.ParseSpec(cmp.Or(s.Dense, embed.KindBuiltin)); err != nil {
		return in, err
	} else if in.Dimensions = dense.Dimensions; dense.Kind == embed.KindBuiltin {
		in.Dimensions = plan.BuiltinDimensions
	} else if o.dimensions > 0 {
		in.Dimensions = o.dimensions
	}
	server, err := o.server()
	if server.DSN == "" {
		in.Pool = cmp.Or(server.Memory, tables.DefaultMemory())
	}
	return in, err
}

// stale marks the stages that tables of the given key make necessary.
func (o *options) stale(m *manifest.Manifest, tablesKey string, stale map[string]bool) error {
	_, key, err := o.graphOptions(m, tablesKey)
	if err != nil {
		return err
	}
	stale[manifest.Graph] = !m.Fresh(manifest.Graph, key)
	if _, key, err = o.vectorsOptions(m, tablesKey); err != nil {
		return err
	}
	stale[manifest.Vectors] = !m.Fresh(manifest.Vectors, key)
	return nil
}

// planStages prints what the given stages would take. Too little of it is an
// error. A stage alone takes what it is not given from the build in OUT.
func (a *app) planStages(cmd *cobra.Command, o *options, stages []string, alone bool) error {
	if err := o.needOut(); err != nil {
		return err
	}
	m, err := existing(o.out)
	if err != nil {
		return err
	}
	if err := a.resolve(cmd, o, m, alone); err != nil {
		return err
	}
	if err := a.readSumsFor(cmd.Context(), o, m, stages, ""); err != nil {
		return err
	}
	p, _, err := o.plan(cmd.Context(), m, stages)
	if err != nil {
		return err
	}
	if a.json {
		err = json.NewEncoder(a.stdout).Encode(map[string]any{"plan": p})
	} else {
		err = p.Write(a.stdout)
	}
	return errors.Join(err, p.Err())
}

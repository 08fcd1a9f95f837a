package main

import (
	"encoding/json"
	"errors"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"s2g/cmd/s2g/preflight"
	"s2g/ingest"
	"s2g/ingest/dump"
	"s2g/schema/manifest"
	"s2g/schema/tables"
)

func dryRunFlag(f *pflag.FlagSet, dryRun *bool) {
	f.BoolVar(dryRun, "dry-run", false, "print what would be done and what it takes in disk and memory, and do nothing")
}

// existing reads the manifest in OUT, or gives an empty one where there is none.
func existing(out string) (*manifest.Manifest, error) {
	if !manifest.Exists(out) {
		return &manifest.Manifest{}, nil
	}
	return manifest.Read(out)
}

// plan says what the given stages would take, and finds the dump where one is
// given. It changes nothing.
func (o *options) plan(m *manifest.Manifest, stages []string) (*preflight.Plan, *dump.Dump, error) {
	in := preflight.Input{Out: o.out, Read: m.Dump, Stale: map[string]bool{}, Compress: o.shape.Compress}
	server, err := o.server()
	if err != nil {
		return nil, nil, err
	}
	if in.Pool = server.Memory; in.Pool == 0 && server.DSN == "" {
		in.Pool = tables.DefaultMemory()
	}
	key := ""
	if done := m.Stages[manifest.Ingest]; done != nil {
		key, in.Held = done.Key, true
	}
	if o.dump != "" {
		opts, err := o.ingestOptions()
		if err != nil {
			return nil, nil, err
		}
		found, err := ingest.NewPlan(opts)
		if err != nil {
			return nil, nil, err
		}
		key, in.Dump = found.Key, found.Dump
		in.Stale[manifest.Ingest] = !m.Fresh(manifest.Ingest, key)
	}
	if err := o.stale(m, key, in.Stale); err != nil {
		return nil, nil, err
	}
	for stage := range in.Stale {
		in.Stale[stage] = in.Stale[stage] && slices.Contains(stages, stage)
	}
	p, err := preflight.New(in)
	return p, in.Dump, err
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
	p, _, err := o.plan(m, stages)
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

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"s2g/cmd/s2g/internal/verify"
	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/tables"
)

const verifyHelp = `Reads back every file of a build and compares it with the manifest and with what SQL computes from the
tables: counts and checksums by graph and predicate, ids shared by graph and vectors, vectors of unit length.
Trusts nothing that the build wrote about itself. Exit code 5 names the first difference.

--sample N is quick: it draws N questions and answers, spread over the range of ids, and compares the quads of each
and of its comments, its points, their text and payload with the tables, reading only the files that these are in;
of all files it checks name and size, and with --sha256 the hash. It proves nothing of the posts that were not drawn, nor
of tags and wikis. Another --seed draws others.

    s2g verify --out build
    s2g verify --out build --sample 100`

func (a *app) verify() *cobra.Command {
	o := &options{}
	var filesOnly bool
	var of verifiedServers
	var sample verify.Options
	cmd := &cobra.Command{
		Use:   "verify --out DIR",
		Short: "prove the files of a build equal to its tables",
		Long:  verifyHelp,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.needBuild(); err != nil {
				return err
			}
			if cmd.Flags().Changed("sample") {
				return a.verifySample(cmd, o, sample)
			}
			return a.verifyAlone(cmd, o, filesOnly, &of)
		},
	}
	o.outFlag(cmd.Flags())
	o.databaseFlags(cmd.Flags())
	o.workerFlag(cmd.Flags())
	cmd.Flags().BoolVar(&filesOnly, "files-only", false, "check what can be checked without the tables")
	cmd.Flags().IntVar(&sample.Sample, "sample", 0, "check `n` posts in depth, and the names and sizes of all files")
	cmd.Flags().Uint64Var(&sample.Seed, "seed", 1, "which posts --sample draws")
	cmd.Flags().BoolVar(&sample.Hash, "sha256", false, "with --sample: the SHA-256 of all files, too")
	of.flags(cmd.Flags())
	return cmd
}

func (a *app) verifyAlone(cmd *cobra.Command, o *options, filesOnly bool, of *verifiedServers) error {
	m, err := manifest.Read(o.out)
	if err != nil {
		return err
	}
	if err := a.resolve(cmd, o, m, true); err != nil {
		return err
	}
	servers, closeServers, err := a.openVerified(cmd.Context(), o, m, of)
	if err != nil {
		return err
	}
	defer closeServers()
	if filesOnly {
		_, err := a.runVerify(cmd.Context(), o, m, nil, servers...)
		return err
	}
	return a.withTables(cmd.Context(), o, m, func(db *tables.DB) error {
		_, err := a.runVerify(cmd.Context(), o, m, db, servers...)
		return err
	})
}

// verifySample verifies some posts.
func (a *app) verifySample(cmd *cobra.Command, o *options, of verify.Options) error {
	for _, flag := range []string{"files-only", "graphdb", "qdrant"} {
		if cmd.Flags().Changed(flag) {
			return schema.Faultf(schema.FaultUsage, "leave one of them out", "--sample compares with the tables alone, not with --%s", flag)
		}
	}
	if of.Sample < 1 {
		return schema.Faultf(schema.FaultUsage, "give the number of posts", "--sample is %d", of.Sample)
	}
	m, err := manifest.Read(o.out)
	if err != nil {
		return err
	}
	if err := a.resolve(cmd, o, m, true); err != nil {
		return err
	}
	if of.Site, err = o.site(m); err != nil {
		return err
	}
	of.Languages, of.Other, of.Workers, of.Log = o.shape.Languages, o.shape.Other, o.workers, a.log
	return a.withTables(cmd.Context(), o, m, func(db *tables.DB) error {
		started := time.Now()
		report, err := verify.Sample(cmd.Context(), o.out, db, of)
		if cmd.Context().Err() != nil {
			return err
		}
		return errors.Join(err, a.printReport(report, time.Since(started)))
	})
}

// verify is the last stage of a build. It is never up to date: files can be
// damaged at any time.
func (p *pipeline) verify(ctx context.Context) error {
	if _, err := p.ingested(ctx); err != nil {
		return err
	}
	found, err := p.app.runVerify(ctx, p.opts, p.dir.Manifest(), p.db)
	p.found = found
	return err
}

// runVerify verifies the build, and then the servers that it was loaded into. It
// returns what the build was found to hold.
func (a *app) runVerify(ctx context.Context, o *options, m *manifest.Manifest, db *tables.DB, servers ...verify.Server) (*verify.Contents, error) {
	site, err := o.site(m)
	if err != nil {
		return nil, err
	}
	started := time.Now()
	shown := a.progress("verify", inBytes)
	report, err := verify.Run(ctx, o.out, db, verify.Options{
		Site: site, Languages: o.shape.Languages, Other: o.shape.Other, Workers: o.workers, Servers: servers, Log: a.log, Progress: shown.report,
	})
	shown.end()
	if ctx.Err() != nil {
		return nil, err
	}
	return report.Contents, errors.Join(err, a.printReport(report, time.Since(started)))
}

func (a *app) printReport(report verify.Report, took time.Duration) error {
	a.checks = append(a.checks, report.Checks...)
	if a.json {
		return json.NewEncoder(a.stdout).Encode(map[string]any{"verify": report.Checks, "seconds": took.Seconds()})
	}
	if a.quiet || len(report.Checks) == 0 {
		return nil
	}
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "verify\tcompared\t\n")
	for _, c := range report.Checks {
		state := "ok"
		if !c.OK {
			state = "DIFFERENT: " + c.Difference
		}
		fmt.Fprintf(w, "  %s\t%s %s\t%s\n", c.Name, humanize.Comma(c.Count), c.What, state)
	}
	fmt.Fprintf(w, "  %.1f s\n", took.Seconds())
	return w.Flush()
}

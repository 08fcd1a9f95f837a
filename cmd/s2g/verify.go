package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"s2g/cmd/s2g/internal/build"
	"s2g/cmd/s2g/internal/destination"
	"s2g/cmd/s2g/internal/summary"
	"s2g/cmd/s2g/internal/verify"
	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/projection"
	"s2g/schema/remote"
	"s2g/schema/tables"
)

const verifyHelp = `Reads back every file of a build and compares it with the content that the tables require: counts and checksums by graph
and predicate; for each post its cleaned text, chunks and vectors, made again; the fitted model; ids shared by graph and
vectors. It does not trust what the build has stored about itself. Of more than 20,000 posts it makes the dense vectors of
20,000 again, with --full of all. Exit code 5: there is a difference; the message names the first.

--sample N is quick. It draws N questions and answers from the range of ids and compares with the tables their quads, the
quads of their comments, and their points with text and payload. It reads only the files that hold these, and checks the
names and sizes of all files, with --sha256 also their hashes. It does not check other posts, tags and wikis. Another
--seed draws other posts.

    s2g verify --out build
    s2g verify --out build --sample 100`

func (a *app) verify() *cobra.Command {
	o := &options{}
	var filesOnly bool
	var compared verifiedServers
	var opts verify.Options
	cmd := &cobra.Command{
		Use:   "verify --out DIR",
		Short: "compare the files of a build with its tables",
		Long:  verifyHelp,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			m, err := a.readBuild(cmd, o)
			if err == nil {
				err = manifest.CheckAtRest(o.Out)
			}
			if err != nil {
				return err
			}
			if err := m.CheckComplete(); err != nil {
				return cmp.Or(manifest.CheckStayed(o.Out), err)
			}
			if err := checkIngested(m); err != nil {
				return err
			}
			changing := manifest.CheckStayed(o.Out)
			if cmd.Flags().Changed("sample") {
				return a.verifySample(cmd, o, m, opts)
			}
			if !filesOnly && m.IsOfEarlierVersion() {
				return schema.Faultf(schema.FaultUsage, "give option files-only, or run s2g build with the same options first, which rewrites the documents and no other output that is current",
					"the build in %s is of an earlier version of s2g, whose documents have another form", o.Out)
			}
			servers, closeServers, err := compared.open(cmd.Context(), a, m, o.Out)
			if err != nil {
				return err
			}
			defer closeServers()
			opts.Servers = servers
			if filesOnly {
				_, err = a.runVerify(cmd.Context(), &o.Options, nil, opts)
			} else {
				err = o.WithTables(cmd.Context(), m, func(db *tables.DB) error {
					_, err := a.runVerify(cmd.Context(), &o.Options, db, opts)
					return err
				})
			}
			if err != nil && cmd.Context().Err() == nil {
				if busy := cmp.Or(changing, manifest.CheckStayed(o.Out)); busy != nil {
					return busy
				}
			}
			a.recordDifferences(cmd.Context(), o.Out, err)
			return err
		},
	}
	f := cmd.Flags()
	o.outFlag(f)
	o.databaseFlags(f)
	o.workerFlag(f)
	f.BoolVar(&filesOnly, "files-only", false, "run only the checks that need no tables")
	f.BoolVar(&opts.Full, "full", false, "make the dense vectors of all posts again, not of 20,000")
	f.IntVar(&opts.Sample, "sample", 0, "check only `n` posts, and the names and sizes of all files")
	f.Uint64Var(&opts.Seed, "seed", 1, "seed of the draws of posts")
	f.BoolVar(&opts.Hash, "sha256", false, "with --sample: also check the SHA-256 of all files")
	compared.flags(f)
	return cmd
}

// checkIngested returns a verification fault where a build has outputs of tables that its manifest does not name.
func checkIngested(m *manifest.Manifest) error {
	if m.Stages[manifest.Ingest] != nil || m.Stages[manifest.Graph] == nil && m.Stages[manifest.Vectors] == nil {
		return nil
	}
	return schema.Faultf(schema.FaultVerification, "run s2g build with option dump, which reads the dump again",
		"%s differs: manifest: manifest.json: stages.ingest is missing, of whose tables the build is made", m.Root())
}

// outOfDate names the stages that a build would make again because another has run since.
func outOfDate(m *manifest.Manifest) (stages []string, words string) {
	var list []string
	for _, c := range build.OutOfDate(m) {
		stages = append(stages, c.Stage)
		list = append(list, c.Stage+" ("+strings.Join(c.Reasons, "; ")+")")
	}
	return stages, strings.Join(list, ", ")
}

// verifySample compares a sample of posts with the tables.
func (a *app) verifySample(cmd *cobra.Command, o *options, m *manifest.Manifest, sample verify.Options) error {
	for _, flag := range []string{"files-only", "full", "graphdb", "qdrant"} {
		if cmd.Flags().Changed(flag) {
			return schema.Faultf(schema.FaultUsage, "leave one of them out", "--sample compares with the tables alone, not with --%s", flag)
		}
	}
	if sample.Sample < 1 {
		return schema.Faultf(schema.FaultUsage, "give the number of posts", "--sample is %d", sample.Sample)
	}
	sample.Workers, sample.Remote = o.Workers, o.Remote
	stages, words := outOfDate(m)
	sample.OutOfDate = stages
	return o.WithTables(cmd.Context(), m, func(db *tables.DB) error {
		started := time.Now()
		report, err := verify.Sample(cmd.Context(), o.Out, db, sample)
		if cmd.Context().Err() != nil {
			return err
		}
		return errors.Join(cmp.Or(err, outOfDateFault(o.Out, words)), a.printReport(report, time.Since(started)))
	})
}

// verifyBuilt is the stage verify of a build. It returns the stages whose outputs differ.
func (a *app) verifyBuilt(ctx context.Context, b *build.Build) (found *verify.Contents, differ map[string]bool, err error) {
	db, err := b.Tables(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer stopwatch(b, build.Verify)()
	o := *b.Options
	o.Out = b.Dir.Out()
	made := len(a.checks)
	found, err = a.runVerify(ctx, &o, db, verify.Options{Seed: 1, Building: true})
	return found, differingStages(a.checks[made:]), err
}

// recordDifferences lets the next build make again what a verification has found different. A folder that another command
// holds, or that this user may not change, stays as it is.
func (a *app) recordDifferences(ctx context.Context, out string, err error) {
	differ := differingStages(a.checks)
	if fault, _ := schema.FaultOf(err); err == nil || fault != schema.FaultVerification || len(differ) == 0 || ctx.Err() != nil {
		return
	}
	if _, err := os.Stat(filepath.Join(out, ".s2g")); err != nil {
		return // a copy
	}
	dir, err := manifest.Open(out)
	if err == nil {
		err = errors.Join(dir.Distrust(ctx, differ), projection.RemoveOthers(dir.Private(), ""), dir.Close())
	}
	if err != nil {
		a.log.Warn("the next build does not make again what differs", "error", err)
	}
}

// differingStages returns the stages that the checks find different, as [manifest.Dir.Distrust] takes them: altered tables
// first, because files differ from them, too; then files that are not those of the manifest, or are of no build; then
// files whose content is not that of the tables; then the manifest, whose counts follow from all of these.
func differingStages(checks []verify.Check) map[string]bool {
	differ := map[string]string{}
	for _, c := range checks {
		if !c.OK {
			differ[c.Name] = c.Difference
		}
	}
	if _, ok := differ["tables"]; ok {
		return map[string]bool{manifest.Ingest: true}
	}
	if _, ok := differ["files"]; ok {
		return map[string]bool{manifest.Graph: false, manifest.Vectors: false}
	}
	stages := map[string]bool{}
	for stage, names := range map[string][]string{
		manifest.Graph: {"batches", "graph", "description"}, manifest.Vectors: {"shards", "questions", "parents", "model", "payload"},
	} {
		for _, name := range names {
			if _, ok := differ[name]; ok {
				stages[stage] = true
			}
		}
	}
	if where, ok := differ["manifest"]; ok && len(stages) == 0 {
		for _, stage := range []string{manifest.Graph, manifest.Vectors} {
			if strings.Contains(where, "stages."+stage+".") {
				return map[string]bool{stage: true}
			}
		}
		stages[manifest.Ingest] = true // dump, tables and rejects
	}
	return stages
}

// runVerify verifies the files of the build and then the servers. It returns the contents of the files. Without tables it
// checks the files alone.
func (a *app) runVerify(ctx context.Context, o *build.Options, db *tables.DB, opts verify.Options) (*verify.Contents, error) {
	started := time.Now()
	shown := a.progress("verify")
	m, err := manifest.Read(o.Out)
	if err != nil {
		return nil, err
	}
	if db != nil {
		if opts.Keys, err = build.Keys(m); err != nil {
			return nil, err
		}
	}
	stages, words := outOfDate(m)
	opts.OutOfDate = stages
	opts.Workers, opts.Progress = o.Workers, shown.Report
	report, err := verify.Run(ctx, o.Out, db, opts)
	shown.End()
	if ctx.Err() != nil {
		return nil, err
	}
	if err == nil && opts.Building && words != "" {
		a.log.Warn("not compared, because they are out of date; s2g build makes them again", "stages", words)
	} else if err == nil {
		err = outOfDateFault(o.Out, words)
	}
	return report.Contents, errors.Join(err, a.printReport(report, time.Since(started)))
}

// outOfDateFault returns a service fault that names the stages that are out of date: the build is not complete, and what
// is there is not damaged. It is nil where there are none.
func outOfDateFault(out, words string) error {
	if words == "" {
		return nil
	}
	return schema.Faultf(schema.FaultService, "run s2g build with the options of the build, which makes them again",
		"the build in %s is not complete: out of date, and not compared: %s", out, words)
}

// printReport prints the checks of a verification.
func (a *app) printReport(report verify.Report, took time.Duration) error {
	a.checks = append(a.checks, report.Checks...)
	if a.json {
		return printJSON(a, map[string]any{"verify": report.Checks, "seconds": took.Seconds()})
	}
	if a.quiet || len(report.Checks) == 0 {
		return nil
	}
	a.printf("verify: %d checks in %.1f s\n", len(report.Checks), took.Seconds())
	for _, c := range report.Checks {
		state := "ok"
		if !c.OK {
			state = "DIFFERENT"
		}
		summary.WriteWrapped(a.stdout, fmt.Sprintf("  %-9s  %-10s ", state, c.Name), humanize.Comma(c.Count)+" "+c.What)
		if !c.OK {
			a.printf("    %s\n", remote.Printable(c.Difference))
		}
	}
	return nil
}

// verifiedServers are the servers that are compared with a build.
type verifiedServers struct {
	graphDB   destination.GraphDB
	nodes     int // of GraphDB
	qdrant    destination.Qdrant
	languages string // loaded into Qdrant; empty: all
	prefix    string
}

func (v *verifiedServers) flags(f *pflag.FlagSet) {
	graphDBFlags(f, &v.graphDB, "graphdb")
	requestFlags(f, &v.graphDB, destination.CountingTimeout, "counting the statements of a graph")
	f.IntVar(&v.nodes, "graphdb-nodes", destination.ComparedNodes, "number of nodes whose statements in GraphDB are compared one by one; -1: all statements (reads the whole repository)")
	qdrantFlags(f, &v.qdrant, "qdrant")
	f.StringVar(&v.languages, "qdrant-languages", "", "`tags` or slugs of the languages in Qdrant (default all of the build)")
	f.StringVar(&v.prefix, "prefix", "", "beginning of the names of repository and collections (default so for stackoverflow.com, else the site's name)")
}

// open connects to the servers that the flags name. end closes the connections.
func (v *verifiedServers) open(ctx context.Context, a *app, m *manifest.Manifest, out string) (servers []verify.Server, end func(), err error) {
	var ends []func()
	end = func() {
		for _, e := range ends {
			e()
		}
	}
	v.graphDB.Prefix, v.qdrant.Prefix, v.qdrant.RetryFor = v.prefix, v.prefix, v.graphDB.RetryFor
	if v.graphDB.URL != "" {
		_, name, err := v.graphDB.Build(out, m)
		if err != nil {
			return nil, nil, err
		}
		client, err := v.graphDB.Client(a.environment())
		if err != nil {
			return nil, nil, err
		}
		shown := a.laterProgress("verify graphdb")
		ends = append(ends, func() { shown.End(); client.Close() })
		servers = append(servers, &verify.GraphDB{
			Repository: client.Repository(name), Nodes: v.nodes, RetryFor: v.graphDB.RetryFor, Log: a.log, Progress: shown.Report,
		})
	}
	if v.qdrant.URL != "" {
		q, err := v.openQdrant(ctx, a, m)
		if err != nil {
			end()
			return nil, nil, err
		}
		shown := a.laterProgress("verify qdrant")
		q.Progress = shown.Report
		ends = append(ends, func() {
			shown.End()
			_ = q.Server.Close() // nothing is under way
		})
		servers = append(servers, q)
	}
	return servers, end, nil
}

func (v *verifiedServers) openQdrant(ctx context.Context, a *app, m *manifest.Manifest) (*verify.Qdrant, error) {
	site, err := m.BuildSite()
	if err != nil {
		return nil, err
	}
	q := &verify.Qdrant{Prefix: cmp.Or(v.prefix, site.Prefix())}
	if v.languages != "" {
		if q.Languages, err = build.LoadedLanguages(m, v.languages); err != nil {
			return nil, err
		}
	}
	q.Server, err = v.qdrant.Connect(ctx, a.environment())
	return q, err
}

package main

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"s2g/cmd/s2g/internal/build"
	"s2g/cmd/s2g/internal/verify"
	"s2g/schema"
)

// version is set by the linker (make build); a build without it takes the
// module's.
var version string

func toolVersion() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "devel"
}

const rootHelp = `s2g turns a Stack Overflow (or any Stack Exchange) data dump into a knowledge graph (TriG) and
hybrid vectors (Parquet) that share post ids, by way of MariaDB tables.

    dump  --ingest-->  MariaDB tables  --graph-->    graph/batch-*.trig.gz, a named graph per language
                                       --vectors-->  vectors/LANGUAGE/part-*.parquet, dense and sparse

A run that was stopped or killed goes on where it was when the same command is given again.

Every flag can be given as an environment variable, --db-memory as S2G_DB_MEMORY, or in the file of --config, as
db-memory: 8GiB. The command line wins over the environment, and that over the file. Secrets are given by the
environment alone: S2G_DSN, or S2G_DSN_FILE with the name of a file that holds it.

Exit codes: 0 done or nothing to do, 1 fault of s2g, 2 usage or too little disk or memory, 3 bad input,
4 a service failed or another run is at work, 5 verification failed, 130 interrupted.`

// app is what all commands share.
type app struct {
	stdout, stderr io.Writer
	log            *slog.Logger
	terminal       bool // stderr is one: progress is drawn, not logged

	quiet, json, verbose bool

	config   string // file that sets flags
	settings settings

	root     *cobra.Command
	metrics  string          // file for Prometheus
	outcomes []build.Outcome // what the command did, for it
	checks   []verify.Check  // what it verified
}

// newRoot is the command line, of which nothing is run.
func newRoot(stdout, stderr io.Writer) *cobra.Command { return newApp(stdout, stderr).root }

func newApp(stdout, stderr io.Writer) *app {
	a := &app{stdout: stdout, stderr: stderr}
	root := &cobra.Command{
		Use:               "s2g",
		Short:             "Stack Overflow dumps as a knowledge graph and a vector database",
		Long:              rootHelp,
		Version:           toolVersion(),
		SilenceUsage:      true,
		SilenceErrors:     true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return a.setUp(cmd) },
	}
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return schema.Faultf(schema.FaultUsage, "see "+cmd.CommandPath()+" --help", "%w", err)
	})
	f := root.PersistentFlags()
	f.BoolVar(&a.quiet, "quiet", false, "print warnings, errors and results alone")
	f.BoolVar(&a.json, "json", false, "print the result, and the log, as JSON lines")
	f.BoolVar(&a.verbose, "verbose", false, "log more, and first what each flag is set to and by what")
	f.StringVar(&a.config, "config", "", "YAML `file` that sets flags by their names, as db-memory: 8GiB")
	f.StringVar(&a.metrics, "metrics", "", "`file`.prom that is written at the end, also of a run that fails, for node_exporter's textfile collector")
	root.AddCommand(
		a.build(), a.ingest(), a.graph(), a.vectors(),
		a.load(),
		a.verify(),
		a.publish(),
		a.stats(), a.report(), a.diff(), a.search(), a.eval(), a.clean(), a.db(), a.languages(),
		a.sample(),
		a.doctor(),
	)
	root.AddCommand(manCommand())
	usageArgs(root)
	completions(root)
	a.root = root
	return a
}

// usageArgs gives the errors of positional arguments, of all commands, the class
// of usage errors.
func usageArgs(cmd *cobra.Command) {
	for _, c := range cmd.Commands() {
		if check := c.Args; check != nil {
			c.Args = func(cmd *cobra.Command, args []string) error {
				if err := check(cmd, args); err != nil {
					return schema.Faultf(schema.FaultUsage, "see "+cmd.CommandPath()+" --help", "%w", err)
				}
				return nil
			}
		}
		usageArgs(c)
	}
	if !cmd.HasParent() {
		cmd.Args = func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return schema.Faultf(schema.FaultUsage, "see s2g --help", "no such command: %s", args[0])
			}
			return nil
		}
		cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	}
}

// setUp runs before every command: the environment and the configuration file
// become flags, and the log gets its form.
func (a *app) setUp(cmd *cobra.Command) error {
	if cmd.Name() == cobra.ShellCompRequestCmd || cmd.Name() == cobra.ShellCompNoDescRequestCmd {
		return nil // what is wrong with the environment is not said while somebody types
	}
	if err := a.settle(cmd); err != nil {
		return err
	}
	f, isFile := a.stderr.(*os.File)
	a.terminal = isFile && term.IsTerminal(int(f.Fd())) && !a.quiet && !a.json
	level := slog.LevelInfo
	switch {
	case a.verbose:
		level = slog.LevelDebug
	case a.quiet, a.terminal:
		level = slog.LevelWarn
	}
	options := &slog.HandlerOptions{Level: level, ReplaceAttr: func(_ []string, attr slog.Attr) slog.Attr {
		if attr.Key == slog.MessageKey {
			attr.Value = slog.StringValue(a.flagNames(attr.Value.String()))
		}
		return attr
	}}
	if a.json {
		a.log = slog.New(slog.NewJSONHandler(a.stderr, options))
	} else {
		a.log = slog.New(slog.NewTextHandler(a.stderr, options))
	}
	a.logSettings(cmd.Flags(), nil)
	return a.checkMetrics()
}

// printf writes to the standard output; --quiet does not silence results.
func (a *app) printf(format string, args ...any) {
	fmt.Fprintf(a.stdout, format, args...)
}

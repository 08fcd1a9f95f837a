package main

import (
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"os"
	"runtime/debug"
	"sync/atomic"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"s2g/cmd/s2g/internal/build"
	"s2g/cmd/s2g/internal/commandline"
	"s2g/cmd/s2g/internal/config"
	"s2g/cmd/s2g/internal/progress"
	"s2g/cmd/s2g/internal/terminal"
	"s2g/cmd/s2g/internal/verify"
	"s2g/schema/manifest"
)

// version is set by the linker; see the Makefile.
var version string

// toolVersion returns the version of the program: the linker's, else the module's.
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
hybrid vectors (Parquet) that share post ids. MariaDB tables are the intermediate form.

    dump  --ingest-->  MariaDB tables  --graph-->    graph/batch-*.trig.gz, a named graph per language
                                       --vectors-->  vectors/LANGUAGE/part-*.parquet, dense and sparse

The same command resumes a run that was stopped or killed.

Every flag is also an environment variable (--db-memory is S2G_DB_MEMORY) and a line in the file of --config
(db-memory: 8GiB). The command line takes precedence over the environment, and the environment over the file. Secrets
come from the environment only: S2G_DSN holds one, S2G_DSN_FILE names a file that holds it.

Exit codes: 0 done or nothing to do, 1 fault of s2g, 2 usage or too little disk or memory, 3 bad input,
4 a service failed or another run holds the folder, 5 verification failed, 130 interrupted.`

// app is the state that all commands share.
type app struct {
	stdout, stderr io.Writer
	log            *slog.Logger
	terminal       bool // stderr is a terminal: progress is drawn, not logged

	quiet, json, verbose bool

	settings config.Settings

	root     *cobra.Command
	args     []string        // the command line
	metrics  string          // path of the file of --metrics
	outcomes []build.Outcome // of the command, for the metrics
	checks   []verify.Check  // of the command, for the metrics
	held     []*manifest.Generation

	clock        *progress.Clock // of s2g build; nil for the other commands
	preparation  *progress.Stage // shown before the first stage
	lastProgress atomic.Pointer[progress.Stage]
	found        string // words that find a question of the build; empty: unknown
}

// newApp returns the state with the commands in root.
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
	root.SetFlagErrorFunc(commandline.FlagFault)
	f := root.PersistentFlags()
	f.BoolVar(&a.quiet, "quiet", false, "print only warnings, errors and results")
	f.BoolVar(&a.json, "json", false, "print the result, and the log, as JSON lines")
	f.BoolVar(&a.verbose, "verbose", false, "log more, first the value and the origin of each flag")
	f.String("config", "", "YAML `file` of flags by their names, as db-memory: 8GiB")
	f.StringVar(&a.metrics, "metrics", "", "`file`.prom for node_exporter's textfile collector; written at the end of a run, even of a failed one")
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
	root.Args = cobra.ArbitraryArgs // commandline.CheckCommand has refused unknown words
	root.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	for _, cmd := range root.Commands() {
		commandline.MakeResettable(cmd.Flags(), build.Sticky())
	}
	commandline.CheckArguments(root)
	completions(root)
	a.root = root
	return a
}

// setUp runs before every command. It sets flags from the environment and the configuration file, and creates the log.
func (a *app) setUp(cmd *cobra.Command) error {
	if cmd.Name() == cobra.ShellCompRequestCmd || cmd.Name() == cobra.ShellCompNoDescRequestCmd {
		return nil // completion works even if the environment holds bad values
	}
	if err := commandline.CheckValues(cmd.Flags()); err != nil {
		return err
	}
	if err := a.settings.Apply(cmd); err != nil {
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
		switch value := attr.Value.Any().(type) {
		case error:
			attr.Value = slog.StringValue(config.Message(value, a.settings.Redacted))
		case string:
			if attr.Key == slog.MessageKey {
				value = a.withFlagNames(value)
			}
			attr.Value = slog.StringValue(a.settings.Redacted.Redact(value))
		}
		return attr
	}}
	if a.json {
		a.log = slog.New(slog.NewJSONHandler(a.stderr, options))
	} else {
		a.log = slog.New(slog.NewTextHandler(a.stderr, options))
	}
	log.SetFlags(0)
	log.SetOutput(libraryLog{a.log})
	a.logSettings(cmd.Flags(), nil)
	return a.checkMetrics(cmd)
}

// libraryLog receives what libraries print on the default log, as net/http does of a server that speaks another protocol.
type libraryLog struct{ log *slog.Logger }

func (l libraryLog) Write(line []byte) (int, error) {
	l.log.Debug("a library", "message", string(line))
	return len(line), nil
}

// printf prints a result, also with --quiet. [resultWriter] keeps its error.
func (a *app) printf(format string, args ...any) {
	fmt.Fprintf(a.stdout, format, args...)
}

// printJSON prints values as JSON, each on a line of its own. It escapes what a terminal would interpret.
func printJSON[T any](a *app, values ...T) error {
	return terminal.WriteJSON(a.stdout, values...)
}

// printResult prints a result as a line of JSON with --json, nothing with --quiet, else as write writes it for people.
func (a *app) printResult(value map[string]any, write func(io.Writer) error) error {
	switch {
	case a.json:
		return printJSON(a, value)
	case a.quiet:
		return nil
	}
	return write(a.stdout)
}

// printPlanned prints what a command with --dry-run would do, and returns why that is refused.
func (a *app) printPlanned(plan any, write func(io.Writer) error, refused error) error {
	if a.json {
		return errors.Join(printJSON(a, map[string]any{"plan": plan}), refused)
	}
	return errors.Join(a.writeWithFlagNames(a.stdout, write), refused)
}

// forms are the values of --as.
var forms = []string{"table", "json", "csv"}

func formFlag(f *pflag.FlagSet, form *string) {
	f.StringVar(form, "as", forms[0], "`form` of the output: table, json or csv")
}

// printAs prints a result in the form of --as, or as a line of JSON with --json.
func (a *app) printAs(form string, result interface {
	WriteJSON(io.Writer) error
	WriteCSV(io.Writer) error
}, writeTable func(io.Writer) error) error {
	switch {
	case form == "csv":
		return result.WriteCSV(a.stdout)
	case form == "json":
		return result.WriteJSON(a.stdout)
	case a.json:
		return printJSON[any](a, result)
	}
	return writeTable(a.stdout)
}

// Command s2g turns a Stack Overflow data dump into a knowledge graph and a
// vector database that share post ids. See README.md and s2g --help.
//
// This package parses flags, draws progress and maps errors to exit codes. The packages ingest, graph and vectors are the
// stages; the package internal/build runs them.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"s2g/cmd/s2g/internal/build"
	"s2g/cmd/s2g/internal/commandline"
	"s2g/cmd/s2g/internal/config"
	"s2g/cmd/s2g/internal/plan"
	"s2g/cmd/s2g/internal/terminal"
	"s2g/ingest/dump"
	"s2g/schema"
	"s2g/schema/remote"
	"s2g/schema/tables"
)

// exitInterrupted is the exit code after a signal of [interruptions]: the run can be resumed.
const exitInterrupted = 130

// errInterrupted is the cause of a context that a signal of [interruptions] cancels.
var errInterrupted = errors.New("interrupted")

func main() {
	tables.Supervise()
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	if list := interruptions(); len(list) > 0 { // without a list, Notify relays all signals
		signal.Notify(signals, list...)
	}
	go func() {
		<-signals
		signal.Stop(signals) // a second signal ends the process at once
		cancel(errInterrupted)
	}()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// interruptions returns the signals that interrupt a run: all that ask a process to end, but for those that it ignored
// when it started. nohup ignores SIGHUP; a shell without job control ignores SIGINT for commands in the background.
func interruptions() (signals []os.Signal) {
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			signals = append(signals, s)
		}
	}
	return signals
}

// run executes one command line and returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	results := &resultWriter{w: stdout}
	a := newApp(results, stderr)
	a.args = args
	a.root.SetArgs(args)
	started := time.Now()
	cmd, err := a.root, commandline.CheckCommand(a.root, args)
	if err != nil {
		a.json = slices.Contains(args, "--json") // no flag is parsed
	} else {
		cmd, err = a.root.ExecuteContextC(ctx)
	}
	if err == nil && results.err != nil {
		err = fmt.Errorf("writing the result: %w", results.err)
	}
	err = errors.Join(err, a.release())
	code := 0
	if err != nil {
		code = a.fail(ctx, err)
	}
	if err := a.writeMetrics(cmd, started, code); err != nil {
		code = max(code, a.fail(ctx, err))
	}
	return code
}

// resultWriter writes results until the first error. It stores that error for run, so commands ignore errors of printing.
type resultWriter struct {
	w   io.Writer
	err error
}

func (r *resultWriter) Write(p []byte) (n int, err error) {
	if r.err == nil {
		n, r.err = r.w.Write(p)
	}
	return n, r.err
}

// fail prints an error with its remedy and returns the exit code. After a signal the exit code is that of an interruption;
// an error with another cause than the signal is printed with it.
func (a *app) fail(ctx context.Context, err error) int {
	if errors.Is(context.Cause(ctx), errInterrupted) {
		cause := ""
		if !errors.Is(err, context.Canceled) {
			cause = "it ended with: " + a.withFlagNames(config.Message(err, a.settings.Redacted))
		}
		a.printError("interrupted; the same command resumes the run", cause, exitInterrupted)
		return exitInterrupted
	}
	if errors.Is(err, syscall.ENOSPC) {
		err = schema.Faultf(schema.FaultResources, "free some space and run the same command again; it resumes the run", "disk full: %w", err)
	}
	if refused, ok := errors.AsType[*plan.Refusal](err); ok { // the plan first, then why it is refused
		if a.json {
			_ = printJSON(a, map[string]any{"plan": refused.Plan}) // resultWriter has the error
		} else {
			_ = a.writeWithFlagNames(a.stderr, refused.Plan.Write) // so has the exit code
		}
	}
	err = systemFault(err)
	fault, remedy := schema.FaultOf(err)
	if none, ok := errors.AsType[*build.NoQuestion](err); ok && len(none.Tags) > 0 {
		remedy += "\n     " + a.commandWithLanguages(none.Tags)
	}
	a.printError(a.withFlagNames(config.Message(err, a.settings.Redacted)), a.withFlagNames(remote.Printable(remedy)), fault.ExitCode())
	return fault.ExitCode()
}

// commandWithLanguages returns the command line for a shell, with tags as its languages.
func (a *app) commandWithLanguages(tags []dump.TagCount) string {
	words := []string{"s2g"}
	for i := 0; i < len(a.args); i++ {
		if a.args[i] == "--languages" {
			i++ // its value
		} else if !strings.HasPrefix(a.args[i], "--languages=") {
			words = append(words, terminal.ShellQuoted(a.args[i]))
		}
	}
	var names []string
	for _, t := range tags {
		names = append(names, t.Tag)
	}
	return strings.Join(append(words, "--languages", terminal.ShellQuoted(strings.Join(names, ","))), " ")
}

// optionName matches the name of an option in a library's message; see [schema.Faultf].
var optionName = regexp.MustCompile(`\boption ([a-z0-9]+(?:-[a-z0-9]+)*)`)

// withFlagNames replaces the options that a library's message names by their flags: "option window" by "--window".
func (a *app) withFlagNames(message string) string {
	return optionName.ReplaceAllStringFunc(message, func(option string) string {
		if name := strings.TrimPrefix(option, "option "); slices.Contains(commandline.OnlyFlags, name) || slices.Contains(commandline.FlagNames(a.root), name) {
			return "--" + name
		}
		return option
	})
}

// writeWithFlagNames writes a text of a library with its options replaced by flags.
func (a *app) writeWithFlagNames(w io.Writer, write func(io.Writer) error) error {
	var text strings.Builder
	if err := write(&text); err != nil {
		return err
	}
	_, err := io.WriteString(w, a.withFlagNames(text.String()))
	return err
}

// printError prints an error for people, or as a line of the log with --json.
func (a *app) printError(message, remedy string, code int) {
	if a.json {
		slog.New(slog.NewJSONHandler(a.stderr, nil)).Error(message, "remedy", remedy, "exit", code)
		return
	}
	fmt.Fprintf(a.stderr, "s2g: %s\n", message)
	if remedy != "" {
		fmt.Fprintf(a.stderr, "     %s\n", remedy)
	}
}

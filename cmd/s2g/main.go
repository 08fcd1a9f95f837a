// Command s2g turns a Stack Overflow data dump into a knowledge graph and a
// vector database that share post ids. See README.md and s2g --help.
//
// This package parses flags, draws progress and maps errors to exit codes; the
// work is in ingest, graph and vectors, and what joins them in the packages
// below this one.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"s2g/schema"
	"s2g/schema/tables"
)

// exitInterrupted is the exit code after SIGINT or SIGTERM: the run can be
// taken up again.
const exitInterrupted = 130

func main() {
	tables.Supervise()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run carries out one command line and returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := newRoot(stdout, stderr)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	if ctx.Err() != nil {
		fmt.Fprintln(stderr, "s2g: interrupted; the same command goes on from here")
		return exitInterrupted
	}
	if errors.Is(err, syscall.ENOSPC) {
		err = schema.Faultf(schema.FaultResources, "free some space and run the same command again; it goes on from here", "disk full: %w", err)
	}
	fault, remedy := schema.FaultOf(err)
	fmt.Fprintf(stderr, "s2g: %v\n", err)
	if remedy != "" {
		fmt.Fprintf(stderr, "     %s\n", remedy)
	}
	return fault.ExitCode()
}

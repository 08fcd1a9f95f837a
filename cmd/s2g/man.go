package main

import (
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"
)

// manCommand is the command that writes the man pages; see the Makefile.
func manCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "man FOLDER",
		Short:  "write the man pages into a folder",
		Args:   cobra.ExactArgs(1),
		Hidden: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return fmt.Errorf("writing man pages: %w", err)
			}
			root := cmd.Root()
			root.InitDefaultCompletionCmd()
			escapeForMan(root)
			date := sourceDate()
			header := &doc.GenManHeader{Section: "1", Date: &date, Source: "s2g " + toolVersion(), Manual: "s2g"}
			if err := doc.GenManTree(root, header, args[0]); err != nil {
				return fmt.Errorf("writing man pages: %w", err)
			}
			return nil
		},
	}
}

// escapeForMan escapes the texts of a command and those below it for the Markdown parser of package doc. It leaves blocks
// that are indented by four spaces. It removes the date of generation, so that pages are reproducible.
func escapeForMan(cmd *cobra.Command) {
	cmd.DisableAutoGenTag = true
	lines := strings.Split(cmd.Long, "\n")
	for i, line := range lines {
		if !strings.HasPrefix(line, "    ") {
			lines[i] = markdown.Replace(line)
		}
	}
	cmd.Long = strings.Join(lines, "\n")
	escape := func(f *pflag.Flag) { f.Usage = markdown.Replace(f.Usage) }
	cmd.LocalNonPersistentFlags().VisitAll(escape)
	cmd.PersistentFlags().VisitAll(escape)
	for _, c := range cmd.Commands() {
		escapeForMan(c)
	}
}

// markdown escapes the special characters that help texts hold. A `name` in a flag's usage stays, and becomes bold.
var markdown = strings.NewReplacer(`\`, `\\`, "<", `\<`, ">", `\>`, "*", `\*`, "_", `\_`, "|", `\|`, "[", `\[`, "&", `\&`)

// sourceDate returns the date of the program's commit, or the current time if the build does not record it.
func sourceDate() time.Time {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.time" {
				if at, err := time.Parse(time.RFC3339, s.Value); err == nil {
					return at
				}
			}
		}
	}
	return time.Now()
}

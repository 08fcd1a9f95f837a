// Package commandline refuses what is mistyped on a command line, with the word that is probably meant.
package commandline

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"s2g/cmd/s2g/internal/spelling"
	"s2g/cmd/s2g/internal/terminal"
	"s2g/schema"
)

// CheckCommand returns a usage fault if the words of a command line name no command. It runs before the flags are parsed,
// because an unknown command has no flags, and the first of them would be reported instead.
func CheckCommand(root *cobra.Command, args []string) error {
	if slices.Contains(args, cobra.ShellCompRequestCmd) || slices.Contains(args, cobra.ShellCompNoDescRequestCmd) {
		return nil
	}
	root.InitDefaultCompletionCmd() // Execute would add these two later
	checkHelp(root)
	if i := slices.Index(args, "--"); i >= 0 {
		args = args[:i]
	}
	cmd, rest, err := root.Find(args)
	if err != nil || !cmd.HasSubCommands() {
		return nil // the flags' parser reports it
	}
	word := firstWord(cmd, rest)
	if word == "" {
		return nil
	}
	if cmd.Name() == "help" || cmd.Name() == "completion" && word == "help" {
		return nil
	}
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	remedy := "it takes " + strings.Join(names, ", ")
	if !cmd.HasParent() {
		remedy = "see s2g --help"
	}
	if near := spelling.Nearest(strings.ToLower(word), names); near != "" && near[0] == strings.ToLower(word)[0] {
		remedy = "did you mean " + cmd.CommandPath() + " " + near + "? see " + cmd.CommandPath() + " --help"
	} else if word == "version" {
		remedy = "did you mean s2g --version?"
	}
	return schema.Faultf(schema.FaultUsage, remedy, "no such command: %s", word)
}

// firstWord returns the first argument that is no flag; "" where there is none, or where an unknown flag comes first.
func firstWord(cmd *cobra.Command, args []string) string {
	for i := 0; i < len(args); i++ {
		if !strings.HasPrefix(args[i], "-") {
			return args[i]
		}
		name, _, hasValue := strings.Cut(strings.TrimLeft(args[i], "-"), "=")
		f := cmd.Root().PersistentFlags().Lookup(name)
		if f == nil {
			return ""
		}
		if f.NoOptDefVal == "" && !hasValue {
			i++
		}
	}
	return ""
}

// checkHelp makes an unknown topic of s2g help a usage fault.
func checkHelp(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	for _, c := range root.Commands() {
		if c.Name() != "help" || c.RunE != nil {
			continue
		}
		c.Run = nil
		c.RunE = func(_ *cobra.Command, args []string) error {
			if err := CheckCommand(root, args); err != nil {
				return err
			}
			topic, _, err := root.Find(args)
			if err != nil {
				return schema.Faultf(schema.FaultUsage, "see s2g --help", "%w", err)
			}
			topic.InitDefaultHelpFlag()
			return topic.Help()
		}
	}
}

// CheckArguments makes errors of positional arguments usage faults that show how the command is used, in cmd and all commands
// below it.
func CheckArguments(cmd *cobra.Command) {
	for _, c := range cmd.Commands() {
		if check := c.Args; check != nil {
			c.Args = func(cmd *cobra.Command, args []string) error {
				if check(cmd, args) == nil {
					return nil
				}
				use := strings.TrimSuffix(cmd.UseLine(), " [flags]")
				if len(args) == 0 {
					return schema.Faultf(schema.FaultUsage, "as "+use, "%s takes an argument", cmd.CommandPath())
				}
				if check(cmd, nil) != nil {
					return schema.Faultf(schema.FaultUsage, "as "+use, "these are not the arguments of %s: %s", cmd.CommandPath(), strings.Join(args, " "))
				}
				return schema.Faultf(schema.FaultUsage, wordRemedy(cmd.Flags(), terminal.ShellQuoted(args[0]), use), "%s takes no argument: %s", cmd.CommandPath(), strings.Join(args, " "))
			}
		}
		CheckArguments(c)
	}
}

// wordRemedy returns the flag that a word without a flag was probably meant for: the dump, else the folder of the build.
func wordRemedy(flags *pflag.FlagSet, word, use string) string {
	for _, name := range []string{"dump", "out"} {
		if f := flags.Lookup(name); f != nil && !f.Changed {
			return "did you mean --" + name + " " + word + "?"
		}
	}
	return "as " + use
}

package main

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"s2g/cmd/s2g/internal/spelling"
	"s2g/schema"
)

// flagFault returns the usage fault of a flag that a command cannot parse, with the flag that is probably meant.
func (a *app) flagFault(cmd *cobra.Command, err error) error {
	remedy := "see " + cmd.CommandPath() + " --help"
	missing, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return schema.Faultf(schema.FaultUsage, remedy, "%w", err)
	}
	if word := firstWord(a.args); cmd == a.root && word != "" { // the flag is one of a command
		return a.commandFault(cmd, word)
	}
	name := missing.GetSpecifiedName()
	if letters := missing.GetSpecifiedShortnames(); len(letters) > 1 { // -dump
		name, _, _ = strings.Cut(letters, "=")
		err = errors.New("names of flags begin with two hyphens: -" + letters)
	}
	if near := nearFlag(cmd, name); near != "" {
		remedy = "did you mean --" + near + "? " + remedy
	}
	return schema.Faultf(schema.FaultUsage, remedy, "%w", err)
}

// nearFlag returns the flag of a command that a name is or probably means, "" where there is none.
func nearFlag(cmd *cobra.Command, name string) string {
	var names []string
	collect := func(f *pflag.Flag) { names = append(names, f.Name) }
	cmd.Flags().VisitAll(collect)
	cmd.InheritedFlags().VisitAll(collect)
	return spelling.Nearest(strings.ToLower(name), names)
}

// firstWord returns the first argument of a command line that may be a command.
func firstWord(args []string) string {
	for i := 0; i < len(args); i++ {
		switch {
		case args[i] == "--config", args[i] == "--metrics":
			i++ // its value
		case !strings.HasPrefix(args[i], "-"):
			return args[i]
		}
	}
	return ""
}

// commandFault returns the usage fault of a command that does not exist below cmd, with the one that is probably meant.
func (a *app) commandFault(cmd *cobra.Command, name string) error {
	var names []string
	for _, c := range cmd.Commands() {
		names = append(names, c.Name())
	}
	remedy := "see " + cmd.CommandPath() + " --help"
	if near := spelling.Nearest(name, names); near != "" {
		remedy = "did you mean " + cmd.CommandPath() + " " + near + "? " + remedy
	}
	return schema.Faultf(schema.FaultUsage, remedy, "no such command: %s", name)
}

// argumentFault returns the usage fault of a command that takes no arguments, with the flag that one is probably the value
// of.
func argumentFault(cmd *cobra.Command, argument string) error {
	remedy := "see " + cmd.CommandPath() + " --help"
	for _, name := range []string{"dump", "out"} {
		if f := cmd.Flags().Lookup(name); f != nil && !f.Changed {
			remedy = "did you mean --" + name + " " + shellQuoted(argument) + "? " + remedy
			break
		}
	}
	return schema.Faultf(schema.FaultUsage, remedy, "%s takes no argument: %s", cmd.CommandPath(), argument)
}

// misspeltVariable returns the usage fault of a variable that is probably a misspelt flag. Other variables that begin with
// S2G_ are not the program's concern: Kubernetes sets such ones for a service of that name.
func misspeltVariable(environment, flags []string) error {
	for _, entry := range environment {
		name, value, _ := strings.Cut(entry, "=")
		rest, ours := strings.CutPrefix(name, "S2G_")
		flag := strings.ToLower(strings.ReplaceAll(rest, "_", "-"))
		if !ours || value == "" || len(flag) < 6 || slices.Contains(flags, flag) || slices.Contains(commandLineOnly, flag) {
			continue
		}
		if near := spelling.Nearest(flag, flags); near != "" && spelling.Distance(flag, near) <= 2 {
			return schema.Faultf(schema.FaultUsage, "did you mean "+environmentName(near)+"?", "no flag has the variable %s", name)
		}
	}
	return nil
}

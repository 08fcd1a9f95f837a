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

// checkCommand returns a usage fault if the words of a command line name no command. It runs before the flags are parsed,
// because an unknown command has no flags, and the first of them would be reported instead.
func checkCommand(root *cobra.Command, args []string) error {
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
			if err := checkCommand(root, args); err != nil {
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

// checkWords makes errors of positional arguments usage faults that show how the command is used, in cmd and all commands
// below it.
func checkWords(cmd *cobra.Command) {
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
				return schema.Faultf(schema.FaultUsage, wordRemedy(cmd.Flags(), args[0], use), "%s takes no argument: %s", cmd.CommandPath(), strings.Join(args, " "))
			}
		}
		checkWords(c)
	}
}

// wordRemedy returns the flag that a word without a flag was probably meant for: the dump, else the folder of the build.
func wordRemedy(flags *pflag.FlagSet, word, use string) string {
	for _, name := range []string{"dump", "out"} {
		if f := flags.Lookup(name); f != nil && !f.Changed {
			return "did you mean --" + name + " " + shellQuoted(word) + "?"
		}
	}
	return "as " + use
}

// flagFault returns the usage fault of a flag that a command cannot parse, with the flag that is probably meant.
func flagFault(cmd *cobra.Command, err error) error {
	remedy := "see " + cmd.CommandPath() + " --help"
	switch e := err.(type) {
	case *pflag.InvalidValueError:
		if form, ok := valueForms[e.GetFlag().Value.Type()]; ok && e.GetFlag().Name != "workers" {
			return schema.Faultf(schema.FaultUsage, remedy, "--%s takes %s, not %q", e.GetFlag().Name, form, e.GetValue())
		}
	case *pflag.NotExistError:
		name := e.GetSpecifiedName()
		if letters := e.GetSpecifiedShortnames(); len(letters) > 1 { // -dump
			name, _, _ = strings.Cut(letters, "=")
			err = errors.New("names of flags begin with two hyphens: -" + letters)
		}
		if near := nearFlag(cmd, name); near != "" && len(name) > 1 {
			remedy = "did you mean --" + near + "? " + remedy
		}
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

// checkValues returns a usage fault if the value of a flag is another flag: the value between them is missing.
func checkValues(flags *pflag.FlagSet) (err error) {
	flags.Visit(func(f *pflag.Flag) {
		name, isFlag := strings.CutPrefix(strings.Trim(f.Value.String(), "[]"), "--")
		if name, _, _ = strings.Cut(name, "="); isFlag && flags.Lookup(name) != nil && err == nil {
			err = schema.Faultf(schema.FaultUsage, "give --"+f.Name+" a value, or leave it out", "--%s has no value: the next word is --%s", f.Name, name)
		}
	})
	return err
}

// valueForms describes the values of flags by their type.
var valueForms = map[string]string{
	"int": "a whole number", "uint64": "a whole number from 0", "float64": "a number, as 0.01", "bool": "true or false", "duration": "a time, as 90s or 10m",
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

package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	mysql "github.com/go-sql-driver/mysql"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"s2g/cmd/s2g/internal/build"
	"s2g/cmd/s2g/internal/commandline"
	"s2g/cmd/s2g/internal/config"
	"s2g/cmd/s2g/internal/spelling"
	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/remote"
	"s2g/vectors/embed"
)

// settings are the origins of a command's flags. The command line takes precedence over the environment, the environment
// over the configuration file, the file over the build in OUT, and that over the default.
type settings struct {
	from    map[string]string // by flag: "flag", the name of a variable, or file and line
	secrets map[string]string // see [config.SecretFiles]

	redacted remote.Secrets // what messages leave out
}

// applySettings sets the flags that the command line leaves open from the environment and the configuration file.
func (a *app) applySettings(cmd *cobra.Command) error {
	a.settings.from = map[string]string{}
	flags := cmd.Flags()
	flags.Visit(func(f *pflag.Flag) { a.settings.from[f.Name] = "flag" })
	var err error
	if a.settings.secrets, err = config.SecretFiles(os.Environ()); err != nil {
		return err
	}
	a.settings.redacted = config.Secrets(os.Environ(), a.settings.secrets)
	if err := commandline.MisspeltVariable(os.Environ(), flagNames(cmd.Root())); err != nil {
		return err
	}
	if err := a.setFromEnvironment(flags); err != nil {
		return err
	}
	if err := a.setFromFile(cmd); err != nil {
		return err
	}
	return a.refusePassword(flags)
}

// setFromEnvironment sets the flags that the command line leaves open. An empty variable counts as unset.
func (a *app) setFromEnvironment(flags *pflag.FlagSet) error {
	var failed error
	flags.VisitAll(func(f *pflag.Flag) {
		name := commandline.Variable(f.Name)
		value := a.getenv(name)
		if value == "" || f.Changed || f.Name == "help" || f.Name == "version" {
			return
		}
		if err := flags.Set(f.Name, value); err != nil && failed == nil {
			failed = schema.Faultf(schema.FaultUsage, "see s2g --help", "%s: %w", name, err)
		}
		a.settings.from[f.Name] = name
	})
	return failed
}

// getenv returns the value of a variable. A secret may come from the file that the variable NAME_FILE names.
func (a *app) getenv(name string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return a.settings.secrets[name]
}

// remote returns the options of clients of embedding endpoints, with --retry-for where flags has it.
func (a *app) remote(flags *pflag.FlagSet) embed.RemoteOptions {
	o := embed.RemoteOptions{Log: a.log, Getenv: a.getenv}
	if retryFor, err := flags.GetDuration("retry-for"); err == nil {
		o.RetryFor = retryFor
		if retryFor == 0 {
			o.RetryFor = -1 // none; 0 is the default
		}
	}
	return o
}

// setFromFile sets the flags that command line and environment leave open. The file may hold flags of other commands.
func (a *app) setFromFile(cmd *cobra.Command) error {
	if a.config == "" {
		return nil
	}
	list, err := config.Read(a.config)
	if err != nil {
		return err
	}
	known := flagNames(cmd.Root())
	for _, s := range list {
		if !slices.Contains(known, s.Name) {
			return unknownSetting(s, known)
		}
		f := cmd.Flags().Lookup(s.Name)
		if f == nil || a.settings.from[s.Name] != "" {
			continue
		}
		if err := setFlag(cmd.Flags(), f, s.Values); err != nil {
			return s.Faultf("see "+cmd.CommandPath()+" --help", "%w", err)
		}
		a.settings.from[s.Name] = s.Where()
	}
	return nil
}

// setFlag sets a flag to a value, or to the values of a list.
func setFlag(flags *pflag.FlagSet, f *pflag.Flag, values []string) error {
	list, several := f.Value.(pflag.SliceValue)
	if !several || len(values) == 1 {
		return flags.Set(f.Name, strings.Join(values, ","))
	}
	f.Changed = true
	return list.Replace(values)
}

// unknownSetting returns the fault of a key that names no flag.
func unknownSetting(s config.Setting, known []string) error {
	for _, word := range []string{"key", "password", "secret", "token"} {
		if strings.Contains(strings.ToLower(s.Name), word) {
			return s.Faultf("secrets are environment variables, or files that these name: see docs/operations.md", "%s is no flag of s2g, and this file may not hold secrets", s.Name)
		}
	}
	remedy := "see s2g --help and s2g build --help"
	if near := spelling.Nearest(s.Name, known); near != "" {
		remedy = "did you mean " + near + "?"
	}
	return s.Faultf(remedy, "s2g has no flag --%s", s.Name)
}

// flagNames returns the names of the flags that a file may set, of all commands, in order.
func flagNames(root *cobra.Command) []string {
	var names []string
	visit := func(f *pflag.Flag) {
		if !slices.Contains(names, f.Name) && !slices.Contains(commandline.OnlyFlags, f.Name) {
			names = append(names, f.Name)
		}
	}
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(visit)
		cmd.PersistentFlags().VisitAll(visit)
		for _, c := range cmd.Commands() {
			walk(c)
		}
	}
	walk(root)
	slices.Sort(names)
	return names
}

// refusePassword returns a fault if the command line or the configuration file holds the password of a DSN, because other
// users can read both.
func (a *app) refusePassword(flags *pflag.FlagSet) error {
	f := flags.Lookup("dsn")
	from := a.settings.from["dsn"]
	if f == nil || f.Value.String() == "" || from == commandline.Variable("dsn") {
		return nil
	}
	c, err := mysql.ParseDSN(f.Value.String())
	if err != nil && strings.Contains(err.Error(), "default addr for network") { // it quotes what is before the slash
		err = errors.New("it has no network as tcp or unix")
	}
	if err != nil {
		return schema.Faultf(schema.FaultUsage, "as user@unix(/run/mysqld/mysqld.sock)/database", "--dsn: %w", err)
	}
	const remedy = "set the environment variable S2G_DSN instead, or S2G_DSN_FILE with the name of a file"
	switch {
	case c.Passwd == "":
		return nil
	case from == "flag":
		return schema.Faultf(schema.FaultUsage, remedy, "--dsn holds a password, which other users of this machine can see")
	}
	return schema.Faultf(schema.FaultUsage, remedy, "%s: dsn holds a password, and other users may read the file", from)
}

// logSettings logs the values and origins of flags, for --verbose. The first call, without options, logs the flags that do
// not depend on a build; the second logs the others with the resolved options.
func (a *app) logSettings(flags *pflag.FlagSet, resolved *options) {
	flags.VisitAll(func(f *pflag.Flag) {
		value, from := f.Value.String(), a.settings.from[f.Name]
		open := from == "" && slices.Contains(build.Sticky(), f.Name)
		if open != (resolved != nil) || f.Name == "help" || f.Name == "version" {
			return
		}
		if open && f.Name == "languages" {
			value = tags(resolved.Shape.Languages)
		}
		if from == "" {
			if from = "default"; value != f.DefValue {
				from = "the build in --out"
			}
		}
		if value != "" || from != "default" {
			a.log.Debug("configuration", "flag", f.Name, "value", config.Masked(f.Name, value), "from", from)
		}
	})
}

// logKept logs in one line the options that the build in OUT gives, where they are not the defaults.
func (a *app) logKept(flags *pflag.FlagSet, resolved *options, m *manifest.Manifest) {
	var kept []string
	flags.VisitAll(func(f *pflag.Flag) {
		value := f.Value.String()
		if f.Name == "languages" {
			value = tags(resolved.Shape.Languages)
		}
		site, err := m.BuildSite()
		if f.Name == "text-language" && err == nil && value == build.TextLanguage(site) {
			return // it is stored in each build
		}
		if a.settings.from[f.Name] == "" && slices.Contains(build.Sticky(), f.Name) && value != f.DefValue && value != "[]" {
			kept = append(kept, "--"+f.Name+" "+config.Masked(f.Name, strings.Trim(value, "[]")))
		}
	})
	if len(kept) == 0 {
		return
	}
	a.log.Info("options of the build in --out stay", "options", strings.Join(kept, " "))
	if a.terminal { // the log has warnings alone
		fmt.Fprintln(a.stderr, "options of the build in --out stay:", strings.Join(kept, " "))
	}
}

// tags returns the tags of a language table, "" for the default table.
func tags(table []schema.Language) string {
	if slices.Equal(table, schema.DefaultLanguages()) {
		return ""
	}
	var list []string
	for _, l := range table {
		list = append(list, l.Tag)
	}
	return strings.Join(list, ",")
}

package config

import (
	"errors"
	"os"
	"slices"
	"strings"

	mysql "github.com/go-sql-driver/mysql"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"s2g/cmd/s2g/internal/commandline"
	"s2g/cmd/s2g/internal/spelling"
	"s2g/schema"
	"s2g/schema/remote"
)

// Settings are the origins of a command's flags. The command line takes precedence over the environment, the environment
// over the configuration file, the file over the build in OUT, and that over the default.
type Settings struct {
	From     map[string]string // by flag: "flag", the name of a variable, or file and line
	Redacted remote.Secrets    // what messages leave out

	secrets map[string]string // see [SecretFiles]
}

// Apply sets the flags that the command line leaves open from the environment and the file of --config.
func (s *Settings) Apply(cmd *cobra.Command) error {
	s.From = map[string]string{}
	flags := cmd.Flags()
	flags.Visit(func(f *pflag.Flag) { s.From[f.Name] = "flag" })
	var err error
	if s.secrets, err = SecretFiles(os.Environ()); err != nil {
		return err
	}
	s.Redacted = Secrets(os.Environ(), s.secrets)
	if err := commandline.MisspeltVariable(os.Environ(), commandline.FlagNames(cmd.Root())); err != nil {
		return err
	}
	if err := s.setFromEnvironment(flags); err != nil {
		return err
	}
	if err := s.setFromFile(cmd); err != nil {
		return err
	}
	return s.refusePassword(flags)
}

// setFromEnvironment sets the flags that the command line leaves open. An empty variable counts as unset.
func (s *Settings) setFromEnvironment(flags *pflag.FlagSet) error {
	var failed error
	flags.VisitAll(func(f *pflag.Flag) {
		name := commandline.Variable(f.Name)
		value := s.Getenv(name)
		if value == "" || f.Changed || f.Name == "help" || f.Name == "version" {
			return
		}
		if err := flags.Set(f.Name, value); err != nil && failed == nil {
			failed = schema.Faultf(schema.FaultUsage, "see s2g --help", "%s: %w", name, err)
		}
		s.From[f.Name] = name
	})
	return failed
}

// Getenv returns the value of a variable. A secret may come from the file that the variable NAME_FILE names.
func (s *Settings) Getenv(name string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return s.secrets[name]
}

// setFromFile sets the flags that command line and environment leave open. The file may hold flags of other commands.
func (s *Settings) setFromFile(cmd *cobra.Command) error {
	file := cmd.Flags().Lookup("config")
	if file == nil || file.Value.String() == "" {
		return nil
	}
	list, err := Read(file.Value.String())
	if err != nil {
		return err
	}
	known := commandline.FlagNames(cmd.Root())
	for _, setting := range list {
		if !slices.Contains(known, setting.Name) {
			return unknownSetting(setting, known)
		}
		f := cmd.Flags().Lookup(setting.Name)
		if f == nil || s.From[setting.Name] != "" {
			continue
		}
		if err := setFlag(cmd.Flags(), f, setting.Values); err != nil {
			return setting.Faultf("see "+cmd.CommandPath()+" --help", "%w", err)
		}
		s.From[setting.Name] = setting.Where()
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
func unknownSetting(s Setting, known []string) error {
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

// refusePassword returns a fault if the command line or the configuration file holds the password of a DSN, because other
// users can read both.
func (s *Settings) refusePassword(flags *pflag.FlagSet) error {
	f := flags.Lookup("dsn")
	from := s.From["dsn"]
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

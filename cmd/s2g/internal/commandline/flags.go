package commandline

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"s2g/cmd/s2g/internal/spelling"
	"s2g/schema"
)

// FlagFault returns the usage fault of a flag that a command cannot parse, with the flag that is probably meant.
func FlagFault(cmd *cobra.Command, err error) error {
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

// CheckValues returns a usage fault if the value of a flag is another flag: the value between them is missing.
func CheckValues(flags *pflag.FlagSet) (err error) {
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

// CheckOneOf returns a usage fault unless the value of a flag is one of the given ones.
func CheckOneOf(flag, value string, values []string) error {
	if slices.Contains(values, value) {
		return nil
	}
	return schema.Faultf(schema.FaultUsage, "it takes "+strings.Join(values, ", "), "--%s has the value %q", flag, value)
}

// ParseDate parses the value of --since: the beginning of a year, a month or a day in UTC, or a moment as in RFC 3339. The
// empty value is the zero time.
func ParseDate(value string) (time.Time, error) {
	if value == "" {
		return time.Time{}, nil
	}
	for _, form := range []string{"2006", "2006-01", time.DateOnly, time.RFC3339} {
		if t, err := time.Parse(form, value); err == nil {
			return t, nil
		}
	}
	return time.Time{}, schema.Faultf(schema.FaultUsage, "give a date as 2023, 2023-05 or 2023-05-31", "--since: %q is not a date", value)
}

// OnlyFlags are the flags that no file can set.
var OnlyFlags = []string{"help", "version", "config"}

// Variable returns the variable of a flag: S2G_DB_MEMORY of db-memory.
func Variable(flag string) string {
	return "S2G_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// MisspeltVariable returns the usage fault of a variable that is probably a misspelt flag. Other variables that begin with
// S2G_ are not the program's concern: Kubernetes sets such ones for a service of that name.
func MisspeltVariable(environment, flags []string) error {
	for _, entry := range environment {
		name, value, _ := strings.Cut(entry, "=")
		rest, ours := strings.CutPrefix(name, "S2G_")
		flag := strings.ToLower(strings.ReplaceAll(rest, "_", "-"))
		if !ours || value == "" || len(flag) < 6 || slices.Contains(flags, flag) || slices.Contains(OnlyFlags, flag) {
			continue
		}
		if near := spelling.Nearest(flag, flags); near != "" && spelling.Distance(flag, near) <= 2 {
			return schema.Faultf(schema.FaultUsage, "did you mean "+Variable(near)+"?", "no flag has the variable %s", name)
		}
	}
	return nil
}

// FlagNames returns the names of the flags that a file may set, of all commands, in order.
func FlagNames(root *cobra.Command) []string {
	var names []string
	visit := func(f *pflag.Flag) {
		if !slices.Contains(names, f.Name) && !slices.Contains(OnlyFlags, f.Name) {
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

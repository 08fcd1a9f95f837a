package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"s2g/cmd/s2g/internal/build"
	"s2g/cmd/s2g/internal/config"
	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/vectors/embed"
)

// remote returns the options of clients of embedding endpoints, with --retry-for where flags has it.
func (a *app) remote(flags *pflag.FlagSet) embed.RemoteOptions {
	o := embed.RemoteOptions{Log: a.log, Getenv: a.settings.Getenv}
	if retryFor, err := flags.GetDuration("retry-for"); err == nil {
		o.RetryFor = retryFor
		if retryFor == 0 {
			o.RetryFor = -1 // none; 0 is the default
		}
	}
	return o
}

// logSettings logs the values and origins of flags, for --verbose. The first call, without options, logs the flags that do
// not depend on a build; the second logs the others with the resolved options.
func (a *app) logSettings(flags *pflag.FlagSet, resolved *options) {
	flags.VisitAll(func(f *pflag.Flag) {
		value, from := f.Value.String(), a.settings.From[f.Name]
		if value == "[]" {
			value = ""
		}
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
		if a.settings.From[f.Name] == "" && slices.Contains(build.Sticky(), f.Name) && value != f.DefValue && value != "[]" {
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

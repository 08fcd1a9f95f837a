package build

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"s2g/ingest/dump"
	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/vocab"
	"s2g/vectors/embed"
)

// Options are the options of a build in one folder. A stage that runs alone uses those that concern it.
type Options struct {
	Out string // the folder

	Dump       string  // path of the dump; see [dump.Find]
	DumpSite   string  // site to read, if the path holds several
	Rehash     bool    // the dump is identified by its bytes, not by its files' names, sizes and times
	Strict     bool    // the first bad row is an error
	MaxRejects float64 // share of bad rows in a table above which ingest fails, 0 to 1

	DSN    string // MariaDB of the user; empty: a private server in Out
	Memory int64  // buffer pool of the private server, bytes; 0: its default

	Workers int              // goroutines side by side; 0: each stage's default
	Shape   manifest.Options // the options that shape outputs; the manifest stores them
	Tool    string           // version of s2g, for the manifest
	InPlace bool             // a stage overwrites its outputs; else they stay in service until the new ones are complete
	Replace bool             // a run may delete what an endpoint has made and files of an unknown build, and replace a build of another site
	Remote  embed.RemoteOptions

	Log *slog.Logger

	// Progress begins to show a stage that is not up to date. It returns the stage's callback, which takes the name of
	// the work, its done part and its total, and a function that ends the display.
	Progress func(stage string) (report func(what string, done, total int64), end func())

	// LimitMemory limits the memory of the process, in bytes, until its result is called. nil limits nothing.
	LimitMemory func(bytes int64) (release func())

	// Fits returns an error if the machine lacks disk or memory for the given stages. nil checks nothing.
	Fits func(ctx context.Context, o *Options, m *manifest.Manifest, stages []string) error

	tmp      string                    // folder for archives inside archives; empty: the system's
	looks    map[string]*manifest.Look // at the files of stages; see isFresh
	lookTime time.Duration             // that they took
	sums     map[string]string         // hashes of the dump's tables, once readSums has run

	examined bool // the fields below are set
	form     dump.Form
	tags     []dump.TagCount
}

// sticky has the options that [Options.Inherit] takes from a build: those that shape outputs. Each function restores the
// value of a given one. The option reuse is not among them: it concerns one run.
var sticky = map[string]func(to *manifest.Options, own manifest.Options){
	"site":          func(to *manifest.Options, own manifest.Options) { to.Site = own.Site },
	"languages":     func(to *manifest.Options, own manifest.Options) { to.Languages = own.Languages },
	"other":         func(to *manifest.Options, own manifest.Options) { to.Other = own.Other },
	"whole-site":    func(to *manifest.Options, own manifest.Options) { to.WholeSite = own.WholeSite },
	"without":       func(to *manifest.Options, own manifest.Options) { to.Without = own.Without },
	"compress":      func(to *manifest.Options, own manifest.Options) { to.Compress = own.Compress },
	"graph-format":  func(to *manifest.Options, own manifest.Options) { to.GraphFormat = own.GraphFormat },
	"materialize":   func(to *manifest.Options, own manifest.Options) { to.Materialize = own.Materialize },
	"units":         func(to *manifest.Options, own manifest.Options) { to.Units = own.Units },
	"window":        func(to *manifest.Options, own manifest.Options) { to.Window = own.Window },
	"overlap":       func(to *manifest.Options, own manifest.Options) { to.Overlap = own.Overlap },
	"dense":         func(to *manifest.Options, own manifest.Options) { to.Dense = own.Dense },
	"sparse":        func(to *manifest.Options, own manifest.Options) { to.Sparse = own.Sparse },
	"text-language": func(to *manifest.Options, own manifest.Options) { to.TextLanguage = own.TextLanguage },
	"links":         func(to *manifest.Options, own manifest.Options) { to.Links = own.Links },
}

// Sticky returns the names of the options that [Options.Inherit] takes from a build, in order.
func Sticky() []string {
	return slices.Sorted(maps.Keys(sticky))
}

// Inherit replaces the options that shape outputs by those of the build in Out, whose manifest is m. It keeps given
// options and those that no stage of the build has set yet. A chosen site is not that of a dump which names another site
// than the dump before, nor is its text language.
func (o *Options) Inherit(m *manifest.Manifest, given func(option string) bool) error {
	own, built := o.Shape, m.Options
	if given("window") && own.Window == 0 {
		return checkWindow(own.Window, own.Overlap)
	}
	o.Shape = built
	o.Shape.Reuse = own.Reuse
	for name, keep := range sticky {
		if given(name) {
			keep(&o.Shape, own)
		}
	}
	s := &o.Shape
	switch {
	case s.Languages == nil && !s.WholeSite:
		s.Languages = own.Languages
	case s.WholeSite && !built.WholeSite && !given("languages") && slices.Equal(s.Languages, schema.DefaultLanguages()):
		s.Languages = nil // the default table stands beside the whole site only where it is given
	}
	s.Compress = cmp.Or(s.Compress, own.Compress)
	s.GraphFormat = cmp.Or(s.GraphFormat, own.GraphFormat)
	if built.Units == "" { // vectors set these together, and an overlap of 0 is a choice
		s.Units, s.Window, s.Overlap, s.Dense, s.Sparse = own.Units, own.Window, own.Overlap, own.Dense, own.Sparse
	}
	if s.TextLanguage == "" && !given("text-language") && m.Stages[manifest.Vectors] != nil {
		s.TextLanguage = string(embed.English) // the build is older than the option
	}
	if o.Dump != "" && m.Stages[manifest.Ingest] != nil && (s.Site != "" && !given("site") || s.TextLanguage != "" && !given("text-language")) {
		plan, err := o.ingestPlan(m)
		if err != nil {
			return err
		}
		if named := plan.Dump.Site; named != "" && named != m.Dump.Site {
			if !given("site") {
				s.Site = ""
			}
			if !given("text-language") {
				s.TextLanguage = ""
			}
		}
	}
	return nil
}

// Choices has the values of the options that take one of a list.
var Choices = map[string][]string{
	"compress":     {"gzip", "zstd", "none"},
	"graph-format": {"trig", "nquads"},
	"units":        {"question", "question,answer"},
}

// OptionalTables are the tables that the option without may name.
var OptionalTables = []string{"comments", "votes", "links", "tags"}

// Complete checks the options and expands the site to its URL.
func (o *Options) Complete() error {
	s := &o.Shape
	if s.Site != "" {
		site, err := vocab.ParseSite(s.Site)
		if err != nil {
			return err
		}
		s.Site = string(site)
	}
	for _, c := range []struct{ option, value string }{{"compress", s.Compress}, {"graph-format", s.GraphFormat}, {"units", s.Units}} {
		if c.value != "" && !slices.Contains(Choices[c.option], c.value) {
			return schema.Faultf(schema.FaultUsage, "it takes "+strings.Join(Choices[c.option], " or "), "option %s has the value %q", c.option, c.value)
		}
	}
	if s.TextLanguage != "" {
		language, err := embed.ParseLanguage(s.TextLanguage)
		if err != nil {
			return fmt.Errorf("option text-language: %w", err)
		}
		s.TextLanguage = string(language)
	}
	for _, name := range s.Without {
		if !slices.Contains(OptionalTables, name) {
			return schema.Faultf(schema.FaultUsage, "it takes comments, votes, links and tags", "option without names %q", name)
		}
	}
	if s.Window != 0 { // else the command has no such option, and the build no vectors
		if err := checkWindow(s.Window, s.Overlap); err != nil {
			return err
		}
	}
	if s.WholeSite && s.Other {
		return schema.Faultf(schema.FaultUsage, "leave one of them out, or set it to false", "options whole-site and other exclude each other: the site's graph has every question")
	}
	if sameFolder(o.Dump, o.Out) {
		return schema.Faultf(schema.FaultUsage, "give the build a folder of its own", "option dump and option out are the same folder, %s", o.Out)
	}
	if o.MaxRejects < 0 || o.MaxRejects > 1 {
		return schema.Faultf(schema.FaultUsage, "0.01 is one row in a hundred", "option max-rejects is a share from 0 to 1, not %g", o.MaxRejects)
	}
	return nil
}

func checkWindow(window, overlap int) error {
	if window >= 16 && overlap >= 0 && overlap < window/2 {
		return nil
	}
	return schema.Faultf(schema.FaultUsage, "the window is at least 16 tokens, the overlap less than half of it", "option window %d with option overlap %d", window, overlap)
}

// sameFolder reports whether two paths lead to one existing folder.
func sameFolder(a, b string) bool {
	first, errFirst := os.Stat(a)
	second, errSecond := os.Stat(b)
	return errFirst == nil && errSecond == nil && os.SameFile(first, second)
}

package plan

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"strings"
	"text/tabwriter"

	"github.com/dustin/go-humanize"

	"s2g/cmd/s2g/internal/build"
	"s2g/ingest/dump"
	"s2g/schema/manifest"
	"s2g/schema/memory"
	"s2g/schema/tables"
)

// Examination is what a machine has for a build, and what the build would take.
type Examination struct {
	Programs []Program   `json:"programs"`
	Cores    int         `json:"cores"`
	Memory   int64       `json:"memory"` // bytes
	Services []Service   `json:"services,omitempty"`
	Dump     []DumpTable `json:"dump,omitempty"`
	Form     *dump.Form  `json:"form,omitempty"` // of the dump's text
	Plan     *Plan       `json:"plan,omitempty"`
}

// Program is a program that a build starts.
type Program struct {
	Name    string `json:"name"`
	Path    string `json:"path,omitempty"`
	Version string `json:"version,omitempty"`
	Missing string `json:"missing,omitempty"` // consequence of its absence
}

// DumpTable is a table of the dump.
type DumpTable struct {
	Table   string `json:"table"`
	File    string `json:"file"`
	Decoded int64  `json:"decoded"` // bytes of XML; -1 if unknown before ingest
}

// Examine examines programs, machine, services and, if the options name them, the dump and the build. It changes
// nothing. The error joins all that is missing; the examination is returned with it.
func Examine(ctx context.Context, o *build.Options, m *manifest.Manifest, servers Servers) (*Examination, error) {
	e := &Examination{Cores: runtime.NumCPU(), Memory: memory.Machine()}
	server, serverErr := mariadb()
	e.Programs = []Program{server, sevenZip()}
	if o.DSN != "" {
		serverErr = nil // the user's server is used, not a private one
	}
	dimensions, servicesErr := e.examineServices(ctx, o, servers)
	planErr := e.examineBuild(ctx, o, m, dimensions)
	return e, errors.Join(serverErr, planErr, servicesErr)
}

func mariadb() (Program, error) {
	path, version, err := tables.Installed()
	p := Program{Name: "mariadbd", Path: path, Version: version}
	if err != nil {
		p.Missing = err.Error()
	}
	return p, err
}

func sevenZip() Program {
	for _, name := range []string{"7z", "7zz", "7za"} {
		if path, err := exec.LookPath(name); err == nil {
			return Program{Name: name, Path: path}
		}
	}
	return Program{Name: "7z", Missing: "not installed: .7z archives are read by the built-in decoder, two to four times slower"}
}

// examineBuild plans the build and reads the form of the dump, if the options name them.
func (e *Examination) examineBuild(ctx context.Context, o *build.Options, m *manifest.Manifest, dimensions int) error {
	if o.Dump == "" && o.Out == "" {
		return nil
	}
	plan, err := newPlan(ctx, o, m, build.Stages, dimensions)
	if err != nil {
		return err
	}
	e.Plan = plan
	var tagsErr error
	e.Plan.Warnings, tagsErr = o.CheckTags(ctx, m, build.Stages)
	if plan.dump != nil {
		for _, member := range plan.dump.Tables() {
			e.Dump = append(e.Dump, DumpTable{Table: member.Table, File: member.Name, Decoded: member.Size})
		}
		form, err := plan.dump.DetectForm(ctx)
		if err != nil {
			return err
		}
		e.Form = &form
	}
	return errors.Join(tagsErr, plan.Err())
}

// describeForm returns the form of a dump's text in words.
func describeForm(f dump.Form) string {
	words := []string{f.Encoding}
	if f.BOM {
		words = append(words, "byte order mark")
	}
	if f.Tags != "" {
		words = append(words, "tags as "+f.Tags)
	}
	if f.License {
		words = append(words, "licences in rows")
	}
	if era := f.Era(); era != "" {
		words = append(words, "so probably "+era)
	}
	return strings.Join(words, ", ")
}

// Write prints the examination as tables for people.
func (e *Examination) Write(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, p := range e.Programs {
		state := p.Version + "\t" + p.Path
		if p.Missing != "" {
			state = "missing\t" + p.Missing
		}
		fmt.Fprintf(t, "%s\t%s\n", p.Name, state)
	}
	fmt.Fprintf(t, "machine\t%d cores\t%s of memory\n", e.Cores, size(e.Memory))
	if len(e.Services) > 0 {
		fmt.Fprintln(t) // columns of their own
	}
	for _, s := range e.Services {
		state := s.Answer
		if s.Missing != "" {
			state = "missing: " + s.Missing
		}
		fmt.Fprintf(t, "%s\t%s\t%s\n", s.Name, s.Address, state)
	}
	if len(e.Dump) > 0 {
		fmt.Fprintln(t)
	}
	for _, d := range e.Dump {
		decoded := "size unknown before ingest"
		if d.Decoded >= 0 {
			decoded = humanize.IBytes(uint64(d.Decoded)) + " of XML"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\n", d.Table, decoded, d.File)
	}
	if e.Form != nil && e.Form.Table != "" {
		fmt.Fprintf(t, "form\t%s\n", describeForm(*e.Form))
	}
	if err := t.Flush(); err != nil || e.Plan == nil {
		return err
	}
	fmt.Fprintln(w)
	return e.Plan.Write(w)
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"strings"
	"text/tabwriter"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"s2g/cmd/s2g/internal/plan"
	"s2g/ingest/dump"
	"s2g/schema/manifest"
	"s2g/schema/tables"
)

const doctorHelp = `Says whether this machine is fit for a build: its programs, memory and disk; with --dump what is in the dump,
and with --out what a build there would take. The servers that --dsn, --dense, --sparse, --graphdb and --qdrant name
are asked whether they are there. It reads little and changes nothing; the rights of --dsn are tried on a table that
is dropped at once. Exit code 2: something is missing, 4: a server does not answer; the message says which.

    s2g doctor --dump stackoverflow.com.7z --out build --qdrant 127.0.0.1 --graphdb http://localhost:7200`

// examination is what doctor found.
type examination struct {
	Programs []program   `json:"programs"`
	Cores    int         `json:"cores"`
	Memory   int64       `json:"memory"` // bytes
	Services []service   `json:"services,omitempty"`
	Dump     []dumpTable `json:"dump,omitempty"`
	Form     *dump.Form  `json:"form,omitempty"` // of the dump's text
	Plan     *plan.Plan  `json:"plan,omitempty"`
}

type program struct {
	Name    string `json:"name"`
	Path    string `json:"path,omitempty"`
	Version string `json:"version,omitempty"`
	Missing string `json:"missing,omitempty"` // what follows from its absence
}

type dumpTable struct {
	Table   string `json:"table"`
	File    string `json:"file"`
	Decoded int64  `json:"decoded"` // bytes, -1 where only reading it tells
}

// doctorServers are the servers of a load.
type doctorServers struct {
	graphDB string
	qdrantFlags
}

func (a *app) doctor() *cobra.Command {
	o, servers := &options{}, &doctorServers{}
	cmd := &cobra.Command{
		Use:   "doctor [--dump PATH] [--out DIR]",
		Short: "is this machine fit for a build, and what would it take",
		Long:  doctorHelp,
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return a.examine(cmd, o, servers) },
	}
	f := cmd.Flags()
	o.buildFlags(f)
	f.StringVar(&servers.graphDB, "graphdb", "", "`URL` of GraphDB or RDF4J Server, as http://localhost:7200")
	servers.flags(f, "qdrant")
	return cmd
}

func (a *app) examine(cmd *cobra.Command, o *options, servers *doctorServers) error {
	e := examination{Cores: runtime.NumCPU(), Memory: tables.MachineMemory()}
	server, serverErr := mariadb()
	e.Programs = []program{server, sevenZip()}
	if o.dsn != "" {
		serverErr = nil // the user's server is used, not a private one
	}
	m, err := existing(o.out)
	if err != nil {
		return err
	}
	if err := a.resolve(cmd, o, m, o.dump == ""); err != nil {
		return err
	}
	servicesErr := a.examineServices(cmd.Context(), o, servers, &e)
	planErr := a.examineDump(cmd.Context(), o, m, &e)
	var printErr error
	if a.json {
		printErr = json.NewEncoder(a.stdout).Encode(e)
	} else {
		printErr = e.write(a.stdout)
	}
	return errors.Join(serverErr, planErr, servicesErr, printErr)
}

func mariadb() (program, error) {
	path, version, err := tables.Installed()
	p := program{Name: "mariadbd", Path: path, Version: version}
	if err != nil {
		p.Missing = err.Error()
	}
	return p, err
}

func sevenZip() program {
	for _, name := range []string{"7z", "7zz", "7za"} {
		if path, err := exec.LookPath(name); err == nil {
			return program{Name: name, Path: path}
		}
	}
	return program{Name: "7z", Missing: "not installed: .7z archives are read by the built-in decoder, two to four times slower"}
}

// examineDump looks at the dump and plans the build, as far as they are given.
func (a *app) examineDump(ctx context.Context, o *options, m *manifest.Manifest, e *examination) error {
	if o.dump == "" && o.out == "" {
		return nil
	}
	if err := a.readSumsFor(ctx, o, m, allStages, ""); err != nil {
		return err
	}
	plan, found, err := o.plan(ctx, m, allStages)
	if err != nil {
		return err
	}
	e.Plan = plan
	if found != nil {
		e.Dump = dumpTables(found)
		form, err := found.DetectForm(ctx)
		if err != nil {
			return err
		}
		e.Form = &form
	}
	return plan.Err()
}

func dumpTables(d *dump.Dump) []dumpTable {
	var list []dumpTable
	for _, m := range d.Tables() {
		list = append(list, dumpTable{Table: m.Table, File: m.Name, Decoded: m.Size})
	}
	return list
}

// describe says in words what a dump's text looks like.
func describe(g dump.Form) string {
	words := []string{g.Encoding}
	if g.BOM {
		words = append(words, "byte order mark")
	}
	if g.Tags != "" {
		words = append(words, "tags as "+g.Tags)
	}
	if g.License {
		words = append(words, "licences in rows")
	}
	if era := g.Era(); era != "" {
		words = append(words, "so probably "+era)
	}
	return strings.Join(words, ", ")
}

func (e *examination) write(w io.Writer) error {
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
		state := s.Says
		if s.Missing != "" {
			state = "missing: " + s.Missing
		}
		fmt.Fprintf(t, "%s\t%s\t%s\n", s.Name, s.Address, state)
	}
	if len(e.Dump) > 0 {
		fmt.Fprintln(t)
	}
	for _, d := range e.Dump {
		decoded := "size known when it is read"
		if d.Decoded >= 0 {
			decoded = humanize.IBytes(uint64(d.Decoded)) + " of XML"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\n", d.Table, decoded, d.File)
	}
	if e.Form != nil && e.Form.Table != "" {
		fmt.Fprintf(t, "form\t%s\n", describe(*e.Form))
	}
	if err := t.Flush(); err != nil || e.Plan == nil {
		return err
	}
	fmt.Fprintln(w)
	return e.Plan.Write(w)
}

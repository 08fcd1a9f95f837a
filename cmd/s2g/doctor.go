package main

import (
	"errors"

	"github.com/spf13/cobra"

	"s2g/cmd/s2g/internal/destination"
	"s2g/cmd/s2g/internal/plan"
)

const doctorHelp = `Checks the programs, memory and disk of this machine for a build. With --dump it lists the tables of the dump, with --out
it estimates what a build there takes. It sends a request to each server of --dsn, --dense, --sparse, --graphdb and
--qdrant. It reads little and changes nothing; the rights of --dsn are checked on a temporary table. Exit code 2:
something is missing, 4: a server does not answer; the message names it.

    s2g doctor --dump stackoverflow.com.7z --out build --qdrant 127.0.0.1 --graphdb http://localhost:7200`

func (a *app) doctor() *cobra.Command {
	o := &options{}
	var graphDB string
	var q destination.Qdrant
	cmd := &cobra.Command{
		Use:   "doctor [--dump PATH] [--out DIR]",
		Short: "check machine and servers for a build, and estimate what it takes",
		Long:  doctorHelp,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			m, err := manifestOf(o.Out)
			if err != nil {
				return err
			}
			if err := a.resolve(cmd, o, m); err != nil {
				return err
			}
			servers := plan.Servers{GraphDB: graphDB, Qdrant: q.URL, Access: q.Access(a.environment()), Secrets: a.settings.Redacted}
			examination, missing := plan.Examine(cmd.Context(), &o.Options, m, servers)
			if a.json {
				err = printJSON(a, examination)
			} else {
				err = a.writeWithFlagNames(a.stdout, examination.Write)
			}
			return errors.Join(missing, err)
		},
	}
	f := cmd.Flags()
	o.buildFlags(f)
	f.StringVar(&graphDB, "graphdb", "", "`URL` of GraphDB or RDF4J Server, as http://localhost:7200")
	qdrantFlags(f, &q, "qdrant")
	return cmd
}

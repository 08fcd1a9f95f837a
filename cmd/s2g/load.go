package main

import (
	"github.com/spf13/cobra"

	"s2g/schema"
)

const loadHelp = `Loads a build into a server. What was loaded is asked of the server, so a load that was stopped, or whose
server was, goes on where it was when the same command is given again.`

// load is the parent of the commands that put a build into a server.
func (a *app) load() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "load",
		Short: "put a build into a server",
		Long:  loadHelp,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return schema.Faultf(schema.FaultUsage, "see s2g load --help", "no server named")
		},
	}
	cmd.AddCommand(a.loadGraphDB(), a.loadQdrant())
	return cmd
}

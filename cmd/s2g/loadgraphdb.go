package main

import (
	"github.com/spf13/cobra"

	"s2g/schema"
)

// loadGraphDB puts the graph into GraphDB or RDF4J Server.
func (a *app) loadGraphDB() *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:    "graphdb --out DIR --url URL",
		Short:  "put the graph into GraphDB or RDF4J Server",
		Args:   cobra.NoArgs,
		Hidden: true,
		RunE: func(*cobra.Command, []string) error {
			if err := o.needBuild(); err != nil {
				return err
			}
			return schema.Faultf(schema.FaultUsage, "load the files of "+o.out+"/graph with the server's own tools", "load graphdb is not there yet")
		},
	}
	o.outFlag(cmd.Flags())
	return cmd
}

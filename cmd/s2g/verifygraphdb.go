package main

import (
	"time"

	"github.com/spf13/pflag"

	"s2g/cmd/s2g/internal/verify"
	"s2g/schema/manifest"
)

// countingTimeout is how long a server may count the statements of a graph;
// comparedNodes is of how many nodes the statements are compared one by one.
const (
	countingTimeout = time.Hour
	comparedNodes   = 1000
)

// verifiedGraphDB says which repository is held against a build.
type verifiedGraphDB struct {
	graphDBFlags
	nodes int
}

func (v *verifiedGraphDB) verifyFlags(f *pflag.FlagSet) {
	v.flags(f, "graphdb")
	v.patienceFlags(f, countingTimeout, "counting the statements of a graph")
	f.IntVar(&v.nodes, "graphdb-nodes", comparedNodes, "of how many nodes GraphDB's statements are compared one by one; -1: every statement, which reads the whole repository")
}

// open gives the repository that the flags name; it asks nothing.
func (v *verifiedGraphDB) open(a *app, o *options, m *manifest.Manifest) (server verify.Server, end func(), err error) {
	_, name, err := v.graphBuild(o, m)
	if err != nil {
		return nil, nil, err
	}
	client, err := v.client(a)
	if err != nil {
		return nil, nil, err
	}
	shown := a.progress("verify graphdb", inRows)
	stop := shown.alive()
	server = &verify.GraphDB{Repository: client.Repository(name), Nodes: v.nodes, RetryFor: v.retryFor, Log: a.log, Progress: shown.report}
	return server, func() { stop(); shown.end(); client.Close() }, nil
}

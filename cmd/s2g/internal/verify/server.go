package verify

import (
	"context"

	"s2g/cmd/s2g/internal/oracle"
	"s2g/schema/manifest"
)

// Server is a service that a build was loaded into. It is compared with the build
// itself, never with what the load reported.
type Server interface {
	// Compare returns its checks in order, those with differences included. An error
	// means that a query of the server, or a read of the build, failed.
	Compare(ctx context.Context, build *Contents) ([]Check, error)
}

// Contents is a verified build, as its servers must hold it.
type Contents struct {
	*verifier
	graphQuads []oracle.Tallies // by graph: of the tables where there are any, else of the files
}

// MovedTo sets the folder of the files, after the build has been put in service.
func (c *Contents) MovedTo(out string) { c.out = out }

// contents returns the contents after readFiles. want is nil where there are no tables.
func (v *verifier) contents(want *oracle.Expected) *Contents {
	c := &Contents{verifier: v, graphQuads: v.quads.graphs}
	if want != nil && v.has(manifest.Graph) {
		c.graphQuads = want.Graphs
	}
	return c
}

// CompareServers compares servers with the build. It does not verify the files again.
// Its errors are those of Run.
func (c *Contents) CompareServers(ctx context.Context, servers ...Server) (Report, error) {
	r := Report{Contents: c}
	for _, s := range servers {
		checks, err := s.Compare(ctx, c)
		if err != nil {
			return r, err
		}
		r.Checks = append(r.Checks, checks...)
	}
	return r, r.fault(c.out)
}

package main

import (
	"context"

	"github.com/spf13/pflag"

	"s2g/cmd/s2g/internal/verify"
	"s2g/schema/manifest"
)

// verifiedServers say which servers are held against a build.
type verifiedServers struct {
	graphDB verifiedGraphDB
	qdrant  verifiedQdrant
	prefix  string
}

func (v *verifiedServers) flags(f *pflag.FlagSet) {
	v.graphDB.verifyFlags(f)
	v.qdrant.verifyFlags(f)
	f.StringVar(&v.prefix, "prefix", "", "what the names of repositories and collections begin with (default so for stackoverflow.com, else the site's name)")
}

// openVerified connects to the servers that the flags name. End is to be called when
// they were compared.
func (a *app) openVerified(ctx context.Context, o *options, m *manifest.Manifest, v *verifiedServers) (servers []verify.Server, end func(), err error) {
	var ends []func()
	end = func() {
		for _, e := range ends {
			e()
		}
	}
	v.graphDB.prefix, v.qdrant.prefix = v.prefix, v.prefix
	v.qdrant.retryFor = v.graphDB.retryFor
	if v.graphDB.url != "" {
		server, e, err := v.graphDB.open(a, o, m)
		if err != nil {
			return nil, nil, err
		}
		servers, ends = append(servers, server), append(ends, e)
	}
	if v.qdrant.url != "" {
		server, e, err := v.qdrant.open(ctx, a, o, m)
		if err != nil {
			end()
			return nil, nil, err
		}
		servers, ends = append(servers, server), append(ends, e)
	}
	return servers, end, nil
}

package main

import (
	"cmp"
	"context"

	"github.com/spf13/pflag"

	"s2g/cmd/s2g/internal/verify"
	"s2g/schema/manifest"
)

// verifiedQdrant says which collections are held against a build.
type verifiedQdrant struct {
	qdrantFlags
	languages string // empty: all
}

func (v *verifiedQdrant) verifyFlags(f *pflag.FlagSet) {
	v.flags(f, "qdrant")
	f.StringVar(&v.languages, "qdrant-languages", "", "the `tags` or slugs of the languages that were loaded into Qdrant (default all of the build)")
}

// open connects to the server.
func (v *verifiedQdrant) open(ctx context.Context, a *app, o *options, m *manifest.Manifest) (server verify.Server, end func(), err error) {
	site, err := o.site(m)
	if err != nil {
		return nil, nil, err
	}
	q := &verify.Qdrant{Prefix: cmp.Or(v.prefix, site.Prefix())}
	if v.languages != "" {
		if q.Languages, err = loadedLanguages(m, v.languages); err != nil {
			return nil, nil, err
		}
	}
	if q.Server, err = v.connect(ctx, a); err != nil {
		return nil, nil, err
	}
	shown := a.progress("verify qdrant", inRows)
	q.Progress = shown.report
	return q, func() {
		shown.end()
		_ = q.Server.Close() // nothing is under way
	}, nil
}

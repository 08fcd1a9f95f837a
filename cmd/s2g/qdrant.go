package main

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/vectors/embed"
	"s2g/vectors/qdrant"
)

// qdrantKey is where the API key stands, or S2G_QDRANT_API_KEY_FILE names its file.
const qdrantKey = "S2G_QDRANT_API_KEY"

// qdrantFlags say which Qdrant server, and how it is reached.
type qdrantFlags struct {
	url, prefix string
	plainKey    bool
	retryFor    time.Duration
}

func (q *qdrantFlags) flags(f *pflag.FlagSet, url string) {
	f.StringVar(&q.url, url, "", "`address` of Qdrant's gRPC: host:port, or https://host:port for TLS (port 6334 unless given); an API key as "+qdrantKey)
	f.BoolVar(&q.plainKey, "qdrant-insecure-key", false, "send the API key to another machine without TLS, too")
}

func (q *qdrantFlags) retryFlag(f *pflag.FlagSet) {
	f.DurationVar(&q.retryFor, "retry-for", qdrant.DefaultRetryFor, "how long a request that fails is tried again")
}

func (q *qdrantFlags) prefixFlag(f *pflag.FlagSet) {
	f.StringVar(&q.prefix, "prefix", "", "what the names of collections begin with (default so for stackoverflow.com, else the site's name)")
}

// access reads the key and says how the server is reached.
func (q *qdrantFlags) access(a *app) (qdrant.Access, error) {
	address, err := qdrant.ParseAddress(q.url)
	if err != nil {
		return qdrant.Access{}, err
	}
	return qdrant.Access{Address: address, Key: a.getenv(qdrantKey), PlainKey: q.plainKey, RetryFor: q.retryFor, Log: a.log}, nil
}

// connect connects to the server.
func (q *qdrantFlags) connect(ctx context.Context, a *app) (*qdrant.Server, error) {
	access, err := q.access(a)
	if err != nil {
		return nil, err
	}
	return qdrant.Open(ctx, access)
}

// qdrantBuild returns the build in OUT as it is loaded. languages are those to load, by tag or slug; empty: all.
func qdrantBuild(out string, m *manifest.Manifest, prefix, languages string) (qdrant.Build, error) {
	edition, err := m.Edition(manifest.Vectors)
	if err != nil {
		return qdrant.Build{}, err
	}
	site, err := m.BuildSite()
	if err != nil {
		return qdrant.Build{}, err
	}
	sparse, err := embed.ParseSpec(cmp.Or(m.Options.Sparse, embed.KindBM25))
	if err != nil {
		return qdrant.Build{}, err
	}
	b := qdrant.Build{
		Prefix: cmp.Or(prefix, site.Prefix()), Edition: edition, IDF: sparse.Kind == embed.KindBM25,
		About: map[string]string{"made_by": "s2g " + toolVersion(), "site": string(site), "dump": m.Dump.Name, "newest_post": m.Dump.Newest, "units": m.Options.Units},
	}
	if e := m.Stages[manifest.Vectors].Embedders; e != nil {
		b.About["dense_model"], b.About["sparse_model"] = e.Dense, e.Sparse
		b.About["dense_weight"] = strconv.FormatFloat(e.Weight, 'g', -1, 64)
	}
	shards := qdrantShards(out, m)
	wanted, err := loadedLanguages(m, languages)
	if err != nil {
		return b, err
	}
	for _, slug := range wanted {
		if of := shards[slug]; len(of) > 0 {
			b.Languages = append(b.Languages, qdrant.Language{Slug: slug, Shards: of})
		} else if languages != "" {
			return b, schema.Faultf(schema.FaultUsage, "see s2g stats --out "+out, "the build has no points of %s", slug)
		}
	}
	b.Part = len(b.Languages) < len(shards)
	return b, nil
}

// qdrantShards are the shards of each language, by slug, in the order of their points.
func qdrantShards(out string, m *manifest.Manifest) map[string][]qdrant.Shard {
	shards := map[string][]qdrant.Shard{}
	for _, f := range m.Stages[manifest.Vectors].Files {
		folder, name := path.Split(f.Name)
		if slug, ok := strings.CutPrefix(path.Clean(folder), "vectors/"); ok && path.Ext(name) == ".parquet" {
			shards[slug] = append(shards[slug], qdrant.Shard{File: filepath.Join(out, filepath.FromSlash(f.Name)), Rows: f.Rows})
		}
	}
	for _, list := range shards {
		slices.SortFunc(list, func(x, y qdrant.Shard) int { // part-100000 follows part-99999
			return cmp.Or(cmp.Compare(len(x.File), len(y.File)), cmp.Compare(x.File, y.File))
		})
	}
	return shards
}

// loadedLanguages returns the slugs of the languages that a flag names, by tag or slug,
// or all of the build.
func loadedLanguages(m *manifest.Manifest, flag string) (slugs []string, err error) {
	if flag == "" {
		for _, l := range m.Options.Languages {
			slugs = append(slugs, l.Slug)
		}
		if m.Options.Other {
			slugs = append(slugs, schema.OtherSlug)
		}
		return slugs, nil
	}
	named, err := schema.ParseLanguages(flag)
	if err != nil {
		return nil, err
	}
	for _, n := range named {
		l, err := chooseLanguage(m, n.Tag)
		if err != nil {
			return nil, fmt.Errorf("--languages: %w", err)
		}
		if !slices.Contains(slugs, l.Slug) {
			slugs = append(slugs, l.Slug)
		}
	}
	return slugs, nil
}

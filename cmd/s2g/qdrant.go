package main

import (
	"cmp"
	"fmt"
	"os"
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

// qdrantKey is where the API key stands, and the only place but for a file.
const qdrantKey = "S2G_QDRANT_API_KEY"

// qdrantFlags say which Qdrant server, and how it is reached.
type qdrantFlags struct {
	url, prefix, keyFile string
	plainKey             bool
	retryFor             time.Duration
}

func (q *qdrantFlags) flags(f *pflag.FlagSet, url string) {
	f.StringVar(&q.url, url, "", "`address` of Qdrant's gRPC: host:port, or https://host:port for TLS (port 6334 unless given); an API key as "+qdrantKey)
	f.StringVar(&q.keyFile, "qdrant-key-file", "", "`file` that holds the API key")
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
	if q.retryFor < 0 {
		return qdrant.Access{}, schema.Faultf(schema.FaultUsage, "as 30s or 5m", "--retry-for %v", q.retryFor)
	}
	access := qdrant.Access{Address: address, Key: a.getenv(qdrantKey), PlainKey: q.plainKey, RetryFor: q.retryFor, Log: a.log}
	if q.keyFile != "" {
		text, err := os.ReadFile(q.keyFile)
		if err != nil {
			return access, schema.Faultf(schema.FaultUsage, "", "reading the API key of Qdrant: %w", err)
		}
		access.Key = strings.TrimSpace(string(text))
	}
	return access, nil
}

// qdrantBuild is the build in OUT as it is loaded, or those of its languages that are
// named.
func (o *options) qdrantBuild(m *manifest.Manifest, prefix string, languages []string) (qdrant.Build, error) {
	edition, err := m.Edition(manifest.Vectors)
	if err != nil {
		return qdrant.Build{}, err
	}
	site, err := o.site(m)
	if err != nil {
		return qdrant.Build{}, err
	}
	sparse, err := embed.ParseSpec(cmp.Or(m.Options.Sparse, embed.KindBM25))
	if err != nil {
		return qdrant.Build{}, err
	}
	b := qdrant.Build{
		Prefix: cmp.Or(prefix, site.Prefix()), Edition: edition, IDF: sparse.Kind == embed.KindBM25, Part: len(languages) > 0,
		About: map[string]string{"made_by": "s2g " + toolVersion(), "site": string(site), "dump": m.Dump.Name, "newest_post": m.Dump.Newest, "units": m.Options.Units},
	}
	if e := m.Stages[manifest.Vectors].Embedders; e != nil {
		b.About["dense_model"], b.About["sparse_model"] = e.Dense, e.Sparse
		b.About["dense_weight"] = strconv.FormatFloat(e.Weight, 'g', -1, 64)
	}
	shards := map[string][]qdrant.Shard{}
	for _, f := range m.Stages[manifest.Vectors].Files {
		folder, name := path.Split(f.Name)
		if slug, ok := strings.CutPrefix(path.Clean(folder), "vectors/"); ok && path.Ext(name) == ".parquet" {
			shards[slug] = append(shards[slug], qdrant.Shard{File: filepath.Join(o.out, filepath.FromSlash(f.Name)), Rows: f.Rows})
		}
	}
	wanted, err := loadedLanguages(m, languages)
	if err != nil {
		return b, err
	}
	for _, slug := range wanted {
		if len(shards[slug]) == 0 {
			if b.Part {
				return b, schema.Faultf(schema.FaultUsage, "see s2g stats --out "+o.out, "the build has no points of %s", slug)
			}
			continue
		}
		slices.SortFunc(shards[slug], func(x, y qdrant.Shard) int { // part-100000 follows part-99999
			return cmp.Or(cmp.Compare(len(x.File), len(y.File)), cmp.Compare(x.File, y.File))
		})
		b.Languages = append(b.Languages, qdrant.Language{Slug: slug, Shards: shards[slug]})
	}
	return b, nil
}

// loadedLanguages returns the slugs of the languages that are named by tag or slug, or
// all of the build.
func loadedLanguages(m *manifest.Manifest, names []string) (slugs []string, err error) {
	if len(names) == 0 {
		for _, l := range m.Options.Languages {
			slugs = append(slugs, l.Slug)
		}
		if m.Options.Other {
			slugs = append(slugs, schema.OtherSlug)
		}
		return slugs, nil
	}
	for _, name := range names {
		l, err := chooseLanguage(m, name)
		if err != nil {
			return nil, fmt.Errorf("--languages: %w", err)
		}
		if !slices.Contains(slugs, l.Slug) {
			slugs = append(slugs, l.Slug)
		}
	}
	return slugs, nil
}

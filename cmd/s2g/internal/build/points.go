package build

import (
	"cmp"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"s2g/cmd/s2g/internal/spelling"
	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/vectors/embed"
	"s2g/vectors/qdrant"
)

// Points returns the points of the build in out, to be loaded into Qdrant. prefix begins the collections' names; empty:
// that of the site. languages is the list of [LoadedLanguages].
func Points(out string, m *manifest.Manifest, tool, prefix, languages string) (qdrant.Build, error) {
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
		About: map[string]string{"made_by": "s2g " + tool, "site": string(site), "dump": m.Dump.Name, "newest_post": m.Dump.Newest, "units": m.Options.Units},
	}
	if e := m.Stages[manifest.Vectors].Embedders; e != nil {
		b.About["dense_model"], b.About["sparse_model"] = e.Dense, e.Sparse
		b.About["dense_weight"] = strconv.FormatFloat(e.Weight, 'g', -1, 64)
	}
	shards := shardsByLanguage(out, m)
	wanted, err := LoadedLanguages(m, languages)
	if err != nil {
		return b, err
	}
	for _, slug := range wanted {
		if files := shards[slug]; len(files) > 0 {
			b.Languages = append(b.Languages, qdrant.Language{Slug: slug, Shards: files})
		} else if languages != "" {
			return b, schema.Faultf(schema.FaultUsage, "see s2g stats with option out "+out, "the build has no points of %s", slug)
		}
	}
	b.Part = len(b.Languages) < len(shards)
	return b, nil
}

// shardsByLanguage returns the shards of each language, by slug, in the order of their points.
func shardsByLanguage(out string, m *manifest.Manifest) map[string][]qdrant.Shard {
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

// LoadedLanguages returns the slugs of the languages in a list of tags and slugs, or of the tags in the file of @FILE; see
// [schema.ParseLanguages]. An empty list means all languages of the build.
func LoadedLanguages(m *manifest.Manifest, list string) (slugs []string, err error) {
	if list == "" {
		for _, l := range m.Options.Graphs() {
			slugs = append(slugs, l.Slug)
		}
		return slugs, nil
	}
	names := strings.Split(list, ",")
	if strings.HasPrefix(list, "@") {
		table, err := schema.ParseLanguages(list)
		if err != nil {
			return nil, err
		}
		names = nil
		for _, l := range table {
			names = append(names, l.Tag)
		}
	}
	for _, name := range names {
		l, err := Language(m, strings.TrimSpace(name))
		if err != nil {
			return nil, fmt.Errorf("option languages: %w", err)
		}
		if !slices.Contains(slugs, l.Slug) {
			slugs = append(slugs, l.Slug)
		}
	}
	return slugs, nil
}

// Language returns the language of a build that has the tag or slug. A build without it is a usage fault.
func Language(m *manifest.Manifest, name string) (schema.Language, error) {
	var names []string
	for _, l := range m.Options.Graphs() {
		if name != "" && (name == l.Tag || name == l.Slug) {
			return l, nil
		}
		names = append(names, l.Tag, l.Slug)
	}
	remedy := "see s2g languages with option out"
	if near := spelling.Nearest(strings.ToLower(name), names); near != "" {
		remedy = "did you mean " + near + "? " + remedy
	}
	return schema.Language{}, schema.Faultf(schema.FaultUsage, remedy, "this build has no language %q", name)
}

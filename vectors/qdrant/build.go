package qdrant

import (
	"fmt"
	"regexp"
	"strings"

	"s2g/schema"
	"s2g/vectors/shard"
)

// Build describes the shards to load, by language.
type Build struct {
	Prefix    string // of all names; letters, digits and hyphens
	Edition   string // DATE_HASH; see manifest.Edition
	Languages []Language
	IDF       bool              // the server multiplies sparse vectors by the inverse document frequency
	About     map[string]string // metadata of each collection, for people
	Part      bool              // Languages are only some of the build's: aliases of the others stay
}

// Language lists the shards of a language, in the order of their point ids.
type Language struct {
	Slug   string
	Shards []Shard
}

// Shard is a Parquet file.
type Shard struct {
	File string
	Rows int64
}

// Points returns the number of points of the language.
func (l Language) Points() int64 {
	var n int64
	for _, s := range l.Shards {
		n += s.Rows
	}
	return n
}

// dimensions returns the length of the dense vectors, which it reads from a shard.
func (l Language) dimensions() (int, error) {
	r, err := shard.Open(l.Shards[0].File)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	if !r.Scan() || len(r.Point().Dense) == 0 {
		return 0, fmt.Errorf("%s holds no point with a dense vector: %w", l.Shards[0].File, r.Err())
	}
	return len(r.Point().Dense), nil
}

// Points returns the number of points of all languages.
func (b Build) Points() int64 {
	var n int64
	for _, l := range b.Languages {
		n += l.Points()
	}
	return n
}

var prefixForm = regexp.MustCompile(`^[a-z0-9-]+$`)

// Check returns a usage fault where the build cannot be loaded.
func (b Build) Check() error {
	if !prefixForm.MatchString(b.Prefix) {
		return schema.Faultf(schema.FaultUsage, "give lower-case letters, digits and hyphens", "%q cannot begin the names of collections", b.Prefix)
	}
	if len(b.Languages) == 0 {
		return schema.Faultf(schema.FaultUsage, "see s2g stats", "the build has no points to load")
	}
	return nil
}

// Alias returns the name of a language's collection for users.
func (b Build) Alias(slug string) string { return b.Prefix + "_" + slug }

// Collection returns the name of a language's collection.
func (b Build) Collection(slug string) string { return b.Alias(slug) + "_" + b.Edition }

// editionForm matches the name of a collection without its prefix; see
// manifest.Edition.
var editionForm = regexp.MustCompile(`^(.+)_(\d{4}-\d{2}-\d{2}|undated)_[0-9a-f]{8}$`)

// parseCollection splits the name of a collection of any build with this prefix. A
// prefix has no underscore, so that of another site never matches.
func (b Build) parseCollection(collection string) (slug, date string, ok bool) {
	rest, ok := strings.CutPrefix(collection, b.Prefix+"_")
	if !ok {
		return "", "", false
	}
	m := editionForm.FindStringSubmatch(rest)
	if m == nil {
		return "", "", false
	}
	return m[1], m[2], true
}

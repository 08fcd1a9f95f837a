package shard

import (
	"errors"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"

	"s2g/schema"
	"s2g/schema/manifest"
)

// Catalog locates the files of a build: the shards of each language, and the part that holds
// a post. A part covers the same range of post ids in all languages and in parents/. Parts
// ascend by post ids. A Catalog is safe for concurrent use.
type Catalog struct {
	out     string
	shards  map[string][]string // names by slug, in the order of parts
	parents []string            // names in the order of parts

	mu     sync.Mutex
	bounds map[string][2]int64 // lowest and highest post id of files of parents, as far as read
}

// Stage returns the stage vectors of the build in out, whose manifest is m. A build without
// it is a usage fault.
func Stage(out string, m *manifest.Manifest) (*manifest.Stage, error) {
	if stage := m.Stages[manifest.Vectors]; stage != nil {
		return stage, nil
	}
	return nil, schema.Faultf(schema.FaultUsage, "run s2g build with option out "+out, "%s holds no vectors", out)
}

// OpenCatalog lists the files of the build in out, whose manifest is m. Errors are those of
// [Stage].
func OpenCatalog(out string, m *manifest.Manifest) (*Catalog, error) {
	stage, err := Stage(out, m)
	if err != nil {
		return nil, err
	}
	c := &Catalog{out: out, shards: map[string][]string{}, bounds: map[string][2]int64{}}
	for _, f := range stage.Files {
		folder, file := path.Split(f.Name)
		switch {
		case path.Ext(file) != ".parquet":
		case folder == parentsFolder:
			c.parents = append(c.parents, f.Name)
		case strings.HasPrefix(folder, shardsFolder):
			c.shards[path.Base(folder)] = append(c.shards[path.Base(folder)], f.Name)
		}
	}
	slices.SortFunc(c.parents, manifest.ByNumber)
	for _, names := range c.shards {
		slices.SortFunc(names, manifest.ByNumber)
	}
	return c, nil
}

// Slugs returns the languages that have shards, in alphabetical order.
func (c *Catalog) Slugs() []string { return slices.Sorted(maps.Keys(c.shards)) }

// Shards returns the paths of a language's shards in the order of their points. A language
// without shards is a usage fault.
func (c *Catalog) Shards(slug string) ([]string, error) {
	names := c.shards[slug]
	if len(names) == 0 {
		return nil, schema.Faultf(schema.FaultUsage, "give one of "+strings.Join(c.Slugs(), ", "), "%s holds no vectors of a language %q", c.out, slug)
	}
	paths := make([]string, len(names))
	for i, name := range names {
		paths[i] = c.path(name)
	}
	return paths, nil
}

func (c *Catalog) path(name string) string { return filepath.Join(c.out, filepath.FromSlash(name)) }

// ShardsOfPosts returns the paths of all shards whose parts hold posts from first to last.
func (c *Catalog) ShardsOfPosts(first, last int64) ([]string, error) {
	at, err := c.firstPart(first)
	if err != nil {
		return nil, err
	}
	var paths []string
	for ; at < len(c.parents); at++ {
		bounds, err := c.postBounds(c.parents[at])
		if err != nil {
			return nil, err
		}
		if bounds[0] > last {
			break
		}
		for _, slug := range c.Slugs() {
			if file, ok := c.shard(slug, path.Base(c.parents[at])); ok {
				paths = append(paths, file)
			}
		}
	}
	return paths, nil
}

// shard returns the path of a part of a language's shards, if there is one.
func (c *Catalog) shard(slug, part string) (string, bool) {
	name := shardsFolder + slug + "/" + part
	_, ok := slices.BinarySearchFunc(c.shards[slug], name, manifest.ByNumber)
	return c.path(name), ok
}

// firstPart returns the position in parents of the first part whose highest post id is at
// least post. It opens as many files as a binary search needs.
func (c *Catalog) firstPart(post int64) (at int, err error) {
	at = sort.Search(len(c.parents), func(i int) bool {
		bounds, failed := c.postBounds(c.parents[i])
		err = errors.Join(err, failed)
		return bounds[1] >= post
	})
	return at, err
}

// postBounds returns the lowest and the highest post id of a file of parents.
func (c *Catalog) postBounds(name string) (bounds [2]int64, err error) {
	c.mu.Lock()
	bounds, ok := c.bounds[name]
	c.mu.Unlock()
	if ok {
		return bounds, nil
	}
	f, err := OpenFile(c.path(name))
	if err != nil {
		return bounds, err
	}
	bounds[0], bounds[1], err = f.postBounds()
	if err = errors.Join(err, f.Close()); err == nil {
		c.mu.Lock()
		c.bounds[name] = bounds
		c.mu.Unlock()
	}
	return bounds, err
}

// FindPost returns the first chunk of a post without its vectors, from the shard of a
// language if that has it, else from any. It returns nil where no shard has the post.
func (c *Catalog) FindPost(post int64, slug string) (*Point, error) {
	at, err := c.firstPart(post)
	if err != nil || at == len(c.parents) {
		return nil, err
	}
	slugs := c.Slugs()
	if i := slices.Index(slugs, slug); i > 0 {
		slugs = slices.Insert(slices.Delete(slugs, i, i+1), 0, slug)
	}
	for _, slug := range slugs {
		file, ok := c.shard(slug, path.Base(c.parents[at]))
		if !ok {
			continue
		}
		p, err := lookUp[Point](file, "point_id", PointID(post, 0), withoutVectors...)
		if err != nil || p != nil {
			return p, err
		}
	}
	return nil, nil
}

// FindParent returns the whole text of a post, or nil where the build does not have it.
func (c *Catalog) FindParent(post int64) (*Parent, error) {
	at, err := c.firstPart(post)
	if err != nil || at == len(c.parents) {
		return nil, err
	}
	return lookUp[Parent](c.path(c.parents[at]), "post_id", uint64(post))
}

// lookUp returns the row of a file whose key has a value, or nil where there is none.
func lookUp[T any](file, key string, value uint64, columns ...string) (*T, error) {
	f, err := OpenFile(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	row, found, err := f.findRow(key, value)
	if err != nil || !found {
		return nil, err
	}
	return readRow[T](f, row, columns...)
}

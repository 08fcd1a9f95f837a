package vectors

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/parquet-go/parquet-go"

	"s2g/schema"
	"s2g/schema/manifest"
)

// shelf is where the shards and the parents of a build stand. A part holds the same
// range of post ids in all of them, and parts are ordered by those.
type shelf struct {
	out     string
	shards  map[string][]string // names by slug, ordered by part
	parents []string            // names ordered by part
}

// openShelf lists what the manifest names. A build without vectors is a usage fault.
func openShelf(out string, m *manifest.Manifest) (*shelf, error) {
	stage := m.Stages[manifest.Vectors]
	if stage == nil {
		return nil, schema.Faultf(schema.FaultUsage, "run s2g build --out "+out, "%s holds no vectors", out)
	}
	s := &shelf{out: out, shards: map[string][]string{}}
	for _, f := range stage.Files {
		folder, file := path.Split(f.Name)
		switch {
		case path.Ext(file) != ".parquet":
		case folder == "parents/":
			s.parents = append(s.parents, f.Name)
		case strings.HasPrefix(folder, "vectors/"):
			slug := path.Base(folder)
			s.shards[slug] = append(s.shards[slug], f.Name)
		}
	}
	slices.SortFunc(s.parents, byPart)
	for _, names := range s.shards {
		slices.SortFunc(names, byPart)
	}
	return s, nil
}

// byPart orders the files of a folder: part-100000 follows part-99999.
func byPart(a, b string) int {
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}

// of returns the names of a language's shards. One without any is a usage fault.
func (s *shelf) of(slug string) ([]string, error) {
	if names := s.shards[slug]; len(names) > 0 {
		return names, nil
	}
	return nil, schema.Faultf(schema.FaultUsage, "give one of "+strings.Join(slices.Sorted(maps.Keys(s.shards)), ", "), "%s holds no vectors of a language %q", s.out, slug)
}

func (s *shelf) path(name string) string { return filepath.Join(s.out, filepath.FromSlash(name)) }

// part returns the name of the part that holds a post, if any does: "part-00007.parquet".
// It opens as many parents' files as a binary search needs.
func (s *shelf) part(post int64) (name string, err error) {
	at := sort.Search(len(s.parents), func(i int) bool {
		_, last, failed := postBounds(s.path(s.parents[i]))
		err = errors.Join(err, failed)
		return last >= post
	})
	if err != nil || at == len(s.parents) {
		return "", err
	}
	return path.Base(s.parents[at]), nil
}

// postBounds returns the lowest and the highest post id of a file of parents.
func postBounds(file string) (first, last int64, err error) {
	f, shard, err := openShard(file)
	if err != nil {
		return 0, 0, fmt.Errorf("reading %s: %w", file, err)
	}
	defer f.Close()
	leaf, ok := shard.Schema().Lookup("post_id")
	groups := shard.RowGroups()
	if !ok || len(groups) == 0 {
		return 0, 0, fmt.Errorf("reading %s: no posts in it", file)
	}
	for i, group := range groups {
		chunk, ok := group.ColumnChunks()[leaf.ColumnIndex].(*parquet.FileColumnChunk)
		if !ok {
			return 0, 0, fmt.Errorf("reading %s: unknown kind of column", file)
		}
		low, high, ok := chunk.Bounds()
		if !ok {
			return 0, 0, fmt.Errorf("reading %s: column post_id has no bounds", file)
		}
		if i == 0 {
			first = low.Int64()
		}
		last = high.Int64()
	}
	return first, last, nil
}

// find returns the row of a post's first chunk, from the shard of a language if that
// has it, else from any that does.
func (s *shelf) find(post int64, slug string) (*payload, error) {
	part, err := s.part(post)
	if err != nil || part == "" {
		return nil, err
	}
	slugs := slices.Sorted(maps.Keys(s.shards))
	slices.SortStableFunc(slugs, func(a, b string) int { return rankOf(a, slug) - rankOf(b, slug) })
	for _, candidate := range slugs {
		name := "vectors/" + candidate + "/" + part
		if _, there := slices.BinarySearchFunc(s.shards[candidate], name, byPart); !there {
			continue
		}
		p, err := findRow[payload](s.path(name), parquet.Int64, "point_id", PointID(post, 0))
		if err != nil || p != nil {
			return p, err
		}
	}
	return nil, nil
}

func rankOf(slug, first string) int {
	if slug == first {
		return 0
	}
	return 1
}

// parent returns the whole text of a post; nil where the build does not have it.
func (s *shelf) parent(post int64) (*Parent, error) {
	part, err := s.part(post)
	if err != nil || part == "" {
		return nil, err
	}
	return findRow[Parent](s.path("parents/"+part), parquet.Int64, "post_id", uint64(post))
}

// findRow reads the row of a file whose key column, which ascends, has a value.
func findRow[T any](file string, kind parquet.Kind, key string, value uint64) (*T, error) {
	f, shard, err := openShard(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	row := int64(0)
	for _, group := range shard.RowGroups() {
		keys, err := column(shard.Schema(), group, kind, key)
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", file, err)
		}
		found := int64(-1)
		err = eachPage(keys, func(p parquet.Page) error {
			data := p.Data()
			values := data.Uint64()
			if at, ok := slices.BinarySearch(values, value); ok {
				found = row + int64(at)
			}
			row += int64(len(values))
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", file, err)
		}
		if found >= 0 {
			return readRow[T](file, shard, found)
		}
	}
	return nil, nil
}

// readRowOf reads one row of a file.
func readRowOf[T any](file string, row int64) (*T, error) {
	f, shard, err := openShard(file)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", file, err)
	}
	defer f.Close()
	return readRow[T](file, shard, row)
}

func readRow[T any](file string, shard *parquet.File, row int64) (*T, error) {
	rows := make([]T, 1)
	r := parquet.NewGenericReader[T](shard)
	defer r.Close()
	if err := r.SeekToRow(row); err != nil {
		return nil, fmt.Errorf("reading row %d of %s: %w", row, file, err)
	}
	if n, err := r.Read(rows); n == 0 {
		return nil, fmt.Errorf("reading row %d of %s: %w", row, file, err)
	}
	return &rows[0], nil
}

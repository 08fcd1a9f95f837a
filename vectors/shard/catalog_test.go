package shard

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"s2g/schema"
	"s2g/schema/manifest"
)

// catalogOf writes parts of ten posts each, in which posts of odd ids are Java and all are
// Python, and opens their catalog. Its manifest has the files in no order.
func catalogOf(t *testing.T, parts ...int) *Catalog {
	t.Helper()
	out, stage := t.TempDir(), &manifest.Stage{}
	add := func(name string, write func(*os.File) error) {
		file := filepath.Join(out, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		f, err := os.Create(file)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := write(f); err != nil {
			t.Fatal(err)
		}
		stage.Files = append([]manifest.File{{Name: name}}, stage.Files...)
	}
	for _, part := range parts {
		var python, java []Point
		var parents []Parent
		for i := range 10 {
			id := int64(10*part + i)
			p := Point{PointID: PointID(id, 0), PostID: id, Language: "python", Dense: []float32{1}}
			python = append(python, p, Point{PointID: PointID(id, 1), PostID: id, Chunk: 1, Dense: []float32{1}})
			if p.Language = "java"; i%2 == 1 {
				java = append(java, p)
			}
			parents = append(parents, Parent{PostID: id, Text: strconv.FormatInt(id, 10)})
		}
		add(Name("python", part), func(f *os.File) error { return Write(f, NewEncoding(), slices.Values(python)) })
		add(Name("java", part), func(f *os.File) error { return Write(f, NewEncoding(), slices.Values(java)) })
		add(ParentsName(part), func(f *os.File) error { return Write(f, NewEncoding(), slices.Values(parents)) })
	}
	add(ModelName, func(*os.File) error { return nil })
	c, err := OpenCatalog(out, &manifest.Manifest{Stages: map[string]*manifest.Stage{manifest.Vectors: stage}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// FindPost prefers the shard of the given language, and reads no vectors.
func TestCatalogFindsPosts(t *testing.T) {
	c := catalogOf(t, 0, 1, 7)
	for _, q := range []struct {
		post     int64
		slug     string
		language string // empty: not found
	}{
		{0, "python", "python"}, {1, "java", "java"}, {12, "java", "python"}, {79, "", "java"}, {79, "python", "python"},
		{20, "python", ""}, {69, "python", ""}, {80, "python", ""},
	} {
		p, err := c.FindPost(q.post, q.slug)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case p == nil && q.language == "":
		case p == nil || p.PostID != q.post || p.Language != q.language || p.Chunk != 0 || p.Dense != nil:
			t.Errorf("post %d for %q is %+v", q.post, q.slug, p)
		}
		parent, err := c.FindParent(q.post)
		if err != nil || (parent != nil) != (q.language != "") || parent != nil && parent.Text != strconv.FormatInt(q.post, 10) {
			t.Errorf("the text of %d is %+v (%v)", q.post, parent, err)
		}
	}
}

// Shards are in the order of their parts, those of a range of posts are the ones that
// overlap it, and a language without any is a usage fault that names the others.
func TestCatalogListsShards(t *testing.T) {
	c := catalogOf(t, 99999, 2, 100000)
	files, err := c.Shards("java")
	if err != nil {
		t.Fatal(err)
	}
	names := func(files []string) (names []string) {
		for _, f := range files {
			name, _ := strings.CutPrefix(filepath.ToSlash(f), filepath.ToSlash(c.out)+"/")
			names = append(names, name)
		}
		return names
	}
	if got := names(files); !slices.Equal(got, []string{Name("java", 2), Name("java", 99999), Name("java", 100000)}) {
		t.Errorf("%q", got)
	}
	for _, q := range []struct {
		first, last int64
		want        []string
	}{
		{0, 19, nil},
		{29, 29, []string{Name("java", 2), Name("python", 2)}},
		{30, 999_990, []string{Name("java", 99999), Name("python", 99999)}},
		{1_000_009, 2_000_000, []string{Name("java", 100000), Name("python", 100000)}},
		{1_000_010, 2_000_000, nil},
	} {
		files, err := c.ShardsOfPosts(q.first, q.last)
		if got := names(files); err != nil || !slices.Equal(got, q.want) {
			t.Errorf("posts %d to %d are in %q (%v)", q.first, q.last, got, err)
		}
	}
	_, err = c.Shards("klingon")
	if fault, remedy := schema.FaultOf(err); fault != schema.FaultUsage || !strings.Contains(remedy, "java, python") {
		t.Errorf("an unknown language: %v (%s)", err, remedy)
	}
	_, err = OpenCatalog("out", &manifest.Manifest{})
	if fault, _ := schema.FaultOf(err); fault != schema.FaultUsage {
		t.Errorf("without vectors: %v", err)
	}
}

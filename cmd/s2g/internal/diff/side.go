package diff

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/vocab"
)

// side is one of the two builds.
type side struct {
	out      string
	manifest *manifest.Manifest
	site     vocab.Site
	tags     []string          // of its graphs; the remainder's is empty
	slugs    map[string]string // of the folders of their shards, by tag

	batches []manifest.File   // of the graph, in their order
	parts   [][]manifest.File // shards, by part: the same range of posts in each language; in order
}

// openSide reads the manifest of a build. A folder without one is a usage fault.
func openSide(out string) (*side, error) {
	m, err := manifest.Read(out)
	if err != nil {
		return nil, err
	}
	s := &side{out: out, manifest: m, slugs: map[string]string{}}
	if s.site, err = m.BuildSite(); err != nil {
		return nil, err
	}
	for _, l := range m.Options.Graphs() {
		s.tags = append(s.tags, l.Tag)
		s.slugs[l.Tag] = l.Slug
	}
	if stage := m.Stages[manifest.Graph]; stage != nil {
		s.batches = stage.Batches()
	}
	if stage := m.Stages[manifest.Vectors]; stage != nil {
		s.parts = partsOf(stage.Files)
	}
	return s, nil
}

// partsOf groups the shards of all languages by part.
func partsOf(files []manifest.File) (parts [][]manifest.File) {
	byPart := map[string][]manifest.File{}
	var names []string
	for _, f := range files {
		folder, part := path.Split(f.Name)
		if !strings.HasPrefix(folder, "vectors/") || path.Ext(part) != ".parquet" {
			continue
		}
		if byPart[part] == nil {
			names = append(names, part)
		}
		byPart[part] = append(byPart[part], f)
	}
	slices.SortFunc(names, manifest.ByNumber)
	for _, n := range names {
		parts = append(parts, byPart[n])
	}
	return parts
}

func (s *side) build() Build {
	return Build{Out: s.out, Dump: s.manifest.Dump.Name, Newest: s.manifest.Dump.Newest, Site: string(s.site), Tool: s.manifest.Tool}
}

func (s *side) path(f manifest.File) string { return filepath.Join(s.out, filepath.FromSlash(f.Name)) }

// bytes returns the total size of a stage's files that Compare reads.
func (s *side) bytes(stage string) (n int64) {
	files := s.batches
	if stage == manifest.Vectors {
		files = slices.Concat(s.parts...)
	}
	for _, f := range files {
		n += f.Size
	}
	return n
}

// damaged returns the fault of a file that is missing or damaged.
func (s *side) damaged(f manifest.File, err error) error {
	return schema.Faultf(schema.FaultVerification, "s2g verify with option files-only lists all damage in "+s.out+"; fetch or build it again", "%s: %w", s.path(f), err)
}

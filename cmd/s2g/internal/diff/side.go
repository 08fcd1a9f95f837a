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
	parts   [][]manifest.File // of the shards: those of one range of posts together, in order
}

// openSide reads the manifest of a build. A folder without one is a usage fault.
func openSide(out string) (*side, error) {
	m, err := manifest.Read(out)
	if err != nil {
		return nil, err
	}
	s := &side{out: out, manifest: m, site: vocab.DefaultSite, slugs: map[string]string{}}
	for _, name := range []string{m.Options.Site, m.Dump.Site} {
		if name == "" {
			continue
		}
		if s.site, err = vocab.ParseSite(name); err != nil {
			return nil, err
		}
		break
	}
	languages := m.Options.Languages
	if languages == nil {
		languages = schema.DefaultLanguages()
	}
	for _, l := range languages {
		s.tags = append(s.tags, l.Tag)
		s.slugs[l.Tag] = l.Slug
	}
	if m.Options.Other {
		s.tags = append(s.tags, "")
		s.slugs[""] = schema.OtherSlug
	}
	if stage := m.Stages[manifest.Graph]; stage != nil {
		for _, f := range stage.Files {
			if strings.HasPrefix(f.Name, "graph/batch-") {
				s.batches = append(s.batches, f)
			}
		}
		slices.SortFunc(s.batches, byNumber)
	}
	if stage := m.Stages[manifest.Vectors]; stage != nil {
		s.listParts(stage.Files)
	}
	return s, nil
}

// listParts groups the shards of all languages by their parts: a part is the same
// range of posts in each.
func (s *side) listParts(files []manifest.File) {
	byPart := map[string][]manifest.File{}
	var names []manifest.File
	for _, f := range files {
		folder, part := path.Split(f.Name)
		if !strings.HasPrefix(folder, "vectors/") || path.Ext(part) != ".parquet" {
			continue
		}
		if byPart[part] == nil {
			names = append(names, manifest.File{Name: part})
		}
		byPart[part] = append(byPart[part], f)
	}
	slices.SortFunc(names, byNumber)
	for _, n := range names {
		s.parts = append(s.parts, byPart[n.Name])
	}
}

// byNumber orders files by the numbers in their names: batch-1000000 follows batch-999999.
func byNumber(a, b manifest.File) int {
	if len(a.Name) != len(b.Name) {
		return len(a.Name) - len(b.Name)
	}
	return strings.Compare(a.Name, b.Name)
}

func (s *side) path(f manifest.File) string { return filepath.Join(s.out, filepath.FromSlash(f.Name)) }

// bytes is how much there is to read, by stage.
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

// slug returns the slug of a shard's folder.
func slug(f manifest.File) string { return path.Base(path.Dir(f.Name)) }

// damaged is the fault of a file that is not what the manifest says.
func (s *side) damaged(f manifest.File, err error) error {
	return schema.Faultf(schema.FaultVerification, "s2g verify --files-only --out "+s.out+" says what else is wrong; fetch or build it again", "%s: %w", s.path(f), err)
}

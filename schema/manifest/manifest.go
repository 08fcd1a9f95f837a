// Package manifest keeps the OUT folder of a build: the record of its outputs and
// their input, the lock that admits one run at a time, and the atomic commit of
// each file.
//
// An output of a stage counts only when OUT/manifest.json names it. While a stage
// runs, each file that it commits is a line of OUT/.s2g/STAGE.journal, from which
// a run resumes after an interruption. When the stage finishes, the lines move
// into the manifest and the journal is removed. Rewriting the manifest for each of
// tens of thousands of files would cost the square of their number.
//
// Outputs that replace others are made in NextFolder and swapped when they are
// complete; readers hold the build in service meanwhile (next.go, swap.go,
// generation.go). Look finds files that are not those of the manifest.
//
// OUT/.s2g holds the unpublished files: locks, journals, the next build, a copy of
// the manifest, temporary files and the private database. Its mode is 0700.
package manifest

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"s2g/schema"
	"s2g/schema/vocab"
)

// Format is the version of manifest.json. Reading another version is an error.
const Format = 1

// fileName is the manifest's name in OUT.
const fileName = "manifest.json"

// The names of the stages in the manifest.
const (
	Ingest  = "ingest"
	Graph   = "graph"
	Vectors = "vectors"
)

// Manifest is the content of manifest.json.
type Manifest struct {
	Format  int               `json:"format"`
	Tool    string            `json:"tool"` // version of the s2g that wrote it last
	Dump    Dump              `json:"dump"`
	Options Options           `json:"options"`
	Stages  map[string]*Stage `json:"stages"`

	// Replaced are files of a stage's earlier run that are being removed. The
	// stage's next run removes those that a kill has left.
	Replaced map[string][]File `json:"replaced,omitempty"`

	// Published are the documents at the top of OUT, as README.md, in the order of
	// their writing.
	Published []File `json:"published,omitempty"`

	// Report is the SHA-256 of report.html, empty where no report has been written since
	// the stages last ran.
	Report string `json:"report,omitempty"`

	Restored bool   `json:"-"` // manifest.json was lost or damaged: this is its copy
	root     string // folder that it was read from
}

// Options are the choices that shape the outputs. The manifest keeps them, so
// that a stage that runs alone has those of the build.
type Options struct {
	Site         string            `json:"site,omitempty"`
	Languages    []schema.Language `json:"languages,omitempty"`
	Other        bool              `json:"other,omitempty"`
	WholeSite    bool              `json:"whole_site,omitempty"`
	Without      []string          `json:"without,omitempty"`
	Compress     string            `json:"compress,omitempty"`
	GraphFormat  string            `json:"graph_format,omitempty"`
	Materialize  bool              `json:"materialize,omitempty"`
	Units        string            `json:"units,omitempty"`
	Window       int               `json:"window,omitempty"`
	Overlap      int               `json:"overlap,omitempty"`
	Dense        string            `json:"dense,omitempty"`
	Sparse       string            `json:"sparse,omitempty"`
	TextLanguage string            `json:"text_language,omitempty"` // of stemmer and stop words; empty: that of the site
	Links        bool              `json:"links,omitempty"`         // embedded texts keep the addresses of links
	Reuse        string            `json:"reuse,omitempty"`         // folder of the build whose vectors were copied
}

// BuildSite returns the base of the IRIs of a build that these options shape:
// option site, else the site of the dump. Options hold only a site that was chosen,
// because that of the dump is not known before the dump is read. It is a usage fault
// if neither names one: a site is never guessed.
func (o Options) BuildSite(d Dump) (vocab.Site, error) {
	if site := cmp.Or(o.Site, d.Site); site != "" {
		return vocab.ParseSite(site)
	}
	return "", schema.Faultf(schema.FaultUsage, "give option site HOST, as bioinformatics.stackexchange.com, or give the folder or archive of the dump that name",
		"the site is unknown: no name in the dump contains it, and the IRIs of the build begin with it")
}

// BuildSite returns the base of the build's IRIs; see [Options.BuildSite].
func (m *Manifest) BuildSite() (vocab.Site, error) { return m.Options.BuildSite(m.Dump) }

// Table returns the language table of the stages: Languages, or the default table
// where it is nil; with option whole-site Languages alone and then
// schema.SiteLanguage.
func (o Options) Table() []schema.Language {
	if o.WholeSite {
		return append(o.Languages[:len(o.Languages):len(o.Languages)], schema.SiteLanguage())
	}
	if o.Languages == nil {
		return schema.DefaultLanguages()
	}
	return o.Languages
}

// Graphs returns the languages that have a graph and a collection, in their order:
// those of [Options.Table] and then, with option other, schema.OtherLanguage.
func (o Options) Graphs() []schema.Language {
	table := o.Table()
	if o.Other {
		table = append(table[:len(table):len(table)], schema.OtherLanguage())
	}
	return table
}

// Of returns the options that shape the outputs of a stage.
func (o Options) Of(stage string) *Options {
	graphs := Options{Site: o.Site, Languages: o.Languages, Other: o.Other, WholeSite: o.WholeSite}
	switch stage {
	case Graph:
		graphs.Compress, graphs.GraphFormat, graphs.Materialize = o.Compress, o.GraphFormat, o.Materialize
		return &graphs
	case Vectors:
		graphs.Units, graphs.Window, graphs.Overlap, graphs.Dense, graphs.Sparse = o.Units, o.Window, o.Overlap, o.Dense, o.Sparse
		graphs.TextLanguage, graphs.Links, graphs.Reuse = o.TextLanguage, o.Links, o.Reuse
		return &graphs
	}
	return &Options{Without: o.Without}
}

// Dump is the input of a build.
type Dump struct {
	Name   string               `json:"name"`   // last element of its path
	Site   string               `json:"site"`   // host, guessed from the names of the dump; may be empty
	Newest string               `json:"newest"` // newest CreationDate of a post, as 2024-03-31T23:59:59.999Z
	Form   string               `json:"form"`   // hash of the rules that turned its bytes into tables
	Tables map[string]DumpTable `json:"tables"` // by table name; tables of option without are absent
}

// DumpTable is a table of the dump.
type DumpTable struct {
	File   string    `json:"file"`    // name inside the dump
	Size   int64     `json:"size"`    // bytes as stored, perhaps compressed
	Time   time.Time `json:"time"`    // modification time
	Bytes  int64     `json:"bytes"`   // bytes of XML after decoding
	SHA256 string    `json:"sha_256"` // of the decoded bytes, hexadecimal
	Rows   int64     `json:"rows"`    // rows of the loaded table

	// Fingerprint is that of the loaded rows, see tables.Fingerprint; empty in
	// builds of versions that had none.
	Fingerprint string `json:"fingerprint,omitempty"`
}

// Bytes returns the size of all tables as XML.
func (d Dump) Bytes() int64 {
	var n int64
	for _, t := range d.Tables {
		n += t.Bytes
	}
	return n
}

// Fingerprints returns the fingerprints of the loaded tables, by table; ok is false
// for a build of a version that stored none.
func (d Dump) Fingerprints() (by map[string]string, ok bool) {
	by = make(map[string]string)
	for name, t := range d.Tables {
		if t.Fingerprint == "" {
			return nil, false
		}
		by[name] = t.Fingerprint
	}
	return by, len(by) > 0
}

// Stage is a finished stage.
type Stage struct {
	Key      string    `json:"key"`            // hash of its inputs and options; see [Key]
	Tool     string    `json:"tool,omitempty"` // version of the s2g that made it; empty: one that stored none
	Finished time.Time `json:"finished"`
	Summary
	Options *Options `json:"options,omitempty"` // of the run that made it, see [Options.Of]; nil: an older s2g, see Manifest.Options
	Files   []File   `json:"files"`             // ordered by name
}

// Summary holds the measures of a finished stage.
type Summary struct {
	Rows     int64            `json:"rows"`
	BytesIn  int64            `json:"bytes_in"`
	BytesOut int64            `json:"bytes_out"`
	Seconds  float64          `json:"seconds"`          // wall time; 0: Finish sets it
	PeakRSS  int64            `json:"peak_rss"`         // bytes, of s2g without servers; 0: Finish sets it
	Counts   map[string]int64 `json:"counts,omitempty"` // further counts by name
	Errors   map[string]int64 `json:"errors,omitempty"` // bad data by class

	UnusedTags []string `json:"unasked,omitempty"` // tags of selected languages that no question of the dump has

	Figures *schema.Figures `json:"figures,omitempty"` // of stage graph only; nil: of a version that stored none

	Embedders *Embedders `json:"embedders,omitempty"` // of stage vectors only
}

// Embedders names the models of a build's vectors and the weight of their fusion
// in a search. No key depends on it, because the weight changes no vector.
type Embedders struct {
	Dense        string  `json:"dense"`
	Sparse       string  `json:"sparse"`
	Architecture string  `json:"architecture,omitempty"` // of the processor that made the vectors of the builtin dense embedder, as amd64
	Windows      string  `json:"windows"`                // source of the token counts that cut texts: s2g or endpoint
	Weight       float64 `json:"weight"`                 // of the dense score in a fused one, 0 to 1
	Fitted       int     `json:"fitted,omitempty"`       // number of queries that the weight was fitted on; 0: the models' default weight

	NoGoodMatch *NoGoodMatch `json:"no_good_match,omitempty"` // nil: not fitted
}

// NoGoodMatch is the threshold below which a search reports that it has no good match, and
// its errors, as shares of queries that it was not fitted on.
type NoGoodMatch struct {
	Least  float64 `json:"least"`  // strength of a good match
	False  float64 `json:"false"`  // of the answered queries: reported as without a good match
	Missed float64 `json:"missed"` // of foreign queries: not reported
}

// File is a committed output, or a note; see [Run.Note].
type File struct {
	Name   string `json:"name"` // relative to OUT, with slashes
	Size   int64  `json:"size"`
	SHA256 string `json:"sha_256,omitempty"` // empty: a note
	Rows   int64  `json:"rows"`              // triples or points in it
	At     string `json:"at,omitempty"`      // checkpoint after it, in the stage's own notation; only while the stage runs

	// Time is the modification time when the content was last compared with SHA256,
	// zero in manifests of earlier versions.
	Time time.Time `json:"time,omitzero"`
}

// Batches returns the batch files of a graph in the order of their numbers.
func (s *Stage) Batches() []File {
	batches := slices.DeleteFunc(slices.Clone(s.Files), func(f File) bool { return !strings.HasPrefix(f.Name, "graph/batch-") })
	slices.SortFunc(batches, func(a, b File) int { return ByNumber(a.Name, b.Name) })
	return batches
}

// ByNumber compares the names of files by their numbers; the rest of the names is
// the same. batch-1000000 follows batch-999999.
func ByNumber(a, b string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}

// Root returns the folder that the manifest describes, empty for one that no folder
// has.
func (m *Manifest) Root() string { return m.root }

// Base returns the OUT folder of the manifest: Root, or the OUT whose NextFolder that
// is.
func (m *Manifest) Base() string {
	if base := filepath.Dir(filepath.Dir(m.root)); m.root == NextFolder(base) {
		return base
	}
	return m.root
}

// Fresh reports whether the stage has finished with the given key.
func (m *Manifest) Fresh(stage, key string) bool {
	s := m.Stages[stage]
	return s != nil && s.Key == key
}

// IsOfEarlierVersion reports whether a version made the build that recorded no times of
// files. Its documents have another form.
func (m *Manifest) IsOfEarlierVersion() bool {
	for _, s := range m.Stages {
		if slices.ContainsFunc(s.Files, func(f File) bool { return !f.Time.IsZero() }) {
			return false
		}
	}
	return true
}

// Edition returns the name of a stage's outputs on servers: the day of the dump's
// newest post, an underscore, and 8 hexadecimal digits of a hash of the stage's
// files, as "2024-03-31_5f1d2c3b". Input and options determine the files, so equal
// builds have equal editions wherever and whenever they are built, and different
// ones differ. An unfinished stage is a usage fault.
func (m *Manifest) Edition(stage string) (string, error) {
	s := m.Stages[stage]
	if s == nil {
		return "", schema.Faultf(schema.FaultUsage, "run s2g build, or s2g "+stage+", to its end", "the build has no %s yet", stage)
	}
	day, _, _ := strings.Cut(m.Dump.Newest, "T")
	if day == "" {
		day = "undated"
	}
	sum := sha256.New()
	for _, f := range s.Files {
		fmt.Fprintf(sum, "%s %d %s\n", f.Name, f.Size, f.SHA256)
	}
	return day + "_" + hex.EncodeToString(sum.Sum(nil)[:4]), nil
}

// Key hashes the inputs and options of a stage: any values that marshal to JSON,
// in a fixed order.
func Key(parts ...any) (string, error) {
	text, err := json.Marshal(parts)
	if err != nil {
		return "", fmt.Errorf("hashing a stage's options: %w", err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8]), nil
}

// Read reads OUT/manifest.json without the lock. A missing manifest is a usage
// fault.
func Read(out string) (*Manifest, error) {
	m, err := load(out)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, schema.Faultf(schema.FaultUsage, "run s2g build with option dump PATH and option out "+out, "%s holds no build: no %s in it", out, fileName)
	}
	return m, err
}

// copyPath returns the path of the manifest's copy in a folder of a build.
func copyPath(root string) string { return filepath.Join(root, ".s2g", fileName) }

// load reads the manifest of a folder, or its copy where the manifest is missing or
// damaged.
func load(root string) (*Manifest, error) {
	m, err := parse(filepath.Join(root, fileName))
	if errors.Is(err, fs.ErrNotExist) || errors.As(err, new(*json.SyntaxError)) || errors.As(err, new(*json.UnmarshalTypeError)) {
		if saved, failed := parse(copyPath(root)); failed == nil {
			m, err = saved, nil
			m.Restored = true
		}
	}
	if err != nil {
		return nil, err
	}
	m.root = root
	m.completeSite()
	return m, nil
}

func parse(path string) (*Manifest, error) {
	text, err := schema.ReadRegular(path)
	if err != nil {
		return nil, err
	}
	m := &Manifest{}
	if err := json.Unmarshal(text, m); err != nil {
		return nil, schema.Faultf(schema.FaultUsage, "restore it from a copy of the build, or build into another folder with option out", "%s is damaged: %w", path, err)
	}
	if m.Format != Format {
		return nil, schema.Faultf(schema.FaultUsage, "use the s2g that wrote it, or choose another folder with option out", "%s has format %d, this s2g reads %d", path, m.Format, Format)
	}
	if name := m.outside(); name != "" { // a run would remove it
		return nil, schema.Faultf(schema.FaultUsage, "do not use this build; make it again into another folder with option out", "%s names %q, which is no file within the folder", path, name)
	}
	if m.Stages == nil {
		m.Stages = map[string]*Stage{}
	}
	return m, nil
}

// outside returns a name of a file that is not within the folder of the build; empty: there is none.
func (m *Manifest) outside() string {
	lists := append(slices.Collect(maps.Values(m.Replaced)), m.Published)
	for _, s := range m.Stages {
		if s != nil {
			lists = append(lists, s.Files)
		}
	}
	for _, files := range lists {
		for _, f := range files {
			if !filepath.IsLocal(filepath.FromSlash(f.Name)) {
				return f.Name
			}
		}
	}
	return ""
}

// clone copies the parts that a change of Update may modify.
func (m *Manifest) clone() *Manifest {
	c := *m
	c.Stages = maps.Clone(m.Stages)
	for name, s := range c.Stages {
		if s == nil {
			continue
		}
		stage := *s
		if s.Embedders != nil {
			embedders := *s.Embedders
			stage.Embedders = &embedders
		}
		c.Stages[name] = &stage
	}
	c.Dump.Tables = maps.Clone(m.Dump.Tables)
	c.Replaced = maps.Clone(m.Replaced)
	return &c
}

// Exists reports whether OUT has a manifest, readable or not, or its copy.
func Exists(out string) bool {
	_, err := os.Stat(filepath.Join(out, fileName))
	if err != nil {
		_, err = os.Stat(copyPath(out))
	}
	return err == nil
}

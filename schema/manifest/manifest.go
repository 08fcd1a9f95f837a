package manifest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"time"

	"s2g/schema"
)

// Format is the version of manifest.json. A manifest of another format is
// refused.
const Format = 1

// fileName is the manifest's name in OUT.
const fileName = "manifest.json"

// The stages' names in the manifest.
const (
	Ingest  = "ingest"
	Graph   = "graph"
	Vectors = "vectors"
)

// Manifest is what manifest.json holds.
type Manifest struct {
	Format  int               `json:"format"`
	Tool    string            `json:"tool"` // version of s2g that wrote it last
	Dump    Dump              `json:"dump"`
	Options Options           `json:"options"`
	Stages  map[string]*Stage `json:"stages"`

	// Replaced are files of a stage's earlier run on their way out: what is left of
	// them after a kill, the stage's next run removes.
	Replaced map[string][]File `json:"replaced,omitempty"`

	// Published are the documents at the top of OUT, as README.md, in the order in which they were written.
	Published []File `json:"published,omitempty"`
}

// Dump is the input of a build.
type Dump struct {
	Name   string               `json:"name"`   // last part of the path that was given
	Site   string               `json:"site"`   // host guessed from the dump's names, or empty
	Newest string               `json:"newest"` // newest CreationDate of a post, 2024-03-31T23:59:59.999Z
	Form   string               `json:"form"`   // hash of the rules by which its bytes became tables
	Tables map[string]DumpTable `json:"tables"` // by table name; a table that --without names is absent
}

// DumpTable is a table of the dump.
type DumpTable struct {
	File   string    `json:"file"`    // name inside the dump
	Size   int64     `json:"size"`    // bytes as stored, compressed where it is
	Time   time.Time `json:"time"`    // modification time
	Bytes  int64     `json:"bytes"`   // bytes of XML after decoding
	SHA256 string    `json:"sha_256"` // of those bytes, hexadecimal
	Rows   int64     `json:"rows"`    // rows in the table that was loaded
}

// Bytes is the size of all tables as XML.
func (d Dump) Bytes() int64 {
	var n int64
	for _, t := range d.Tables {
		n += t.Bytes
	}
	return n
}

// Stage is a stage that has finished.
type Stage struct {
	Key      string    `json:"key"` // hash of what it depends on
	Finished time.Time `json:"finished"`
	Summary
	Files []File `json:"files"` // ordered by name
}

// Summary is what a stage says of itself at its end.
type Summary struct {
	Rows     int64            `json:"rows"`
	BytesIn  int64            `json:"bytes_in"`
	BytesOut int64            `json:"bytes_out"`
	Seconds  float64          `json:"seconds"`          // wall time; filled in by Finish where it is 0
	PeakRSS  int64            `json:"peak_rss"`         // bytes, of s2g alone; filled in by Finish where it is 0
	Counts   map[string]int64 `json:"counts,omitempty"` // what else is worth knowing, by name
	Errors   map[string]int64 `json:"errors,omitempty"` // bad data by class

	UnusedTags []string `json:"unasked,omitempty"` // tags of selected languages that no question of the dump has

	Embedders *Embedders `json:"embedders,omitempty"` // of the vectors alone
}

// Embedders names the models of a build's vectors, and says how a search joins
// what they find. No key depends on it: vectors are the same whatever the weight.
type Embedders struct {
	Dense   string  `json:"dense"`
	Sparse  string  `json:"sparse"`
	Windows string  `json:"windows"`          // by whose count of tokens texts were cut: s2g or endpoint
	Weight  float64 `json:"weight"`           // of the dense score in a fused one, 0 to 1
	Fitted  int     `json:"fitted,omitempty"` // on so many queries; 0: the weight is the default of such models
}

// File is an output that was committed.
type File struct {
	Name   string `json:"name"` // relative to OUT, with slashes
	Size   int64  `json:"size"`
	SHA256 string `json:"sha_256,omitempty"`
	Rows   int64  `json:"rows"`         // triples or points in it
	At     string `json:"at,omitempty"` // where the stage goes on after it; the stage's own notation
}

// Fresh reports whether the stage has finished with the given key.
func (m *Manifest) Fresh(stage, key string) bool {
	s := m.Stages[stage]
	return s != nil && s.Key == key
}

// Key hashes what a stage depends on: any values that marshal to JSON, in a
// fixed order.
func Key(parts ...any) (string, error) {
	text, err := json.Marshal(parts)
	if err != nil {
		return "", fmt.Errorf("hashing a stage's options: %w", err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8]), nil
}

// Read reads OUT/manifest.json without the lock. A folder without one is a
// usage fault.
func Read(out string) (*Manifest, error) {
	m, err := load(out)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, schema.Faultf(schema.FaultUsage, "run s2g build --dump PATH --out "+out, "%s holds no build: no %s in it", out, fileName)
	}
	return m, err
}

func load(out string) (*Manifest, error) {
	path := filepath.Join(out, fileName)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	m := &Manifest{}
	if err := json.Unmarshal(text, m); err != nil {
		return nil, schema.Faultf(schema.FaultUsage, "remove it to build anew", "%s is damaged: %w", path, err)
	}
	if m.Format != Format {
		return nil, schema.Faultf(schema.FaultUsage, "use the s2g that wrote it, or another --out", "%s has format %d, this s2g reads %d", path, m.Format, Format)
	}
	if m.Stages == nil {
		m.Stages = map[string]*Stage{}
	}
	return m, nil
}

// clone copies what Update's function may change.
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

// Exists reports whether there is a manifest in OUT, whatever it holds.
func Exists(out string) bool {
	_, err := os.Stat(filepath.Join(out, fileName))
	return err == nil
}

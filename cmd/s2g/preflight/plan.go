package preflight

import (
	"path/filepath"
	"strings"

	"s2g/ingest/dump"
	"s2g/schema/manifest"
	"s2g/schema/tables"
)

// What each output takes, in parts of the dump as XML. Tables: rows, indexes and
// what InnoDB leaves free. Graph and vectors: of a site whose questions nearly all
// have a selected language, which is the worst case.
const (
	tablesShare    = 1.5
	redoLog        = 256 << 20 // of the private server, whatever the dump's size
	vectorsShare   = 0.45
	modelSize      = 64 << 20
	sortShare      = 1.0 // of Posts alone, where they are not in order of their ids
	reserve        = 64 << 20
	serverOverhead = 512 << 20 // of mariadbd beside its buffer pool
)

// graphShare is the graph's size by --compress.
func graphShare(compress string) float64 {
	if compress == "none" {
		return 1.15
	}
	return 0.25
}

// expansion is how many bytes of XML a compressed byte mostly is.
func expansion(name string) int64 {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".xml":
		return 1
	case ".gz":
		return 5
	case ".zst":
		return 6
	}
	return 7 // .bz2, .xz, .7z
}

// Input is what a build would be given.
type Input struct {
	Out      string     // the folder, which need not exist
	Dump     *dump.Dump // nil where no dump is to be read
	Read     manifest.Dump
	Stale    map[string]bool // stages that are to be run
	Compress string
	Pool     int64 // buffer pool of the private server, bytes; 0: the server is the user's
	Held     bool  // tables of an earlier ingest are in service until the new ones are complete
}

// Step is what one stage takes.
type Step struct {
	Stage  string `json:"stage"`
	Fresh  bool   `json:"fresh"`  // it is up to date, or was not asked for: nothing to do
	Disk   int64  `json:"disk"`   // bytes that stay in OUT
	Passes int64  `json:"passes"` // bytes more while it runs: sorts, archives in archives, tables of the dump before
	Memory int64  `json:"memory"` // bytes at most, of s2g
}

// Plan is what a build takes.
type Plan struct {
	XML       int64  `json:"xml"`       // bytes of the tables decoded
	Estimated bool   `json:"estimated"` // XML is one
	Steps     []Step `json:"steps"`
	Disk      Need   `json:"disk"`
	Memory    Need   `json:"memory"`
}

// Need is what is needed and what is there, in bytes; 0 there is not known.
type Need struct {
	Needs int64 `json:"needs"`
	Has   int64 `json:"has"`
}

// Lacks reports whether less is there than is needed.
func (n Need) Lacks() bool { return n.Has > 0 && n.Has < n.Needs }

// New makes the plan.
func New(in Input) (*Plan, error) {
	p := &Plan{}
	posts, spool := p.measure(in)
	step := func(stage string, share float64, extra, passes, memory int64) {
		s := Step{Stage: stage, Fresh: !in.Stale[stage]}
		if !s.Fresh {
			s.Disk, s.Passes, s.Memory = int64(share*float64(p.XML))+extra, passes, memory
		}
		p.Steps = append(p.Steps, s)
	}
	during := int64(sortShare*float64(posts)) + spool
	if in.Held {
		during += int64(tablesShare * float64(p.XML))
	}
	step(manifest.Ingest, tablesShare, redoLog, during, 256<<20+16*rows(posts))
	step(manifest.Graph, graphShare(in.Compress), 0, 0, 128<<20+24*rows(posts))
	step(manifest.Vectors, vectorsShare, modelSize, 0, 512<<20+modelSize)
	return p, p.compare(in)
}

// rows estimates the number of posts from the size of Posts.xml.
func rows(posts int64) int64 { return posts / 1200 }

// measure sets the dump's size, and returns that of Posts and of what has to be
// spooled.
func (p *Plan) measure(in Input) (posts, spool int64) {
	if in.Dump == nil {
		p.XML = in.Read.Bytes()
		return in.Read.Tables["Posts"].Bytes, 0
	}
	for _, s := range in.Dump.Streams {
		spool += s.Spool
		known := true
		for _, m := range s.Members {
			known = known && m.Size >= 0
		}
		for _, m := range s.Members {
			size := m.Size
			if !known {
				p.Estimated = true
				size = s.Size * expansion(s.File.Name) / int64(len(s.Members))
			}
			p.XML += size
			if m.Table == "Posts" {
				posts = size
			}
		}
	}
	return posts, spool
}

// compare sets what is needed in all and what the machine has. The stages run one
// after the other: what passes is not added up.
func (p *Plan) compare(in Input) error {
	var passes, memory int64
	for _, s := range p.Steps {
		p.Disk.Needs += s.Disk
		passes, memory = max(passes, s.Passes), max(memory, s.Memory)
	}
	if memory == 0 {
		return nil
	}
	p.Disk.Needs += passes + reserve
	p.Memory = Need{Needs: memory, Has: tables.MachineMemory()}
	if in.Pool > 0 {
		p.Memory.Needs += in.Pool + serverOverhead
	}
	var err error
	p.Disk.Has, err = freeDisk(in.Out)
	return err
}

package plan

import (
	"path/filepath"
	"strings"

	"s2g/ingest/dump"
	"s2g/schema/manifest"
	"s2g/schema/memory"
)

// input is what the estimate is computed from.
type input struct {
	Out         string     // the folder, which need not exist
	Dump        *dump.Dump // nil where no dump is to be read
	UTF8        float64    // bytes of UTF-8 for each byte of the dump (see [dump.Form]); 0 means 1
	Read        manifest.Dump
	Sent        int64           // bytes that an earlier ingest sent to the server; 0: unknown
	Stale       map[string]bool // by stage: it is to be run
	Compress    string
	Materialize bool
	Answers     bool  // are embedded, too
	Dimensions  int   // of dense vectors; 0: those of an endpoint, which are unknown
	Pool        int64 // buffer pool of the private server, bytes; 0: the server is the user's
	Held        bool  // tables of an earlier ingest stay in service until the new ones are complete
}

// estimate computes what each stage takes, and in all.
func estimate(in input) (*Plan, error) {
	there, err := occupied(in.Out)
	if err != nil {
		return nil, err
	}
	p := &Plan{}
	d := p.measure(in)
	xml := func(share float64) int64 { return int64(share * float64(p.XML)) }
	step := func(s Step) {
		if s.Fresh = !in.Stale[s.Stage]; s.Fresh {
			s = Step{Stage: s.Stage, Fresh: true}
		}
		p.Steps = append(p.Steps, s)
	}
	ingest := Step{Stage: manifest.Ingest, Passes: int64(sortShare*float64(d.posts)) + d.spool, Memory: 256<<20 + 16*d.rows}
	if in.Pool > 0 { // else the tables are on a server of the user's
		ingest.Disk, ingest.There = xml(tablesShare)+redoLog, there.tables
		if in.Held {
			ingest.held = min(ingest.There, ingest.Disk)
			ingest.Passes += ingest.held
		}
	}
	step(ingest)
	step(Step{Stage: manifest.Graph, Disk: xml(graphShare(in.Compress, in.Materialize)), There: there.graph, Memory: 128<<20 + 24*d.rows})
	dimensions := in.Dimensions
	if dimensions == 0 {
		dimensions = unknownDimensions
	}
	dense := int64(chunksPerPost(in.Answers) * float64(d.rows) * float64(4*dimensions))
	step(Step{Stage: manifest.Vectors, Disk: xml(vectorsText(in.Answers)) + dense + modelSize, There: there.vectors, Memory: 512<<20 + 24*d.rows + modelSize})
	return p, p.compare(in)
}

// dumpSize is the size of a dump, as it is known or estimated.
type dumpSize struct {
	posts int64 // bytes of Posts as UTF-8
	rows  int64 // posts
	spool int64 // bytes of archives within archives
}

// measure returns the size of the dump and sets XML and Estimated.
func (p *Plan) measure(in input) dumpSize {
	if in.Dump == nil {
		return p.measureRead(in)
	}
	var m dumpSize
	utf8 := in.UTF8
	if utf8 == 0 {
		utf8 = 1
	}
	for _, s := range in.Dump.Streams {
		m.spool += s.Spool
		known := true
		for _, member := range s.Members {
			known = known && member.Size >= 0
		}
		for _, member := range s.Members {
			size := member.Size
			if !known {
				p.Estimated = true
				size = s.Size * expansion(s.File.Name) / int64(len(s.Members))
			} else {
				size = int64(utf8 * float64(size))
			}
			p.XML += size
			if member.Table == "Posts" {
				m.posts = size
			}
		}
	}
	p.Estimated = p.Estimated || utf8 != 1
	m.rows = m.posts / 1200 // the average post of a site has more bytes
	return m
}

// measureRead is measure for a dump that was read before. It may have been UTF-16; what ingest sent to the server was
// UTF-8.
func (p *Plan) measureRead(in input) dumpSize {
	read, share := in.Read.Bytes(), 1.0
	if most := int64(float64(in.Sent) / sentShare); in.Sent > 0 && most < read {
		share, p.Estimated = float64(most)/float64(read), true
	}
	p.XML = int64(share * float64(read))
	posts := in.Read.Tables["Posts"]
	return dumpSize{posts: int64(share * float64(posts.Bytes)), rows: posts.Rows}
}

// compare sets what the stages take in all and what the machine has.
func (p *Plan) compare(in input) error {
	separate, err := hasOwnDisk(in.Out)
	if err != nil {
		return err
	}
	var out, apart ledger
	var needed int64
	for _, s := range p.Steps {
		needed = max(needed, s.Memory)
		if s.Stage == manifest.Ingest && separate { // sorts and archives are on the disk of OUT
			out.add(0, s.Passes-s.held)
			apart.add(s.Disk-s.There, s.held)
		} else {
			out.add(s.Disk-s.There, s.Passes)
		}
	}
	if needed == 0 {
		return nil
	}
	p.Memory = Need{Needs: needed, Has: memory.Machine()}
	if in.Pool > 0 {
		p.Memory.Needs += in.Pool + serverOverhead
	}
	p.Disk.Needs = out.peak + reserve
	if p.Disk.Has, err = freeDisk(in.Out); err != nil || !separate || in.Pool == 0 {
		return err
	}
	p.Tables = &Need{Needs: apart.peak + reserve}
	p.Tables.Has, err = freeDisk(databaseFolder(in.Out))
	return err
}

// ledger adds up the disk that stages take one after the other: what one frees at its end the next can take.
type ledger struct{ taken, peak int64 }

// add adds a stage that leaves stays bytes more than before, and takes passes more while it runs.
func (l *ledger) add(stays, passes int64) {
	l.peak = max(l.peak, l.taken+stays+passes)
	l.taken += stays
}

// The size of each output as a share of the dump as XML in UTF-8; docs/performance.md has the measurements. Tables: rows,
// indexes and pages that InnoDB leaves free. Graph and vectors: the worst case, a site where nearly all questions have a
// selected language.
const (
	tablesShare    = 1.5
	redoLog        = 256 << 20 // of the private server, for a dump of any size
	sortShare      = 1.0       // of Posts alone, where their ids are out of order
	modelSize      = 64 << 20
	reserve        = 64 << 20
	serverOverhead = 512 << 20 // of mariadbd beside its buffer pool
	sentShare      = 0.6       // at least: what ingest sends to the server
)

// graphShare returns the graph's share.
func graphShare(compress string, materialize bool) float64 {
	switch {
	case compress == "none" && materialize:
		return 3.0
	case compress == "none":
		return 1.2
	case materialize:
		return 0.6
	}
	return 0.4
}

// vectorsText returns the share of shards and parents beside dense vectors. answers: they are embedded, too.
func vectorsText(answers bool) float64 {
	if answers {
		return 0.45
	}
	return 0.2
}

// chunksPerPost returns how many chunks all languages have for each post of the dump.
func chunksPerPost(answers bool) float64 {
	if answers {
		return 1.5
	}
	return 0.6
}

// builtinDimensions is the length of the built-in embedder's vectors. unknownDimensions is assumed for an endpoint: the
// largest models in use have so many.
const (
	builtinDimensions = 256
	unknownDimensions = 4096
)

// expansion returns how many bytes of XML a compressed byte of a file usually is.
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

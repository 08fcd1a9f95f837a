package plan

import (
	"s2g/ingest/dump"
	"s2g/schema/manifest"
	"s2g/schema/memory"
)

// estimateInput is what the estimate is computed from.
type estimateInput struct {
	Out         string          // the folder, which need not exist
	Dump        *dump.Dump      // nil unless ingest runs
	UTF8        float64         // bytes of UTF-8 for each byte of the dump (see [dump.Form]); 0 means 1
	Read        manifest.Dump   // the dump in the tables
	Sent        int64           // bytes that an earlier ingest sent to the server; 0: unknown
	Stale       map[string]bool // by stage: it runs
	Compress    string
	Materialize bool
	Answers     bool  // answers are embedded, too
	WholeSite   bool  // there is a graph of all questions
	Beside      bool  // it stands beside graphs of languages
	Dimensions  int   // of dense vectors; 0: unknown, of an endpoint
	Pool        int64 // buffer pool of the private server, bytes; 0: the server is the user's
	Held        bool  // tables of an earlier ingest stay in service until the new ones are complete
}

// estimate computes what each stage takes, and the sums.
func estimate(in estimateInput) (*Plan, error) {
	existing, err := occupied(in.Out)
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
	ingest := Step{Stage: manifest.Ingest, Temporary: int64(sortShare*float64(d.posts)) + d.spool, Memory: 256<<20 + 16*d.rows}
	if in.Pool > 0 { // the tables of the user's server take no disk here
		ingest.Disk, ingest.Existing = xml(tablesShare)+redoLog, existing.tables
		if in.Held {
			ingest.oldTables = min(ingest.Existing, ingest.Disk)
			ingest.Temporary += ingest.oldTables
		}
	}
	step(ingest)
	graph := Step{Stage: manifest.Graph, Disk: xml(graphShare(in.Compress, in.Materialize)), Existing: existing.graph, Memory: 128<<20 + 24*d.rows}
	graph.addSite(in, graph.Disk)
	step(graph)
	dimensions := in.Dimensions
	if dimensions == 0 {
		dimensions = unknownDimensions
	}
	dense := int64(chunksPerPost(in.Answers) * float64(d.rows) * float64(4*dimensions))
	shards := xml(vectorsShare(in.Answers)) + dense
	vectors := Step{Stage: manifest.Vectors, Disk: shards + modelSize, Existing: existing.vectors, Memory: 512<<20 + 24*d.rows + modelSize}
	vectors.addSite(in, shards)
	step(vectors)
	return p, p.compare(in)
}

// addSite adds the disk of the whole site, which is that of the languages again: their estimate assumes that nearly all
// questions have one.
func (s *Step) addSite(in estimateInput, disk int64) {
	if !in.WholeSite {
		return
	}
	s.WholeSite = disk
	if in.Beside {
		s.Disk += disk
	}
}

// dumpSize is the size of a dump, known or estimated.
type dumpSize struct {
	posts int64 // bytes of Posts as UTF-8
	rows  int64 // posts
	spool int64 // bytes of archives within archives
}

// measure returns the size of the dump and sets XML and Estimated.
func (p *Plan) measure(in estimateInput) dumpSize {
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
				size = s.Size * dump.Expansion(s.File.Name) / int64(len(s.Members))
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

// measureRead is measure for the dump in the tables. It limits the size by the bytes that ingest sent to the server,
// because the files may have been UTF-16, and those bytes are UTF-8.
func (p *Plan) measureRead(in estimateInput) dumpSize {
	read, share := in.Read.Bytes(), 1.0
	if most := int64(float64(in.Sent) / sentShare); in.Sent > 0 && most < read {
		share, p.Estimated = float64(most)/float64(read), true
	}
	p.XML = int64(share * float64(read))
	posts := in.Read.Tables["Posts"]
	return dumpSize{posts: int64(share * float64(posts.Bytes)), rows: posts.Rows}
}

// compare sets what all stages need together and what the machine has.
func (p *Plan) compare(in estimateInput) error {
	separate, err := tablesHaveOwnDisk(in.Out)
	if err != nil {
		return err
	}
	var out, tables ledger
	var needed int64
	for _, s := range p.Steps {
		needed = max(needed, s.Memory)
		if s.Stage == manifest.Ingest && separate { // sorts and archives are on the disk of OUT
			out.add(0, s.Temporary-s.oldTables)
			tables.add(s.Disk-s.Existing, s.oldTables)
		} else {
			out.add(s.Disk-s.Existing, s.Temporary)
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
	p.Tables = &Need{Needs: tables.peak + reserve}
	p.Tables.Has, err = freeDisk(databaseFolder(in.Out))
	return err
}

// ledger adds up the disk that successive stages take. A stage frees its temporary files for the next.
type ledger struct{ taken, peak int64 }

// add adds a stage that leaves growth bytes and takes temporary bytes more while it runs.
func (l *ledger) add(growth, temporary int64) {
	l.peak = max(l.peak, l.taken+growth+temporary)
	l.taken += growth
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
	sentShare      = 0.6       // lower bound of the bytes that ingest sends to the server
)

// graphShare returns the share of the graph.
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

// vectorsShare returns the share of shards and parents without dense vectors.
func vectorsShare(answers bool) float64 {
	if answers {
		return 0.45
	}
	return 0.2
}

// chunksPerPost returns the chunks of all languages per post of the dump.
func chunksPerPost(answers bool) float64 {
	if answers {
		return 1.5
	}
	return 0.6
}

// builtinDimensions is the length of the built-in embedder's vectors. unknownDimensions, that of the largest models in
// use, is assumed for an endpoint.
const (
	builtinDimensions = 256
	unknownDimensions = 4096
)

package plan

import (
	"slices"
	"strings"

	"s2g/cmd/s2g/internal/build"
	"s2g/ingest"
	"s2g/ingest/dump"
	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/memory"
	"s2g/schema/postscan"
	"s2g/schema/tables"
	"s2g/vectors/embed"
)

// estimateInput is what the estimate is computed from.
type estimateInput struct {
	Out         string           // the folder, which need not exist
	Dump        *dump.Dump       // nil unless ingest runs
	UTF8        float64          // bytes of UTF-8 for each byte of the dump (see [dump.Form]); 0 means 1
	Gzip        float64          // see [dump.Form]; 0: unknown
	Tags        []dump.TagCount  // of the dump; nil: unknown
	Read        manifest.Dump    // the dump in the tables
	Sent        int64            // bytes that an earlier ingest sent to the server; 0: unknown
	Stale       map[string]bool  // by stage: it runs
	Kept        map[string]bool  // by stage: its old outputs stay until the build ends
	Aside       bool             // so do the old vectors, while new ones are made in place
	Shape       manifest.Options // of the build
	Dimensions  int              // of dense vectors; 0: unknown, of an endpoint
	Pool        int64            // buffer pool of the private server, bytes; 0: the server is the user's
	DefaultPool bool             // Pool is the default, of which the tables may take less
	Cores       int              // that ingest uses
	Held        bool             // tables of an earlier ingest stay in service until the new ones are complete
}

// estimate computes what each stage takes, and the sums.
func estimate(in estimateInput) (*Plan, error) {
	existing, err := occupied(in.Out)
	if err != nil {
		return nil, err
	}
	next, err := occupied(manifest.NextFolder(in.Out))
	if err != nil {
		return nil, err
	}
	p := &Plan{}
	d := p.measure(in)
	step := func(s Step) {
		if in.Kept[s.Stage] || in.Aside && s.Stage == manifest.Vectors {
			s.Kept = s.Existing
			s.Existing = map[string]int64{manifest.Graph: next.graph, manifest.Vectors: next.vectors}[s.Stage]
		}
		if s.Fresh = !in.Stale[s.Stage]; s.Fresh {
			s = Step{Stage: s.Stage, Fresh: true}
		}
		p.Steps = append(p.Steps, s)
	}
	load := Step{Stage: manifest.Ingest, Temporary: int64(sortShare*float64(d.posts)) + d.spool, Memory: 256<<20 + 16*d.rows}
	if in.Pool > 0 { // the tables of the user's server take no disk here
		load.Disk, load.Existing = d.tablesDisk(p.XML), existing.tables
		if in.Held {
			load.oldTables = min(load.Existing, load.Disk)
			load.Temporary += load.oldTables
		}
	}
	step(load)
	c := d.coverage(in.Shape, in.Tags)
	quads := graphShare(in.Shape.Compress, in.Shape.Materialize, d.gzip) * float64(d.text)
	graph := Step{Stage: manifest.Graph, Disk: int64(quads*c.graphs()) + descriptionDisk, Existing: existing.graph, Memory: 128<<20 + 24*d.rows}
	shards, rest := d.vectorsDisk(in, c)
	vectors := Step{Stage: manifest.Vectors, Disk: shards + rest, Existing: existing.vectors, Memory: 512<<20 + 24*d.rows + modelSize}
	if in.Shape.WholeSite {
		graph.WholeSite, vectors.WholeSite = int64(quads), int64(float64(shards)/c.graphs())
	}
	if in.Stale[manifest.Graph] && in.Stale[manifest.Vectors] && build.OnePass(in.Shape, build.Stages) {
		both := graph.Memory + vectors.Memory - 24*d.rows + postscan.SharedBytes // they share the index of threads
		graph.Memory, vectors.Memory = both, both
	}
	step(graph)
	step(vectors)
	size := d.tablesSize()
	if in.Stale[manifest.Ingest] {
		p.Loading = &Loading{Connections: ingest.Connections(in.Cores), Posts: d.posts}
	}
	if in.DefaultPool {
		in.Pool = min(in.Pool, tables.DefaultMemory(size))
	}
	return p, p.compare(in, size)
}

// dumpSize is the size of a dump, known or estimated.
type dumpSize struct {
	tables    map[string]int64 // bytes as UTF-8
	posts     int64            // those of Posts
	text      int64            // those of Posts and Comments
	rows      int64            // posts
	questions float64
	gzip      float64 // bytes of gzip for a byte of XML
	spool     int64   // bytes of archives within archives
}

// complete sets what follows from the tables.
func (d *dumpSize) complete(in estimateInput) {
	d.posts, d.text = d.tables["Posts"], d.tables["Posts"]+d.tables["Comments"]
	if d.gzip = in.Gzip; d.gzip == 0 {
		d.gzip = usualGzip
	}
	d.questions = float64(d.posts) / bytesPerQuestion
	if uses := countUses(in.Tags, nil); uses > 0 {
		d.questions = (d.questions + uses/tagsPerQuestion) / 2
	}
}

// countUses returns how often questions have the tags of the given languages; nil: any tag.
func countUses(tags []dump.TagCount, languages []schema.Language) (n float64) {
	for _, t := range tags {
		if languages == nil || slices.ContainsFunc(languages, func(l schema.Language) bool { return l.Tag == t.Tag }) {
			n += float64(max(t.Count, 0))
		}
	}
	return n
}

// coverage is how many graphs the questions of a dump have.
type coverage struct {
	covered   float64 // share of the questions with at least one
	languages float64 // graphs of a question on average, without that of the site
	site      float64 // 1 with the graph of the whole site
}

func (c coverage) graphs() float64 { return c.languages + c.site }

func (d *dumpSize) coverage(s manifest.Options, tags []dump.TagCount) (c coverage) {
	languages := s.Languages
	if languages == nil && !s.WholeSite {
		languages = schema.DefaultLanguages()
	}
	if len(languages) > 0 {
		c.languages = 1.05 // as on Stack Overflow, with the default languages
		if uses := countUses(tags, nil); uses > 0 {
			c.languages = countUses(tags, languages) / max(d.questions, 1)
		}
		c.covered = min(1, c.languages/graphsPerCovered)
	}
	if s.Other {
		c.languages += 1 - c.covered
		c.covered = 1
	}
	if s.WholeSite {
		c.site, c.covered = 1, 1
	}
	return c
}

// tablesDisk returns the disk of a private server with the tables.
func (d *dumpSize) tablesDisk(xml int64) int64 {
	return tables.SystemSize + int64(0.04*float64(xml)) + tables.LogSize(xml) + d.tablesSize()
}

// tablesSize returns the bytes of the tables.
func (d *dumpSize) tablesSize() int64 {
	n := 0.0
	for table, size := range d.tables {
		n += tableShares[table] * float64(size)
		if size > largeTable {
			n += tableGrowth
		}
	}
	return int64(n)
}

// vectorsDisk returns the disk of shards, and of whole texts with the builtin model, whose vocabulary grows with the first
// posts.
func (d *dumpSize) vectorsDisk(in estimateInput, c coverage) (shards, rest int64) {
	dimensions := in.Dimensions
	if dimensions == 0 {
		dimensions = unknownDimensions
	}
	posts := d.questions
	if strings.Contains(in.Shape.Units, "answer") {
		posts *= 1 + answersPerQuestion
	}
	point := float64(4*dimensions) + pointText*d.gzip
	rest = int64(posts * c.covered * parentText * d.gzip)
	if in.Shape.Dense == "" || in.Shape.Dense == embed.KindBuiltin {
		rest += 1_500_000 + 2300*min(int64(posts*c.covered), 1400)
	}
	return int64(posts * c.graphs() * chunksPerPost * point), rest
}

// measure returns the size of the dump and sets XML and Estimated.
func (p *Plan) measure(in estimateInput) dumpSize {
	if in.Dump == nil {
		return p.measureRead(in)
	}
	m := dumpSize{tables: map[string]int64{}}
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
			m.tables[member.Table] += size
		}
	}
	p.Estimated = p.Estimated || utf8 != 1
	m.complete(in)
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
	m := dumpSize{tables: map[string]int64{}, rows: in.Read.Tables["Posts"].Rows}
	for name, t := range in.Read.Tables {
		m.tables[name] = int64(share * float64(t.Bytes))
	}
	m.complete(in)
	return m
}

// compare sets what all stages need together and what the machine has.
func (p *Plan) compare(in estimateInput, tablesSize int64) error {
	separate, err := tablesHaveOwnDisk(in.Out)
	if err != nil {
		return err
	}
	var out, database ledger
	var needed int64
	for _, s := range p.Steps {
		needed = max(needed, s.Memory)
		if s.Stage == manifest.Ingest && separate { // sorts and archives are on the disk of OUT
			out.add(0, s.Temporary-s.oldTables)
			database.add(s.Disk-s.Existing, s.oldTables)
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
		p.Pool = &Pool{Bytes: in.Pool, Tables: tablesSize, Cache: max(p.Memory.Has-p.Memory.Needs, 0)}
	}
	p.Disk.Needs = out.peak + out.peak/10 + reserve
	if p.Disk.Has, err = freeDisk(in.Out); err != nil || !separate || in.Pool == 0 {
		return err
	}
	p.Tables = &Need{Needs: database.peak + database.peak/10 + reserve}
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

// The size of each output, fitted on two real sites and on samples of 20,000 to 400,000 posts; docs/performance.md has the
// measurements, and TestEstimates repeats some. A private server's data files grow by steps: a table of more than
// largeTable bytes has tableGrowth free.
const (
	largeTable  = 600 << 10
	tableGrowth = 7 << 20

	bytesPerQuestion   = 4500 // of Posts: a question with its answers
	tagsPerQuestion    = 2.9
	answersPerQuestion = 1.7
	graphsPerCovered   = 1.15 // languages of a question that has one
	chunksPerPost      = 1.1
	pointText          = 2060 // bytes of XML whose gzip takes the disk of a point's text, terms and payload
	parentText         = 1000 // likewise of a whole text

	descriptionDisk = 60 << 10 // ontology.ttl and void.ttl

	usualGzip      = 0.34 // of real sites; samples have 0.26
	sortShare      = 1.0  // of Posts alone, where their ids are out of order
	modelSize      = 64 << 20
	reserve        = 64 << 20
	serverOverhead = 512 << 20 // of mariadbd beside its buffer pool
	sentShare      = 0.6       // lower bound of the bytes that ingest sends to the server
)

// tableShares has the bytes of InnoDB's pages for a byte of XML, indexes included.
var tableShares = map[string]float64{"Posts": 0.86, "Comments": 1.05, "Votes": 0.86, "PostLinks": 1.5, "Tags": 1}

// graphShare returns the bytes of a graph for a byte of Posts and Comments, if each question is in one graph. gzip is that of
// [dump.Form].
func graphShare(compress string, materialize bool, gzip float64) float64 {
	share := 1.07 * gzip
	switch compress {
	case "none":
		share = 1.14
	case "zstd":
		share = gzip
	}
	switch {
	case materialize && compress == "none":
		share *= 2.65
	case materialize:
		share *= 1.4
	}
	return share
}

// builtinDimensions is the length of the built-in embedder's vectors. unknownDimensions, that of the largest models in
// use, is assumed for an endpoint.
const (
	builtinDimensions = 256
	unknownDimensions = 4096
)

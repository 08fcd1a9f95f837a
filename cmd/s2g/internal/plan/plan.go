package plan

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"s2g/cmd/s2g/internal/build"
	"s2g/ingest/dump"
	"s2g/schema/manifest"
	"s2g/schema/memory"
	"s2g/schema/tables"
	"s2g/vectors/embed"
)

// input is what the estimate needs.
type input struct {
	Out         string     // the folder, which need not exist
	Dump        *dump.Dump // nil where no dump is to be read
	UTF8        float64    // bytes of UTF-8 that a byte of the dump is (see [dump.Form]); 0 means 1
	Read        manifest.Dump
	Sent        int64           // bytes that an earlier ingest sent to the server; 0: not known
	Stale       map[string]bool // stages that are to be run
	Compress    string
	Materialize bool
	Answers     bool  // are embedded, too
	Dimensions  int   // of dense vectors; 0: those of an endpoint, not known yet
	Pool        int64 // buffer pool of the private server, bytes; 0: the server is the user's
	Held        bool  // tables of an earlier ingest are in service until the new ones are complete
}

// Step is what one stage takes.
type Step struct {
	Stage  string `json:"stage"`
	Fresh  bool   `json:"fresh"`  // it is up to date, or was not asked for: nothing to do
	Disk   int64  `json:"disk"`   // bytes that stay
	Passes int64  `json:"passes"` // bytes more while it runs: sorts, archives in archives, tables of the dump before
	There  int64  `json:"there"`  // bytes of these that are there: of a run that was interrupted, or of one that it replaces
	Memory int64  `json:"memory"` // bytes at most, of s2g

	held int64 // of Passes: tables of the dump before
}

// Plan is what a build takes.
type Plan struct {
	dump *dump.Dump // that the options name; nil where they name none

	XML       int64  `json:"xml"`       // bytes of the tables decoded, as UTF-8
	Estimated bool   `json:"estimated"` // XML is one
	Steps     []Step `json:"steps"`
	Disk      Need   `json:"disk"`             // where OUT is
	Tables    *Need  `json:"tables,omitempty"` // where the private database is, if that is on a disk of its own
	Memory    Need   `json:"memory"`
}

// Need is what is needed beside what is there already, and what is free, in
// bytes; 0 free is not known.
type Need struct {
	Needs int64 `json:"needs"`
	Has   int64 `json:"has"`
}

// Lacks reports whether less is there than is needed.
func (n Need) Lacks() bool { return n.Has > 0 && n.Has < n.Needs }

// New returns the plan of the given stages of a build. It changes nothing.
func New(ctx context.Context, o *build.Options, m *manifest.Manifest, stages []string) (*Plan, error) {
	return newPlan(ctx, o, m, stages, 0)
}

// Check returns an error where the machine lacks what the given stages of a build take. It is for [build.Options].
func Check(ctx context.Context, o *build.Options, m *manifest.Manifest, stages []string) error {
	p, err := New(ctx, o, m, stages)
	if err != nil {
		return err
	}
	return p.Err()
}

// newPlan takes the dimensions of the dense vectors where an endpoint was asked for them, else 0.
func newPlan(ctx context.Context, o *build.Options, m *manifest.Manifest, stages []string, dimensions int) (*Plan, error) {
	s := o.Shape
	dense, err := embed.ParseSpec(cmp.Or(s.Dense, embed.KindBuiltin))
	if err != nil {
		return nil, err
	}
	state, err := o.State(ctx, m, stages)
	if err != nil {
		return nil, err
	}
	in := input{
		Out: o.Out, Read: m.Dump, Stale: state.Stale, Dimensions: dimensions,
		Compress: s.Compress, Materialize: s.Materialize, Answers: strings.Contains(s.Units, "answer"),
	}
	if done := m.Stages[manifest.Ingest]; done != nil {
		in.Held, in.Sent = true, done.BytesOut
	}
	if in.Stale[manifest.Ingest] { // else the manifest has the sizes of what was read
		in.Dump = state.Dump
		if form, err := state.Dump.DetectForm(ctx); err == nil { // ingest reports the error
			in.UTF8 = form.UTF8
		}
	}
	for stage := range in.Stale {
		in.Stale[stage] = in.Stale[stage] && slices.Contains(stages, stage)
	}
	if dense.Kind == embed.KindBuiltin {
		in.Dimensions = BuiltinDimensions
	} else if in.Dimensions == 0 {
		in.Dimensions = dense.Dimensions
	}
	server, err := o.Server()
	if err != nil {
		return nil, err
	}
	if server.DSN == "" {
		in.Pool = cmp.Or(server.Memory, tables.DefaultMemory())
	}
	p, err := estimate(in)
	if err != nil {
		return nil, err
	}
	p.dump = state.Dump
	return p, nil
}

// estimate computes the plan.
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

// measured is what a dump is known or thought to hold.
type measured struct {
	posts int64 // bytes of Posts as UTF-8
	rows  int64 // posts
	spool int64 // bytes of archives within archives
}

// measure sets the dump's size.
func (p *Plan) measure(in input) measured {
	if in.Dump == nil {
		return p.measureRead(in)
	}
	var m measured
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
	m.rows = m.posts / 1200 // bytes that a post has at least, on the average of a site
	return m
}

// measureRead takes the size of a dump that was read before. What was read may
// have been UTF-16; what was sent to the server was not.
func (p *Plan) measureRead(in input) measured {
	read, share := in.Read.Bytes(), 1.0
	if most := int64(float64(in.Sent) / sentShare); in.Sent > 0 && most < read {
		share, p.Estimated = float64(most)/float64(read), true
	}
	p.XML = int64(share * float64(read))
	posts := in.Read.Tables["Posts"]
	return measured{posts: int64(share * float64(posts.Bytes)), rows: posts.Rows}
}

// compare sets what is needed in all and what the machine has.
func (p *Plan) compare(in input) error {
	separate, err := apartFrom(in.Out)
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

// ledger adds up what stages take of a disk, one after the other: what passes in
// one is free in the next.
type ledger struct{ taken, peak int64 }

// add is a stage that leaves so many bytes more than there were, and needs others
// while it runs.
func (l *ledger) add(stays, passes int64) {
	l.peak = max(l.peak, l.taken+stays+passes)
	l.taken += stays
}

package ingest

import (
	"time"

	"s2g/ingest/dump"
	"s2g/schema"
	"s2g/schema/manifest"
)

// format is counted up when ingest makes other rows of the same dump.
const format = 2

// A Plan is what an ingest would read.
type Plan struct {
	Dump *dump.Dump
	Key  string // hash of all that the tables depend on

	form string            // hash of what turns the dump's bytes into tables
	sums map[string]string // Options.Sums
}

// NewPlan finds the dump. Its key tells a dump from another by names, sizes and
// times of its files: where manifest.Fresh(manifest.Ingest, Key) holds, there is
// nothing to do.
func NewPlan(o Options) (*Plan, error) {
	d, err := dump.Find(o.Dump, dump.Options{Site: o.DumpSite, Without: o.Without, Tmp: o.tmp})
	if err != nil {
		return nil, err
	}
	type file struct {
		Name string
		Size int64
		Time time.Time
	}
	var files []file
	for _, f := range d.Files {
		files = append(files, file{f.Name, f.Size, f.ModTime.UTC()})
	}
	// The tables that are read, the others being those of --without; and by what
	// name: an archive of several sites has a Posts of each.
	var members [][2]string
	for _, s := range d.Streams {
		for _, m := range s.Members {
			members = append(members, [2]string{m.Table, m.Name})
		}
	}
	form, err := manifest.Key(format, schema.DDL)
	if err != nil {
		return nil, err
	}
	of := []any{format, schema.DDL, d.Site, files, members}
	if o.Sums != nil {
		of = []any{format, schema.DDL, d.Site, o.Sums}
	}
	key, err := manifest.Key(of...)
	if err != nil {
		return nil, err
	}
	return &Plan{Dump: d, Key: key, form: form, sums: o.Sums}, nil
}

// Size returns the compressed bytes that will be read.
func (p *Plan) Size() int64 {
	var n int64
	for _, s := range p.Dump.Streams {
		n += s.Size
	}
	return n
}

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
	var tables []string // all that are read: the others are those of --without
	for _, s := range d.Streams {
		for _, m := range s.Members {
			tables = append(tables, m.Table)
		}
	}
	key, err := manifest.Key(format, schema.DDL, files, tables)
	if err != nil {
		return nil, err
	}
	return &Plan{Dump: d, Key: key}, nil
}

// Size returns the compressed bytes that will be read.
func (p *Plan) Size() int64 {
	var n int64
	for _, s := range p.Dump.Streams {
		n += s.Size
	}
	return n
}

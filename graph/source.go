package graph

import (
	"context"

	"s2g/schema"
	"s2g/schema/tables"
	"s2g/schema/threads"
)

// source is what the graph is rendered from.
type source struct {
	db      *tables.DB
	tables  map[string]bool // those that the dump has
	threads *threads.Index
	graphs  []string // IRIs: the languages', then the remainder's
}

// openSource reads the index of threads.
func openSource(ctx context.Context, db *tables.DB, o Options) (*source, error) {
	s := &source{db: db}
	var err error
	if s.tables, err = db.Names(ctx); err != nil {
		return nil, err
	}
	if !s.tables["Posts"] {
		return nil, schema.Faultf(schema.FaultUsage, "run s2g ingest first", "there is no table Posts")
	}
	if s.threads, err = threads.Build(ctx, db, o.Languages, o.Other); err != nil {
		return nil, err
	}
	o.Log.Info("found the threads", "languages", len(o.Languages), "posts", s.threads.Len(), "bytes", s.threads.Bytes())
	for _, l := range o.Languages {
		s.graphs = append(s.graphs, o.Site.Graph(l.Tag))
	}
	if o.Other {
		s.graphs = append(s.graphs, o.Site.OtherGraph())
	}
	return s, nil
}

package qdrant

import (
	"context"
	"errors"

	"github.com/qdrant/go-client/qdrant"

	"s2g/schema"
	"s2g/vectors/shard"
)

// At so many places of a language, so many points are compared at the end of a load.
const (
	samplePlaces = 8
	sampleEach   = 8
)

// compare holds what a collection has against the shards: the number of points, and a
// sample of them, its first and last among it.
func (l *loading) compare(ctx context.Context, language Language) error {
	collection := l.Collection(language.Slug)
	const remedy = "see the server's log and its disk, delete the collection, and load again"
	have, err := l.Count(ctx, collection)
	if err != nil {
		return err
	}
	if want := language.Points(); have != want {
		return schema.Faultf(schema.FaultVerification, remedy, "%s: %s has %d points, the shards %d", l.Address, collection, have, want)
	}
	rows, err := language.sample(samplePlaces, sampleEach)
	if err != nil {
		return err
	}
	ids := make([]uint64, len(rows))
	for i, r := range rows {
		ids[i] = r.PointID
	}
	points, err := l.Fetch(ctx, collection, ids)
	if err != nil {
		return err
	}
	byID := map[uint64]*qdrant.RetrievedPoint{}
	for _, p := range points {
		byID[p.GetId().GetNum()] = p
	}
	for _, r := range rows {
		p, ok := byID[r.PointID]
		if !ok {
			return schema.Faultf(schema.FaultVerification, remedy, "%s: %s has no point %d, of post %d", l.Address, collection, r.PointID, r.PostID)
		}
		if d := differs(p, r, l.Float16); d != "" {
			return schema.Faultf(schema.FaultVerification, remedy, "%s: point %d of %s, of post %d: %s", l.Address, r.PointID, collection, r.PostID, d)
		}
	}
	return nil
}

// sample reads rows at places that are equally far apart, some at each: to go to a place
// in a shard takes longer than to read on from there.
func (l Language) sample(places, each int64) (rows []*shard.Point, err error) {
	points := l.Points()
	places = min(places, max(1, points/each))
	before, next := int64(0), int64(0) // rows of the shards before; places that were read
	for _, s := range l.Shards {
		if next == places || l.place(next, places, each) >= before+s.Rows {
			before += s.Rows
			continue
		}
		r, err := shard.Open(s.File)
		if err != nil {
			return nil, err
		}
		for ; next < places && l.place(next, places, each) < before+s.Rows; next++ {
			if err := r.SeekRow(l.place(next, places, each) - before); err != nil {
				return nil, errors.Join(err, r.Close())
			}
			for n := int64(0); n < each && r.Scan(); n++ {
				rows = append(rows, r.Point())
			}
		}
		if err := errors.Join(r.Err(), r.Close()); err != nil {
			return nil, err
		}
		before += s.Rows
	}
	return rows, nil
}

// place is the row, over all shards, where a sample of so many places reads one: the
// first begins with the first row, the last ends with the last.
func (l Language) place(n, places, each int64) int64 {
	return n * max(0, l.Points()-each) / max(1, places-1)
}

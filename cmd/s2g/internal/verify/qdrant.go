package verify

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"

	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/vectors/qdrant"
)

// Qdrant is a Qdrant server whose collections are held against the shards: which ones
// are in service, the id of each point, and the payload and vectors of a sample.
type Qdrant struct {
	Server    *qdrant.Server
	Prefix    string   // of the names of collections
	Languages []string // slugs of those that were loaded; nil: all
	Unserved  bool     // the build is not in service yet: its collections are asked by their own names
	Sample    int64    // points of a language compared whole; 0: defaultQdrantSample
	Progress  func(what string, done, total int64)
}

// defaultQdrantSample is how many points of a language are compared whole.
const defaultQdrantSample = 256

// Compare returns the checks "qdrant aliases", "qdrant points" and "qdrant sample".
func (q *Qdrant) Compare(ctx context.Context, found *Contents) ([]Check, error) {
	if found.Manifest.Stages[manifest.Vectors] == nil {
		return nil, schema.Faultf(schema.FaultUsage, "run s2g vectors, or leave --qdrant out", "%s has no vectors to compare with Qdrant", found.Out)
	}
	edition, err := found.Manifest.Edition(manifest.Vectors)
	if err != nil {
		return nil, err
	}
	c := &qdrantCheck{Qdrant: *q, build: found.build, edition: edition,
		aliases: newCheck("qdrant aliases", "aliases lead to the collections of this build"),
		points:  newCheck("qdrant points", "points, by id, against the shards"),
		sample:  newCheck("qdrant sample", "points, payload and vectors, against the shards"),
	}
	if c.Sample == 0 {
		c.Sample = defaultQdrantSample
	}
	if c.Progress == nil {
		c.Progress = func(string, int64, int64) {}
	}
	names, err := c.collections(ctx, found)
	if err != nil {
		return nil, err
	}
	for g := range names {
		c.total += found.Graphs[g].Points
	}
	for g, name := range names {
		if name == "" {
			continue
		}
		if err := c.compare(ctx, g, name, found.Graphs[g].Points); err != nil {
			return nil, err
		}
	}
	c.points.remedy = "delete that collection and run s2g load qdrant again; points that are missing alone are sent by that command"
	c.sample.remedy, c.aliases.remedy = c.points.remedy, "run s2g load qdrant, which puts this build in service, or verify the build that is"
	checks := []Check{c.points, c.sample}
	if !q.Unserved {
		checks = slices.Insert(checks, 0, c.aliases)
	}
	return checks, nil
}

// qdrantCheck is a comparison at work.
type qdrantCheck struct {
	Qdrant
	build                   *build
	edition                 string
	aliases, points, sample Check
	done, total             int64 // points, of all collections
}

// collections returns the collection of each graph that has points, by the number of
// the graph, and an empty name for the others. They are those that the aliases lead to,
// or that are to be put in service.
func (q *qdrantCheck) collections(ctx context.Context, found *Contents) ([]string, error) {
	serving, err := q.Server.Aliases(ctx)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(found.Graphs))
	for g, of := range found.Graphs {
		alias := q.Prefix + "_" + of.Slug
		want := alias + "_" + q.edition
		switch wanted := q.Languages == nil || slices.Contains(q.Languages, of.Slug); {
		case !wanted:
		case of.Points == 0:
			if name, ok := serving[alias]; ok {
				q.aliases.differ("%s leads to %s, the build has no points of that language", alias, name)
			}
		case q.Unserved:
			names[g] = want
		default:
			q.aliases.Count++
			name, ok := serving[alias]
			if !ok {
				q.aliases.differ("there is no alias %s, which is to lead to %s", alias, want)
			} else if name != want {
				q.aliases.differ("%s leads to %s, not to %s", alias, name, want)
			}
			names[g] = name // another build's points are compared, too: the difference has an id then
		}
	}
	return names, nil
}

// compare holds a collection against the shards of a graph.
func (q *qdrantCheck) compare(ctx context.Context, g int, collection string, points int64) error {
	have, err := q.Server.Count(ctx, collection)
	if err != nil {
		return err
	}
	where := ""
	if q.points.OK {
		if where, err = q.compareIDs(ctx, g, collection); err != nil {
			return err
		}
	}
	if q.points.Count += have; have != points || where != "" {
		q.points.differ("%s has %d points, the shards %d%s", collection, have, points, where)
	}
	if !q.points.OK {
		return nil // what is missing differs in any sample
	}
	return q.compareSample(ctx, g, collection, points)
}

// compareIDs says which is the first point that only one side has; empty where none is.
func (q *qdrantCheck) compareIDs(ctx context.Context, g int, collection string) (string, error) {
	next, stop := iter.Pull2(q.Server.IDs(ctx, collection))
	defer stop()
	theirs, err, more := next()
	where := ""
	for _, f := range q.build.shardsOf(g) {
		bad, failed := q.build.eachRow(ctx, f, func(t *table) func() string {
			point := t.int64("point_id")
			return func() string {
				id := uint64(point.int())
				q.done++
				switch {
				case err != nil:
				case more && theirs == id:
					theirs, err, more = next()
					return ""
				case more && theirs < id:
					where = fmt.Sprintf("; point %d, of post %d, is in no shard", theirs, postOf(theirs))
				default:
					where = fmt.Sprintf("; point %d, of post %d (%s), is missing", id, postOf(id), f.name)
				}
				return "stop"
			}
		})
		if err == nil {
			err = failed
		}
		if err != nil || where != "" {
			return where, err
		}
		if bad != "" {
			return "; " + f.name + ": " + bad, nil
		}
		q.Progress("points of "+collection, q.done, q.total)
	}
	if err == nil && more {
		where = fmt.Sprintf("; point %d, of post %d, is in no shard", theirs, postOf(theirs))
	}
	return where, err
}

// postOf is the post whose chunk a point is.
func postOf(point uint64) uint64 { return point >> 16 }

// shardsOf returns the shards of a graph in the order of their points.
func (b *build) shardsOf(g int) []file {
	var list []file
	for _, f := range b.files {
		if of, ok := b.graphOfShard(f.name); ok && of == g && f.kind == aShard {
			list = append(list, f)
		}
	}
	slices.SortFunc(list, func(x, y file) int { // part-100000 follows part-99999
		return cmp.Or(cmp.Compare(len(x.name), len(y.name)), cmp.Compare(x.name, y.name))
	})
	return list
}

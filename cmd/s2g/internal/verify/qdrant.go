package verify

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/vectors/qdrant"
)

// Qdrant is a [Server]: a Qdrant server that the shards were loaded into. Its checks are
//
//	qdrant aliases  the aliases lead to the collections of the build
//	qdrant points   the ids of a collection's points are those of the shards
//	qdrant sample   the payload and the vectors of some points are those of the shards (qdrantpoint.go)
type Qdrant struct {
	Server    *qdrant.Server
	Prefix    string                               // of the names of collections
	Languages []string                             // slugs of the loaded languages; nil: all
	Unserved  bool                                 // no alias leads to the collections yet: find them by their own names
	Progress  func(what string, done, total int64) // receives the number of points; nil: none
}

// Compare queries the server.
func (q *Qdrant) Compare(ctx context.Context, build *Contents) ([]Check, error) {
	if build.manifest.Stages[manifest.Vectors] == nil {
		return nil, schema.Faultf(schema.FaultUsage, "run s2g vectors, or leave option qdrant out", "%s has no vectors to compare with Qdrant", build.out)
	}
	edition, err := build.manifest.Edition(manifest.Vectors)
	if err != nil {
		return nil, err
	}
	c := &qdrantComparison{Qdrant: *q, verifier: build.verifier, edition: edition,
		aliases: newCheck("qdrant aliases", "aliases lead to the collections of this build"),
		points:  newCheck("qdrant points", "points, by id, against the shards"),
		sample:  newCheck("qdrant sample", "points, payload and vectors, against the shards"),
	}
	if c.Progress == nil {
		c.Progress = func(string, int64, int64) {}
	}
	names, err := c.collections(ctx)
	if err != nil {
		return nil, err
	}
	for g := range names {
		c.total += build.shardTallies[g].points
	}
	for g, name := range names {
		if name == "" {
			continue
		}
		if err := c.compareCollection(ctx, g, name, build.shardTallies[g].points); err != nil {
			return nil, err
		}
	}
	c.points.remedy = "delete that collection and run s2g load qdrant again; if points are only missing, run it without deleting"
	c.sample.remedy, c.aliases.remedy = c.points.remedy, "run s2g load qdrant, which puts this build in service, or verify the build in service"
	checks := []Check{c.points, c.sample}
	if !q.Unserved {
		checks = slices.Insert(checks, 0, c.aliases)
	}
	return checks, nil
}

// qdrantComparison is the comparison of collections with a build.
type qdrantComparison struct {
	Qdrant
	verifier                *verifier
	edition                 string
	aliases, points, sample Check
	done, total             int64 // points of all collections
}

// collections returns each graph's collection: the one that its alias leads to or, with
// Unserved, the build's own. The name is empty where none is to be compared.
func (q *qdrantComparison) collections(ctx context.Context) ([]string, error) {
	serving, err := q.Server.Aliases(ctx)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(q.verifier.graphs))
	for g, graph := range q.verifier.graphs {
		alias := q.Prefix + "_" + graph.slug
		want := alias + "_" + q.edition
		switch wanted := q.Languages == nil || slices.Contains(q.Languages, graph.slug); {
		case !wanted:
		case q.verifier.shardTallies[g].points == 0:
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
			names[g] = name // even another build's, so that the difference of points names one
		}
	}
	return names, nil
}

// compareCollection compares a collection with the shards of a graph, which have so many
// points.
func (q *qdrantComparison) compareCollection(ctx context.Context, g int, collection string, points int64) error {
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
		return nil // the sample would repeat the difference
	}
	return q.compareSample(ctx, g, collection, points)
}

// compareIDs describes the first point that only one side has, as an appendix that
// begins with a semicolon. It returns "" where there is none.
func (q *qdrantComparison) compareIDs(ctx context.Context, g int, collection string) (string, error) {
	next, stop := iter.Pull2(q.Server.IDs(ctx, collection))
	defer stop()
	theirs, err, more := next()
	where := ""
	for _, f := range q.verifier.shardsOf(g) {
		difference, readErr := q.verifier.readRows(ctx, f, func(r *rowReader) func() string {
			point := r.int64s("point_id")
			return func() string {
				id := uint64(point.integer())
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
			err = readErr
		}
		if err != nil || where != "" {
			return where, err
		}
		if difference != "" {
			return "; " + difference, nil
		}
		q.Progress("points of "+collection, q.done, q.total)
	}
	if err == nil && more {
		where = fmt.Sprintf("; point %d, of post %d, is in no shard", theirs, postOf(theirs))
	}
	return where, err
}

// postOf returns the post whose chunk a point is.
func postOf(point uint64) uint64 { return point >> 16 }

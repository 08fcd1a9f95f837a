package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	client "github.com/qdrant/go-client/qdrant"

	"s2g/graph/rdf4j"
	"s2g/graph/rdf4j/rdf4jtest"
	"s2g/schema/schematest"
	"s2g/vectors/shard"
)

// site is a pair of servers and a growing site whose dumps are built into them.
type site struct {
	graphDB, qdrant string // addresses
	prefix          string
	work            string
}

// dump writes the dump of the site when it has so many posts.
func (s site) dump(t *testing.T, posts int) string {
	t.Helper()
	dump := filepath.Join(s.work, "dump-"+strconv.Itoa(posts))
	s2gExits(t, 0, "sample", "--grow", "20000", "--posts", strconv.Itoa(posts), "--seed", "7", "--out", dump)
	return dump
}

// build is the command that builds a dump into the servers.
func (s site) build(dump, out, repository string, more ...string) []string {
	return append([]string{"build", "--dump", dump, "--out", out, "--languages", "python,java,c#", "--db-memory", "256MiB",
		"--graphdb", s.graphDB, "--repository", repository, "--qdrant", s.qdrant, "--prefix", s.prefix, "--retry-for", "2s"}, more...)
}

func (s site) verify(out, repository string, more ...string) []string {
	return append([]string{"verify", "--out", out, "--graphdb", s.graphDB, "--repository", repository,
		"--qdrant", s.qdrant, "--prefix", s.prefix}, more...)
}

func (s site) repository(t *testing.T, name string) *rdf4j.Repository {
	t.Helper()
	c, err := rdf4j.New(rdf4j.Config{URL: s.graphDB})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c.Repository(name)
}

// TestEndToEnd builds one dump after the other into both servers, as the scheduled job does: the contents of one server are
// found in the other, the next build replaces the one in service, and a build that cannot be loaded does not.
func TestEndToEnd(t *testing.T) {
	schematest.Long(t)
	schematest.Tool(t, "mariadbd")
	store := rdf4jtest.Open(t)
	s := site{store.URL, schematest.Qdrant(t), fmt.Sprintf("s2gtest-%x", rand.Uint32()), t.TempDir()}
	dropAfter(t, s.qdrant, s.prefix)

	one, first := filepath.Join(s.work, "one"), store.Name(t)
	dump := s.dump(t, 1500)
	said, _ := s2gExits(t, 0, s.build(dump, one, first)...)
	mustContain(t, said, "qdrant points", "graphdb", s.prefix+"_csharp")
	s.bothWays(t, first)

	again, _ := s2gExits(t, 0, s.build(dump, one, first)...)
	mustContain(t, again, "loaded      nothing")

	two, second := filepath.Join(s.work, "two"), store.Name(t)
	s2gExits(t, 0, s.build(s.dump(t, 2200), two, second, "--reuse", one)...)
	s2gExits(t, 0, s.verify(two, second)...)
	s.bothWays(t, second)
	_, said = s2gExits(t, 5, s.verify(one, first)...)
	mustContain(t, said, "qdrant aliases", s.prefix+"_python leads to")

	// a build that a server refuses
	third := store.Name(t)
	s2gExits(t, 0, "load", "graphdb", "--out", one, "--url", s.graphDB, "--repository", third)
	three := filepath.Join(s.work, "three")
	_, said = s2gExits(t, 2, s.build(s.dump(t, 2400), three, third, "--reuse", two)...)
	mustContain(t, said, third)
	s2gExits(t, 0, s.verify(two, second)...)
}

// bothWays follows the shared ids from points to nodes and back.
func (s site) bothWays(t *testing.T, repository string) {
	t.Helper()
	ctx := t.Context()
	points := qdrantOf(t, s.qdrant)
	r := s.repository(t, repository)
	vectors, payload := client.NewWithVectors(true), client.NewWithPayload(true)

	// a hybrid search for the vectors of a point finds the point, and its post id finds a node
	some, err := points.Scroll(ctx, &client.ScrollPoints{CollectionName: s.prefix + "_python", Limit: new(uint32(5)), WithVectors: vectors, WithPayload: payload})
	if err != nil || len(some) == 0 {
		t.Fatalf("%d points: %v", len(some), err)
	}
	for _, p := range some {
		named := p.GetVectors().GetVectors().GetVectors()
		sparse := named["sparse"].GetSparse()
		found, err := points.Query(ctx, &client.QueryPoints{CollectionName: s.prefix + "_python", WithPayload: payload, Limit: new(uint64(10)),
			Prefetch: []*client.PrefetchQuery{
				{Query: client.NewQueryDense(named["dense"].GetDense().GetData()), Using: new("dense"), Limit: new(uint64(20))},
				{Query: client.NewQuerySparse(sparse.GetIndices(), sparse.GetValues()), Using: new("sparse"), Limit: new(uint64(20))},
			}, Query: client.NewQueryFusion(client.Fusion_RRF)})
		if err != nil || len(found) == 0 {
			t.Fatalf("searching for point %d: %d found, %v", p.GetId().GetNum(), len(found), err)
		}
		hit := false
		for _, f := range found {
			hit = hit || f.GetId().GetNum() == p.GetId().GetNum()
			id, iri := f.GetPayload()["post_id"].GetIntegerValue(), f.GetPayload()["iri"].GetStringValue()
			if got := values(t, r, fmt.Sprintf(`SELECT ?q { GRAPH <http://stackoverflow.com/python> { ?q so:postId %d } }`, id), "q"); len(got) != 1 || got[0][0] != iri {
				t.Errorf("point of post %d, %s: the graph has %v", id, iri, got)
			}
		}
		if !hit {
			t.Errorf("point %d does not find itself", p.GetId().GetNum())
		}
	}

	// a hop in the graph leads to points
	hops := values(t, r, `SELECT ?id ?q { GRAPH <http://stackoverflow.com/java> { ?q so:LinkedTo|^so:LinkedTo|so:DuplicateOf|^so:DuplicateOf ?other . ?q a so:Question ; so:postId ?id }
		FILTER EXISTS { GRAPH <http://stackoverflow.com/java> { ?q so:TaggedWith <http://stackoverflow.com/tags/java> } } } ORDER BY ?id LIMIT 5`, "id", "q")
	if len(hops) == 0 {
		t.Fatal("no links in the graph")
	}
	for _, h := range hops {
		id, err := strconv.ParseInt(h[0], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		got, err := points.Get(ctx, &client.GetPoints{CollectionName: s.prefix + "_java", Ids: []*client.PointId{client.NewIDNum(shard.PointID(id, 0))}, WithPayload: payload})
		if err != nil || len(got) != 1 || got[0].GetPayload()["iri"].GetStringValue() != h[1] {
			t.Errorf("%s: %d points, %v", h[1], len(got), err)
		}
	}
}

// values returns the rows of a SELECT, by the names of its variables.
func values(t *testing.T, r *rdf4j.Repository, query string, names ...string) (rows [][]string) {
	t.Helper()
	answer, err := r.Query(t.Context(), "PREFIX so: <http://stackoverflow.com/schema#> "+query)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Close()
	for answer.Scan() {
		var row []string
		for _, n := range names {
			row = append(row, answer.Record()[n].Value)
		}
		rows = append(rows, row)
	}
	if err := answer.Err(); err != nil {
		t.Fatal(err)
	}
	return rows
}

// TestEndToEndKilled kills each server in the middle of a build's load: exit code 4, and the earlier build stays in service.
// After a restart of the server the same command resumes the load.
func TestEndToEndKilled(t *testing.T) {
	schematest.Long(t)
	schematest.Tool(t, "mariadbd")
	store, engine := rdf4jtest.Start(t), schematest.StartQdrant(t)
	s := site{store.URL, engine.Address, "killed", t.TempDir()}
	one, first := filepath.Join(s.work, "one"), store.Name(t)
	s2gExits(t, 0, s.build(s.dump(t, 600), one, first)...)
	aliases := s.aliases(t)

	two, second := filepath.Join(s.work, "two"), store.Name(t)
	build := s.build(s.dump(t, 6000), two, second, "--batch", "16", "--in-flight", "1")
	r := s.repository(t, second)
	s.killIn(t, build, store.Kill, func() bool {
		size, err := r.Size(t.Context())
		return err == nil && size > 0
	})
	if got := s.aliases(t); got != aliases {
		t.Errorf("aliases after GraphDB was killed: %s, before: %s", got, aliases)
	}
	store.Restart()
	// qdrant is next: the load of the graph resumes, and ends before the points are sent
	points := qdrantOf(t, s.qdrant)
	s.killIn(t, build, engine.Kill, func() bool {
		names, err := points.ListCollections(t.Context())
		if err != nil {
			return false
		}
		for _, name := range names {
			n, err := points.Count(t.Context(), &client.CountPoints{CollectionName: name})
			if err == nil && n > 64 && !strings.Contains(aliases, name) {
				return true
			}
		}
		return false
	})
	engine.Start()
	if got := s.aliases(t); got != aliases {
		t.Errorf("aliases after Qdrant was killed: %s, before: %s", got, aliases)
	}
	s2gExits(t, 0, build...)
	s2gExits(t, 0, s.verify(two, second)...)
	if got := s.aliases(t); got == aliases {
		t.Errorf("the aliases are still %s", got)
	}
}

// killIn runs a command and kills a server while it loads.
func (s site) killIn(t *testing.T, args []string, kill func(), amid func() bool) {
	t.Helper()
	ended := make(chan int, 1)
	var out, log bytes.Buffer
	go func() { ended <- run(context.WithoutCancel(t.Context()), args, &out, &log) }()
	for !amid() {
		select {
		case code := <-ended:
			t.Fatalf("ended before it was killed: exit code %d\n%s", code, log.String())
		case <-time.After(time.Millisecond):
		}
	}
	kill()
	if code := <-ended; code != 4 {
		t.Fatalf("exit code %d after a server was killed\n%s%s", code, out.String(), log.String())
	}
}

// aliases returns the server's aliases as a text.
func (s site) aliases(t *testing.T) string {
	t.Helper()
	list, err := qdrantOf(t, s.qdrant).ListAliases(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	lines := make([]string, len(list))
	for i, a := range list {
		lines[i] = a.GetAliasName() + " " + a.GetCollectionName()
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

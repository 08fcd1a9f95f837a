package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	client "github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"s2g/schema/schematest"
	"s2g/vectors/search"
	"s2g/vectors/shard"
)

// loadable builds a small dump, of which two languages are in no more than a few files.
func loadable(t *testing.T, posts int) (out string) {
	t.Helper()
	schematest.Tool(t, "mariadbd")
	dir := t.TempDir()
	dump := filepath.Join(dir, "dump")
	out = filepath.Join(dir, "build")
	s2gExits(t, 0, "sample", "--posts", strconv.Itoa(posts), "--seed", "3", "--out", dump)
	s2gExits(t, 0, "build", "--dump", dump, "--out", out, "--languages", "python,c#", "--stages", "ingest,vectors", "--db-memory", "256MiB")
	return out
}

// A build is loaded, verified, loaded again, followed by another and by a smaller one.
func TestLoadQdrant(t *testing.T) {
	schematest.Long(t)
	address := schematest.Qdrant(t)
	prefix := fmt.Sprintf("s2gtest-%x", rand.Uint64())
	dropAfter(t, address, prefix)
	one, two := loadable(t, 800), loadable(t, 1000)
	load := []string{"load", "qdrant", "--url", address, "--prefix", prefix, "--batch", "64"}
	planned, _ := s2gExits(t, 0, append(load, "--out", one, "--dry-run")...)
	mustContain(t, planned, prefix+"_python_2024-", prefix+"_csharp")
	s2gExits(t, 5, "verify", "--out", one, "--files-only", "--qdrant", address, "--prefix", prefix)

	said, _ := s2gExits(t, 0, append(load, "--out", one)...)
	mustContain(t, said, prefix+"_python_2024-", "2 collections", "points/s")
	s2gExits(t, 0, "verify", "--out", one, "--qdrant", address, "--prefix", prefix)
	said, _ = s2gExits(t, 0, append(load, "--out", one, "--json")...)
	var result struct {
		Qdrant []struct {
			Language     string
			Points, Sent int64
		}
	}
	if err := json.Unmarshal([]byte(said), &result); err != nil || len(result.Qdrant) != 2 || result.Qdrant[0].Sent != 0 || result.Qdrant[0].Points == 0 {
		t.Errorf("loaded again: %s (%v)", said, err)
	}

	words := []string{"search", "--out", one, "--language", "python", "--top", "3", "--json", "how do I merge two dictionaries"}
	here, _ := s2gExits(t, 0, words...)
	there, _ := s2gExits(t, 0, append(words, "--qdrant", address, "--prefix", prefix)...)
	if h, th := hitsOf(t, here), hitsOf(t, there); len(th) != 3 || th[0].Text == "" || th[0].Match.Snippet == "" || !slices.ContainsFunc(th, func(x search.Hit) bool { return x.PostID == h[0].PostID }) {
		t.Errorf("the shards say:\n%s\nthe server says:\n%s", here, there)
	}

	searchesAllCollections(t, one, "--qdrant", address, "--prefix", prefix)
	followsFromQdrant(t, one, words, "--qdrant", address, "--prefix", prefix)

	s2gExits(t, 0, append(load, "--out", two, "--keep", "0")...)
	s2gExits(t, 0, "verify", "--out", two, "--files-only", "--qdrant", address, "--prefix", prefix)
	_, said = s2gExits(t, 5, "verify", "--out", one, "--files-only", "--qdrant", address, "--prefix", prefix)
	mustContain(t, said, "qdrant aliases", prefix+"_python leads to")
	small := loadable(t, 300)
	_, said = s2gExits(t, 2, append(load, "--out", small)...)
	mustContain(t, said, "--allow-shrink")
	s2gExits(t, 0, append(load, "--out", small, "--allow-shrink", "--languages", "python")...)
	s2gExits(t, 0, "verify", "--out", small, "--files-only", "--qdrant", address, "--prefix", prefix, "--qdrant-languages", "python")
	_, said = s2gExits(t, 5, "verify", "--out", small, "--files-only", "--qdrant", address, "--prefix", prefix)
	mustContain(t, said, prefix+"_csharp leads to")
}

// searchesAllCollections searches without a language over the shards and over a server. What both find is the same match
// with the same strength, but for the frequencies of posts in two collections, and passes the same filters.
func searchesAllCollections(t *testing.T, out string, server ...string) {
	t.Helper()
	for _, more := range [][]string{nil, {"--accepted", "--min-score", "1"}, {"--since", "2012", "--has-code"}} {
		words := append([]string{"search", "--out", out, "--top", "10", "--json", "merge two dictionaries"}, more...)
		here, _ := s2gExits(t, 0, words...)
		there, _ := s2gExits(t, 0, append(words, server...)...)
		byID := map[int64]search.Hit{}
		for _, h := range hitsOf(t, here) {
			byID[h.PostID] = h
		}
		both, ids := 0, map[int64]bool{}
		for _, h := range hitsOf(t, there) {
			if ids[h.PostID] {
				t.Errorf("question %d twice", h.PostID)
			}
			ids[h.PostID] = true
			if of, ok := byID[h.PostID]; ok {
				both++
				if math.Abs(of.Strength-h.Strength) > .05 || h.Match.PostID != of.Match.PostID || !slices.Equal(h.Tags, of.Tags) {
					t.Errorf("over the shards %+v, over the server %+v", of, h)
				}
			}
			if more != nil && more[0] == "--accepted" && (h.AcceptedAnswerID == 0 || h.Votes < 1) || more != nil && more[0] == "--since" && h.CreationDate < "2012" {
				t.Errorf("%v: %+v", more, h)
			}
		}
		if both < 3 {
			t.Errorf("%v: the shards and the server share %d of %d results:\n%s\n%s", more, both, len(ids), here, there)
		}
	}
	_, said := s2gExits(t, 2, "search", "--out", out, "--qdrant", server[1], "--prefix", "nobody", "x")
	mustContain(t, said, "no alias nobody_*", "s2g load qdrant")
}

// followsFromQdrant searches over a server for the title of a question that has an edge,
// and follows it; the tests of vectors/search test what is found.
func followsFromQdrant(t *testing.T, out string, query []string, server ...string) {
	t.Helper()
	query = append(slices.Clone(query), server...)
	words := len(query) - len(server) - 1
	all, _ := s2gExits(t, 0, append(slices.Clone(query), "--top", "40")...)
	hits := hitsOf(t, all)
	from := slices.IndexFunc(hits, func(h search.Hit) bool {
		return slices.ContainsFunc(hits, func(to search.Hit) bool { return slices.Contains(h.LinkedTo, to.PostID) })
	})
	if from < 0 {
		t.Fatalf("no question with an edge:\n%s", all)
	}
	query[words] = hits[from].Title
	query = append(query, "--hops", "1", "--top", "1")
	over, _ := s2gExits(t, 0, query...)
	found := hitsOf(t, over)
	if len(found) < 2 || found[0].PostID != hits[from].PostID || found[1].Via == nil || found[1].Via.From != found[0].PostID || found[1].Text == "" {
		t.Errorf("over the edges of %d:\n%s", hits[from].PostID, over)
	}

	accepted, _ := s2gExits(t, 0, append(slices.Clone(query), "--accepted", "--top", "3")...)
	for _, h := range hitsOf(t, accepted) {
		if h.AcceptedAnswerID == 0 {
			t.Errorf("%d has no accepted answer", h.PostID)
		}
	}

	parents := filepath.Join(out, "parents")
	if err := os.Rename(parents, parents+".away"); err != nil {
		t.Fatal(err)
	}
	_, said := s2gExits(t, 2, query...)
	mustContain(t, said, "edges are in the shards", "leave --hops out")
	if err := os.Rename(parents+".away", parents); err != nil {
		t.Fatal(err)
	}
}

// hitsOf returns the hits that a search with --json has printed.
func hitsOf(t *testing.T, lines string) (hits []search.Hit) {
	t.Helper()
	for text := range strings.Lines(lines) {
		var h search.Hit
		if err := json.Unmarshal([]byte(text), &h); err != nil {
			t.Fatal(err)
		}
		hits = append(hits, h)
	}
	return hits
}

// qdrantOf returns the official client, by which a test damages collections.
func qdrantOf(t *testing.T, address string) *client.Client {
	t.Helper()
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.NewClient(&client.Config{Host: host, Port: n, SkipCompatibilityCheck: true, PoolSize: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// dropAfter deletes the collections of a test at its end.
func dropAfter(t *testing.T, address, prefix string) {
	t.Helper()
	c := qdrantOf(t, address)
	t.Cleanup(func() {
		names, err := c.ListCollections(context.Background())
		if err != nil {
			t.Error(err)
		}
		for _, name := range names {
			if strings.HasPrefix(name, prefix+"_") {
				if err := c.DeleteCollection(context.Background(), name); err != nil {
					t.Error(err)
				}
			}
		}
	})
}

// verify names each change in the server with its point.
func TestVerifyQdrant(t *testing.T) {
	schematest.Long(t)
	address := schematest.Qdrant(t)
	prefix := fmt.Sprintf("s2gtest-%x", rand.Uint64())
	out := loadable(t, 600)
	dropAfter(t, address, prefix)
	check := []string{"verify", "--out", out, "--files-only", "--qdrant", address, "--prefix", prefix}
	s2gExits(t, 0, "load", "qdrant", "--out", out, "--url", address, "--prefix", prefix)
	s2gExits(t, 0, check...)
	c := qdrantOf(t, address)
	points := firstPoints(t, filepath.Join(out, "vectors", "python", "part-00000.parquet"))
	alias := prefix + "_python"
	selected := func(i int) *client.PointsSelector {
		return client.NewPointsSelector(client.NewIDNum(points[i].PointID))
	}
	set := func(i int, field string, value *client.Value) error {
		_, err := c.SetPayload(t.Context(), &client.SetPayloadPoints{
			CollectionName: alias, Wait: new(true), PointsSelector: selected(i), Payload: map[string]*client.Value{field: value},
		})
		return err
	}
	for _, d := range []struct { // each is named before the one before it
		what   string
		damage func() error
		check  string
		point  int
		want   string
	}{
		{"a score", func() error { return set(3, "score", client.NewValueInt(4711)) }, "qdrant sample", 3, `score is "4711"`},
		{"a field too many", func() error { return set(2, "more", client.NewValueBool(true)) }, "qdrant sample", 2, `more is "true"`},
		{"no payload", func() error { return upsert(t, c, alias, points[1]) }, "qdrant sample", 1, "is missing"},
		{"a vector", func() error {
			points[0].Dense[0] += 0.5
			_, err := c.UpdateVectors(t.Context(), &client.UpdatePointVectors{CollectionName: alias, Wait: new(true), Points: []*client.PointVectors{{
				Id: client.NewIDNum(points[0].PointID), Vectors: client.NewVectorsMap(map[string]*client.Vector{"dense": client.NewVectorDense(points[0].Dense)}),
			}}})
			return err
		}, "qdrant sample", 0, "of its dense vector is"},
		{"a point less", func() error {
			_, err := c.Delete(t.Context(), &client.DeletePoints{CollectionName: alias, Wait: new(true), Points: selected(3)})
			return err
		}, "qdrant points", 3, "is missing"},
		{"a point too many", func() error {
			points[0].PointID++
			return upsert(t, c, alias, points[0])
		}, "qdrant points", 0, "is in no shard"},
	} {
		if err := d.damage(); status.Code(errors.Unwrap(err)) == codes.Unimplemented {
			continue // UpdateVectors, in the engine's stand-in
		} else if err != nil {
			t.Fatalf("%s: %v", d.what, err)
		}
		p := points[d.point]
		_, said := s2gExits(t, 5, check...)
		mustContain(t, said, d.check, fmt.Sprintf("point %d, of post %d", p.PointID, shard.PostOf(p.PointID)), d.want)
	}
	if err := c.DeleteAlias(t.Context(), alias); err != nil {
		t.Fatal(err)
	}
	_, said := s2gExits(t, 5, check...)
	mustContain(t, said, "qdrant aliases", "there is no alias "+alias)
}

// firstPoints reads the first points of a shard.
func firstPoints(t *testing.T, file string) (points []*shard.Point) {
	t.Helper()
	r, err := shard.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for len(points) < 4 && r.Scan() {
		points = append(points, r.Point())
	}
	return points
}

// upsert sends a point that has little but its id and its vectors.
func upsert(t *testing.T, c *client.Client, collection string, p *shard.Point) error {
	t.Helper()
	_, err := c.Upsert(t.Context(), &client.UpsertPoints{CollectionName: collection, Wait: new(true), Points: []*client.PointStruct{{
		Id: client.NewIDNum(p.PointID), Vectors: client.NewVectorsMap(map[string]*client.Vector{"dense": client.NewVectorDense(p.Dense)}),
	}}})
	return err
}

// Wrong options are usage faults before anything is sent, and a server that is down is a service fault.
func TestLoadQdrantUsage(t *testing.T) {
	out := loadable(t, 300)
	address := schematest.DeadAddress(t)
	t.Setenv("S2G_QDRANT_API_KEY", "the-secret-key")
	load := func(more ...string) []string { return append([]string{"load", "qdrant", "--out", out}, more...) }
	for _, c := range []struct {
		code int
		args []string
		want string
	}{
		{2, []string{"load", "qdrant", "--url", "localhost"}, "give --out DIR"},
		{2, load(), "give --url"},
		{2, load("--url", "127.0.0.1:6333"), "6334"},
		{2, load("--url", "http://127.0.0.1:6333"), "REST"},
		{2, load("--url", "ftp://127.0.0.1"), "ftp"},
		{2, load("--url", "http://qdrant.example.org"), "plain text"},
		{2, load("--url", address, "--quantization", "half"), "scalar, binary, product or none"},
		{2, load("--url", address, "--prefix", "a_b"), "a_b"},
		{2, load("--url", address, "--languages", "klingon"), "klingon"},
		{2, load("--url", address, "--batch", "-1"), "--batch is -1"},
		{4, load("--url", address, "--retry-for", "200ms"), "connection refused"},
		{4, load("--url", address, "--retry-for", "0"), "connection refused"},
	} {
		_, said := s2gExits(t, c.code, c.args...)
		mustContain(t, said, c.want)
		if strings.Contains(said, "the-secret-key") {
			t.Errorf("the key in: %s", said)
		}
	}
}

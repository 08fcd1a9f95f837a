package qdrant

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"s2g/vectors/shard"
)

const dimensions = 8

// points returns the points of n posts, every third of them in two chunks, some without
// the optional columns. Another seed gives other vectors and texts.
func points(slug string, n int, seed uint64) []shard.Point {
	r := rand.New(rand.NewPCG(seed, uint64(len(slug))))
	var all []shard.Point
	for i := range n {
		id := int64(10*i + 4)
		chunks := 1 + i%3/2
		for chunk := range chunks {
			p := shard.Point{
				PointID: shard.PointID(id, chunk), PostID: id, QuestionID: id, IRI: fmt.Sprintf("http://stackoverflow.com/questions/%d", id),
				Type: "question", Language: slug, Languages: []string{slug}, Chunk: int32(chunk), Chunks: int32(chunks), Start: int32(10 * chunk), End: int32(10*chunk + 10),
				Title: fmt.Sprintf("Title %d", i), Text: fmt.Sprintf("Title %d\n\nseed %d, \"quoted\", ünïcode, 日本 %d", i, seed, r.IntN(1e9)), Tags: []string{slug, "b-c#"},
				HasAcceptedAnswer: i%2 == 0, DuplicateOf: []int64{}, LinkedTo: []int64{}, Closed: i%5 == 0, CreationDate: 1217540572000 + int64(i)*86_400_001,
				License: "https://creativecommons.org/licenses/by-sa/4.0/",
			}
			if i%4 != 0 {
				score, answers := int32(i-7), int32(i%3)
				p.Score, p.AnswerCount = &score, &answers
			}
			if i%2 == 0 {
				p.AcceptedAnswerID, p.LinkedTo = id+1, []int64{4, 14}
			}
			if i%3 == 0 {
				p.Author = "http://stackoverflow.com/users/7"
			} else {
				p.AuthorName = "somebody"
			}
			sum := sha256.Sum256([]byte(p.Text))
			p.ContentHash = hex.EncodeToString(sum[:])
			p.Dense = unit(r)
			for term := range 1 + i%4 {
				p.SparseIndices, p.SparseValues = append(p.SparseIndices, uint32(1000*term+i%7)+1<<31), append(p.SparseValues, r.Float32())
			}
			if i%6 == 5 {
				p.SparseIndices, p.SparseValues = []uint32{}, []float32{}
			}
			all = append(all, p)
		}
	}
	return all
}

func unit(r *rand.Rand) []float32 {
	v, squares := make([]float32, dimensions), 0.0
	for i := range v {
		v[i] = float32(r.NormFloat64())
		squares += float64(v[i]) * float64(v[i])
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(squares))
	}
	return v
}

// language writes points as shards of at most so many rows.
func language(t testing.TB, slug string, all []shard.Point, rows int) Language {
	t.Helper()
	dir := filepath.Join(t.TempDir(), slug)
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	l := Language{Slug: slug}
	for some := range slices.Chunk(all, rows) {
		name := filepath.Join(dir, fmt.Sprintf("part-%05d.parquet", len(l.Shards)))
		if err := parquet.WriteFile(name, some); err != nil {
			t.Fatal(err)
		}
		l.Shards = append(l.Shards, Shard{name, int64(len(some))})
	}
	return l
}

// build returns a build with the given numbers of posts by slug.
func build(t testing.TB, prefix, edition string, posts map[string]int) Build {
	t.Helper()
	b := Build{Prefix: prefix, Edition: edition, IDF: true, About: map[string]string{"site": "http://stackoverflow.com"}}
	seed := uint64(1)
	for _, c := range edition {
		seed = 31*seed + uint64(c)
	}
	for _, slug := range slices.Sorted(maps.Keys(posts)) {
		b.Languages = append(b.Languages, language(t, slug, points(slug, posts[slug], seed), 40))
	}
	return b
}

// open connects to a server, with short pauses.
func open(t testing.TB, address string, change ...func(*Access)) *Server {
	t.Helper()
	a, err := ParseAddress(address)
	if err != nil {
		t.Fatal(err)
	}
	access := Access{Address: a, RetryFor: 20 * time.Second, Pause: 5 * time.Millisecond, Log: slog.New(slog.NewTextHandler(t.Output(), nil))}
	for _, c := range change {
		c(&access)
	}
	s, err := Open(t.Context(), access)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// small returns options for many requests of few points.
func small() Options { return Options{Batch: 16, InFlight: 3, IndexTimeout: time.Minute} }

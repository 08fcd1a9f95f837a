package search

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"s2g/vectors/embed"
	"s2g/vectors/shard"
)

// writeShard writes points as a shard.
func writeShard(t *testing.T, file string, points []shard.Point) {
	t.Helper()
	var b bytes.Buffer
	if err := shard.Write(&b, shard.NewEncoding(), slices.Values(points)); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// randomPoints returns the points of questions from first to last and of answers to them, all
// with every column that a filter reads.
func randomPoints(r *rand.Rand, first, last int64) (points []shard.Point) {
	for id := first; id <= last; id++ {
		score := int32(r.IntN(9) - 3)
		chunks := 1 + r.IntN(3)
		question := id
		if id > first && r.IntN(3) == 0 {
			question = first + r.Int64N(id-first)
			for i := range points {
				if points[i].PostID == question {
					question = points[i].QuestionID
					break
				}
			}
		}
		for chunk := range chunks {
			p := shard.Point{
				PointID: shard.PointID(id, chunk), PostID: id, QuestionID: question, Chunk: int32(chunk), Chunks: int32(chunks),
				Tags: [][]string{{"a"}, {"a", "b"}, {"b", "c"}, {}}[id%4], CreationDate: 1e12 + id*86_400_000, HasAcceptedAnswer: id%5 == 0,
				Text: "text", Dense: []float32{r.Float32(), r.Float32()},
			}
			if id%7 > 0 {
				p.Score = &score
			}
			if r.IntN(4) == 0 {
				p.Text = "text\n\n```\ncode\n```"
			}
			for term := range uint32(5) {
				if r.IntN(3) == 0 {
					p.SparseIndices, p.SparseValues = append(p.SparseIndices, term), append(p.SparseValues, r.Float32()+.1)
				}
			}
			points = append(points, p)
		}
	}
	return points
}

// A scan of several languages finds what a scan of all their points in one file finds, each
// post once; a filter leaves out questions, and changes neither scores nor order.
func TestSeveralLanguagesAreOneSet(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	dir := t.TempDir()
	var union, parts []shardFile
	all := map[int64][]shard.Point{} // by question or answer
	for part, first := range []int64{1, 101, 201} {
		points := randomPoints(r, first, first+60)
		name := fmt.Sprintf("part-%05d.parquet", part)
		file := filepath.Join(dir, "union", name)
		writeShard(t, file, points)
		union = append(union, shardFile{"union", file})
		languages := make([][]shard.Point, 3)
		for _, p := range points {
			all[p.PostID] = append(all[p.PostID], p)
			for l := range languages { // each thread is in one to three languages
				if in := p.QuestionID % 7; in == 0 || int(in-1)/2 == l {
					languages[l] = append(languages[l], p)
				}
			}
		}
		for l, some := range languages {
			if l == 2 && part == 1 {
				continue // a language without posts in a part
			}
			slug := fmt.Sprintf("l%d", l)
			file := filepath.Join(dir, slug, name)
			writeShard(t, file, some)
			parts = append(parts, shardFile{slug, file})
		}
	}
	inPart := func(f shardFile, p shard.Point) bool { // the part without the third language lacks its posts
		return filepath.Base(f.path) != "part-00001.parquet" || p.QuestionID%7 == 0 || (p.QuestionID%7-1)/2 != 2
	}
	for i, f := range union {
		var some []shard.Point
		for id := int64(100*i + 1); id <= int64(100*i+61); id++ {
			for _, p := range all[id] {
				if inPart(f, p) {
					some = append(some, p)
				}
			}
		}
		writeShard(t, f.path, some)
	}
	minus := int32(-1)
	for what, filter := range map[string]Filter{
		"no filter": {}, "tags": {Tags: []string{"b", "a"}}, "score": {MinScore: &minus}, "date": {Since: time.UnixMilli(1e12 + 120*86_400_000)},
		"accepted": {Accepted: true}, "code": {HasCode: true}, "all": {Tags: []string{"b"}, MinScore: &minus, Since: time.UnixMilli(1e12 + 30*86_400_000), HasCode: true},
	} {
		for _, cosines := range []bool{true, false} {
			q := &Query{Sparse: embed.SparseVector{Indices: []uint32{1, 3, 9}, Values: []float32{1, 1, 1}}, IDF: true, Weight: .4}
			if q.Dense = []float32{.6, .8}; !cosines {
				q.Dense, q.Weight = nil, 0
			}
			find := func(files []shardFile, n int, f Filter) (found []match) {
				scan, err := scanShards(t.Context(), files, q, f, true)
				if err != nil {
					t.Fatal(err)
				}
				if found, err = scan.find(t.Context(), files, q, n, f.HasCode); err != nil {
					t.Fatal(err)
				}
				for i, m := range found {
					found[i].At = 0
					if i >= 3 {
						continue
					}
					file, row := scan.locate(m.At)
					if p, err := shard.ReadRow(files[file].path, row); err != nil || p.PostID != shard.PostOf(m.Point) {
						t.Fatalf("position %d is a row of another post: %+v (%v)", m.At, p, err)
					}
				}
				return found
			}
			var want []match // by the definition: of all questions those that pass
			for _, m := range find(union, 1000, Filter{}) {
				isCode := func(p shard.Point) bool { return HasCodeBlock(p.Text) }
				question, post := all[m.Question][0], all[shard.PostOf(m.Point)]
				if filter.Keeps(&question) && (!filter.HasCode || slices.ContainsFunc(post, isCode)) {
					want = append(want, m)
				}
			}
			if len(want) < 5 && what != "all" {
				t.Fatalf("%s: %d questions pass", what, len(want))
			}
			for _, n := range []int{3, 1000} {
				if diff := cmp.Diff(want[:min(n, len(want))], find(parts, n, filter), cmp.AllowUnexported(match{})); diff != "" {
					t.Errorf("%s, dense %v, top %d: %s", what, cosines, n, diff)
				}
			}
		}
	}
}

func TestKeeps(t *testing.T) {
	score, higher, at := int32(2), int32(3), time.Date(2020, 5, 1, 0, 0, 0, 0, time.UTC)
	question := &shard.Point{Tags: []string{"a", "b"}, Score: &score, CreationDate: at.UnixMilli(), HasAcceptedAnswer: true}
	for what, c := range map[string]struct {
		filter Filter
		want   bool
	}{
		"no filter":       {Filter{}, true},
		"all tags":        {Filter{Tags: []string{"b", "a"}}, true},
		"one tag of two":  {Filter{Tags: []string{"a", "c"}}, false},
		"the least score": {Filter{MinScore: &score}, true},
		"a higher score":  {Filter{MinScore: &higher}, false},
		"the same moment": {Filter{Since: at}, true},
		"a later moment":  {Filter{Since: at.Add(time.Millisecond)}, false},
		"accepted":        {Filter{Accepted: true}, true},
		"all":             {Filter{Tags: []string{"a"}, MinScore: &score, Since: at, Accepted: true}, true},
	} {
		if got := c.filter.Keeps(question); got != c.want {
			t.Errorf("%s: %v", what, got)
		}
	}
	lowest := int32(math.MinInt32)
	for what, filter := range map[string]Filter{"no score": {MinScore: &lowest}, "not accepted": {Accepted: true}, "no tags": {Tags: []string{"a"}}} {
		if filter.Keeps(&shard.Point{}) {
			t.Error(what)
		}
	}
}

func TestHasCodeBlock(t *testing.T) {
	for text, want := range map[string]bool{"```\nx\n```": true, "a\n\n```go\nx": true, "a `x` b": false, "a ``` b": false, "": false} {
		if HasCodeBlock(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}

package verify

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"s2g/schema"
	"s2g/schema/vocab"
	"s2g/vectors/embed"
	"s2g/vectors/shard"
)

// replace changes the text of the batch.
func replace(old, with string, n int) func(*fixture) {
	return func(f *fixture) {
		text := f.batches[miniBatch]
		if strings.Count(text, old) < 1 {
			panic("the fixture has no " + old)
		}
		f.batches[miniBatch] = strings.Replace(text, old, with, n)
	}
}

// edit changes the points of a language.
func edit(language string, change func([]shard.Point) []shard.Point) func(*fixture) {
	return func(f *fixture) {
		name := "vectors/" + language + "/part-00000.parquet"
		f.shards[name] = change(f.shards[name])
	}
}

func editPoint(language string, i int, change func(*shard.Point)) func(*fixture) {
	return edit(language, func(rows []shard.Point) []shard.Point { change(&rows[i]); return rows })
}

// afterwards changes files that were written.
func afterwards(change func(t *testing.T, out string)) func(*fixture) {
	return func(f *fixture) { f.after = change }
}

// setText gives a point another text, with the hash and the vectors of that text.
func setText(r *shard.Point, text string) {
	r.Text, r.ContentHash, r.End = text, hash(text), int32(utf8.RuneCountInString(text)-utf8.RuneCountInString(r.Title)-2)
	model, _ := fixtureModel()
	dense, sparse, err := embed.Documents(context.Background(), model, embed.NewBM25(), []string{text})
	if err != nil {
		panic(err)
	}
	r.Dense, r.SparseIndices, r.SparseValues = dense[0], sparse[0].Indices, sparse[0].Values
}

// changeModel returns a model with another number, and with the checksum of that content.
func changeModel(model []byte) []byte {
	changed := bytes.Clone(model[:len(model)-sha256.Size])
	at := len(changed) - 4
	for changed[at+3] == 0 { // the last dimensions are 0
		at -= 4
	}
	changed[at] ^= 1
	sum := sha256.Sum256(changed)
	return append(changed, sum[:]...)
}

// damage is a change that verify must find.
type damage struct {
	damage    func(*fixture)
	want      []string // parts of the error
	filesOnly bool     // it is found without the tables
}

var damages = map[string]damage{
	"quad removed": {
		damage: replace("    so:viewCount 100 ;\n", "", 1), filesOnly: true, // by the number of quads in the manifest
		want: []string{"<http://stackoverflow.com/c%23>, so:viewCount: 0 quads in the files, 1 by the tables", "/questions/1 is missing in the files"},
	},
	"score changed": {
		damage: replace("so:score -3", "so:score -4", 1),
		want:   []string{"so:score", "/questions/5", miniBatch, "another value"},
	},
	"byte of a literal": {
		damage: replace(`merge\"`, `marge\"`, 1),
		want:   []string{"/questions/1", "so:hasBody", "another value"},
	},
	"integer as a string": {
		damage: replace("so:upVotes 2 ;", `so:upVotes "2" ;`, 1),
		want:   []string{"so:upVotes", "/questions/1"},
	},
	"duplicate quad": {
		damage: replace("    so:viewCount 100 ;\n", "    so:viewCount 100 ;\n    so:viewCount 100 ;\n", 1), filesOnly: true,
		want: []string{"2 quads in the files, 1 by the tables", "/questions/1", "has 2 in the files, 1 in the tables"},
	},
	"quad in another graph": {
		damage: func(f *fixture) {
			replace("    so:viewCount 0 ;\n", "", 1)(f)
			replace("<http://stackoverflow.com/python> {\n", "<http://stackoverflow.com/python> {\nq:7 so:viewCount 0 .\n", 1)(f)
		},
		want: []string{"<http://stackoverflow.com/c%2B%2B>, so:viewCount", "/questions/7 is missing in the files"},
	},
	"tag renamed": {
		damage: replace("tags/merge>", "tags/murge>", -1),
		want:   []string{"a so:Tag: 3 quads in the files, 3 by the tables", "/tags/merge is missing in the files"},
	},
	"tag spelled otherwise": {
		damage: replace("tags/c%2B%2B>", "tags/c%2b%2b>", -1), filesOnly: true,
		want: []string{miniBatch, "tags/c%2b%2b"},
	},
	"another graph": {
		damage: replace("<http://stackoverflow.com/.net> {", "<http://stackoverflow.com/cobol-2> {", 1), filesOnly: true,
		want: []string{"cobol-2> is no graph"},
	},
	"another class": {
		damage: replace("a so:Question", "a so:Post", 1), filesOnly: true,
		want: []string{"schema#Post> is no class"},
	},
	"another predicate": {
		damage: replace("so:viewCount", "so:views", 1), filesOnly: true,
		want: []string{"schema#views> is no predicate"},
	},
	"another site": {
		damage: replace("@prefix q: <http://stackoverflow.com/", "@prefix q: <http://stackoverflow.org/", 1), filesOnly: true,
		want: []string{"stackoverflow.org/questions/", "a node of the site"},
	},
	"comment": {
		damage: replace(" ;\n", " ; # a note\n", 1), filesOnly: true,
		want: []string{miniBatch + " has a comment"},
	},
	"syntax": {
		damage: replace(" ;\n", " ,\n", 1), filesOnly: true,
		want: []string{miniBatch + ": line "},
	},
	"batch that is not full": {
		damage: func(f *fixture) { f.batches["graph/batch-000002.trig.gz"] = "" }, filesOnly: true,
		want: []string{miniBatch + " has 329 quads"},
	},
	"batch out of line": {
		damage: func(f *fixture) {
			f.batches["graph/batch-000003.trig.gz"] = f.batches[miniBatch]
			delete(f.batches, miniBatch)
		}, filesOnly: true,
		want: []string{"batch-000003.trig.gz is in the place of batch-000001"},
	},
	"file cut": {
		damage: afterwards(func(t *testing.T, out string) {
			path := filepath.Join(out, filepath.FromSlash(miniBatch))
			if err := os.Truncate(path, 900); err != nil {
				t.Fatal(err)
			}
		}), filesOnly: true,
		want: []string{miniBatch + " has 900 bytes"},
	},
	"byte flipped": {
		damage: afterwards(func(t *testing.T, out string) {
			path := filepath.Join(out, "vectors/cpp/part-00000.parquet")
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			content[len(content)/2] ^= 1
			save(t, out, "vectors/cpp/part-00000.parquet", content)
		}), filesOnly: true,
		want: []string{"vectors/cpp/part-00000.parquet has the SHA-256"},
	},
	"file missing": {
		damage: func(f *fixture) { f.missing = []string{"vectors/cpp/part-00000.parquet"} }, filesOnly: true,
		want: []string{"vectors/cpp/part-00000.parquet is missing"},
	},
	"foreign file": {
		damage: func(f *fixture) { f.files["notes.txt"] = "x" }, filesOnly: true,
		want: []string{"files: notes.txt is no file of the build"},
	},
	"link in a folder": {
		damage: afterwards(func(t *testing.T, out string) {
			path := filepath.Join(out, filepath.FromSlash(miniBatch))
			if err := errors.Join(os.Rename(path, path+".moved"), os.Symlink(path+".moved", path), os.Remove(path+".moved")); err != nil {
				t.Fatal(err)
			}
		}), filesOnly: true,
		want: []string{miniBatch + " is no regular file"},
	},
	"file extra": {
		damage: func(f *fixture) { f.files["graph/notes.txt"] = "x" }, filesOnly: true,
		want: []string{"graph/notes.txt is in no stage"},
	},
	"row deleted": {
		damage: edit("python", func(r []shard.Point) []shard.Point { return r[:2] }), filesOnly: true,
		want: []string{"python: 1 questions in the shards, 2 in the graph's files", "/questions/5 (" + miniBatch + ") is missing in the shards"},
	},
	"chunk deleted": {
		damage: edit("python", func(r []shard.Point) []shard.Point { return r[1:] }), filesOnly: true,
		want: []string{"vectors/python/part-00000.parquet", "post 1 begins with chunk 1 of 2"},
	},
	"last chunk deleted": {
		damage: edit("csharp", func(r []shard.Point) []shard.Point { return r[:1] }), filesOnly: true,
		want: []string{"chunk 1 of the 2 of post 1 is missing"},
	},
	"middle chunk deleted": {
		damage: edit("python", func(r []shard.Point) []shard.Point { return slices.Delete(r, 1, 2) }), filesOnly: true,
		want: []string{"chunk 1 of the 2 of post 1 is missing"},
	},
	"shard deleted with its entry": {
		damage: func(f *fixture) { delete(f.shards, "vectors/cpp/part-00000.parquet") }, filesOnly: true,
		want: []string{"0 questions in the shards, 1 in the graph's files", "/questions/7"},
	},
	"point id off by one": {
		damage: editPoint("dotnet", 0, func(r *shard.Point) { r.PointID++ }), filesOnly: true,
		want: []string{"point id 327681 is not that of chunk 0 of post 5"},
	},
	"score in a payload": {
		damage: editPoint("cpp", 0, func(r *shard.Point) { n := int32(1); r.Score = &n }),
		want:   []string{"payload: http://stackoverflow.com/c%2B%2B, score: 1 posts in the shards, 1 by the tables", "/questions/7 (vectors/cpp/part-00000.parquet) has another value"},
	},
	"score gone": {
		damage: editPoint("cpp", 0, func(r *shard.Point) { r.Score = nil }),
		want:   []string{"payload: ", "score", "/questions/7"},
	},
	"tag in a payload": {
		damage: editPoint("dotnet", 0, func(r *shard.Point) { r.Tags[0] = "pithon" }),
		want:   []string{"payload: ", ".net, tags", "/questions/5"},
	},
	"no links": {
		damage: editPoint("cpp", 0, func(r *shard.Point) { r.LinkedTo = nil }),
		want:   []string{"payload: ", "linked_to", "/questions/7"},
	},
	"another duplicate": {
		damage: editPoint("dotnet", 0, func(r *shard.Point) { r.DuplicateOf[0] = 7 }),
		want:   []string{"payload: ", "duplicate_of", "/questions/5"},
	},
	"accepted answer of another": {
		damage: editPoint("dotnet", 0, func(r *shard.Point) { r.HasAcceptedAnswer, r.AcceptedAnswerID = true, 2 }),
		want:   []string{"payload: ", "has_accepted_answer", "/questions/5"},
	},
	"accepted answer": {
		damage: edit("csharp", func(r []shard.Point) []shard.Point { r[0].AcceptedAnswerID, r[1].AcceptedAnswerID = 2, 2; return r }),
		want:   []string{"payload: ", "c%23, accepted_answer_id", "/questions/1"},
	},
	"title": {
		damage: func(f *fixture) {
			f.parents[2].Title = "Nothings"
			editPoint("cpp", 0, func(r *shard.Point) {
				r.Title = "Nothings"
				setText(r, strings.Replace(r.Text, "Nothing", "Nothings", 1))
			})(f)
		},
		want: []string{"parents/part-00000.parquet: post 7 has another title or text than the tables"},
	},
	"answers counted": {
		damage: editPoint("cpp", 0, func(r *shard.Point) { r.AnswerCount = nil }),
		want:   []string{"payload: ", "answer_count", "/questions/7"},
	},
	"creation date": {
		damage: editPoint("cpp", 0, func(r *shard.Point) { r.CreationDate++ }),
		want:   []string{"payload: ", "creation_date", "/questions/7"},
	},
	"closed": {
		damage: editPoint("dotnet", 0, func(r *shard.Point) { r.Closed = false }),
		want:   []string{"payload: ", ".net, closed", "/questions/5"},
	},
	"author": {
		damage: editPoint("cpp", 0, func(r *shard.Point) { r.Author = "" }),
		want:   []string{"payload: ", "author:", "/questions/7"},
	},
	"author's name": {
		damage: editPoint("cpp", 0, func(r *shard.Point) { r.AuthorName = "x" }),
		want:   []string{"payload: ", "author_name:", "/questions/7"},
	},
	"licence": {
		damage: editPoint("cpp", 0, func(r *shard.Point) { r.License = "https://creativecommons.org/licenses/by-sa/4.0/" }),
		want:   []string{"payload: ", "license:", "/questions/7"},
	},
	"languages": {
		damage: editPoint("cpp", 0, func(r *shard.Point) { r.Languages = []string{"c++", "python"} }),
		want:   []string{"payload: ", "languages:", "/questions/7"},
	},
	"another question": {
		damage: editPoint("cpp", 0, func(r *shard.Point) { r.QuestionID = 5 }),
		want:   []string{"payload: ", "question_id:", "/questions/7"},
	},
	"chunks that differ": {
		damage: editPoint("csharp", 1, func(r *shard.Point) { r.Closed = true }), filesOnly: true,
		want: []string{"chunk 1 of post 1 has another closed than its first"},
	},
	"column missing": {
		damage: func(f *fixture) { f.bare = "vectors/cpp/part-00000.parquet" }, filesOnly: true,
		want: []string{"vectors/cpp/part-00000.parquet: it has no column point_id"},
	},
	"another post": {
		damage: func(f *fixture) {
			editPoint("cpp", 0, func(r *shard.Point) { *r = point(8, 0, "c++") })(f)
			f.parents = append(f.parents, parent(8))
		}, filesOnly: true,
		want: []string{"c%2B%2B: 1 questions in the shards, 1 in the graph's files", "/questions/8 (vectors/cpp/part-00000.parquet) is missing in the graph's files"},
	},
	"rows out of order": {
		damage: edit("python", func(r []shard.Point) []shard.Point { return []shard.Point{r[2], r[0], r[1]} }), filesOnly: true,
		want: []string{"comes after point 327680"},
	},
	"part again": {
		damage: func(f *fixture) {
			f.shards["vectors/cpp/part-00001.parquet"] = f.shards["vectors/cpp/part-00000.parquet"]
		}, filesOnly: true,
		want: []string{"vectors/cpp/part-00001.parquet: point 458752 of post 7: its post is not among the parents of its part"},
	},
	"zero vector": {
		damage: editPoint("cpp", 0, func(r *shard.Point) { r.Dense = []float32{0, 0, 0} }), filesOnly: true,
		want: []string{"post 7: its dense vector has the length 0"},
	},
	"not a number": {
		damage: editPoint("cpp", 0, func(r *shard.Point) { r.Dense = []float32{nan, 0, 0} }), filesOnly: true,
		want: []string{"its dense vector has the length NaN"},
	},
	"dimensions": {
		damage: editPoint("cpp", 0, func(r *shard.Point) { r.Dense = []float32{1} }), filesOnly: true,
		want: []string{"dimensions"},
	},
	"sparse order": {
		damage: editPoint("cpp", 0, func(r *shard.Point) { r.SparseIndices = []uint32{7, 7} }), filesOnly: true,
		want: []string{"sparse indices do not ascend"},
	},
	"text changed": {
		damage: editPoint("cpp", 0, func(r *shard.Point) { r.Text += "!" }), filesOnly: true,
		want: []string{"content_hash"},
	},
	"language": {
		damage: editPoint("cpp", 0, func(r *shard.Point) { r.Language = "c" }), filesOnly: true,
		want: []string{`it has the language "c"`},
	},
	"IRI": {
		damage: editPoint("cpp", 0, func(r *shard.Point) { r.IRI = vocab.StackOverflow.Answer(7) }), filesOnly: true,
		want: []string{"post 7 has the IRI http://stackoverflow.com/a/7"},
	},
	"parent missing": {
		damage: func(f *fixture) { f.parents = f.parents[:2] }, filesOnly: true,
		want: []string{"vectors/cpp/part-00000.parquet: point 458752 of post 7: its post is not among the parents of its part"},
	},
	"parent's text": {
		damage: func(f *fixture) { f.parents[2].Text += "!" }, filesOnly: true,
		want: []string{"vectors/cpp/part-00000.parquet: point 458752 of post 7: its place is 0 to 9, the text of its parent makes 0 to 10"},
	},
	"character of a parent": {
		damage: func(f *fixture) { f.parents[0].Text = strings.Replace(f.parents[0].Text, "中", "国", 1) }, filesOnly: true,
		want: []string{"vectors/csharp/part-00000.parquet: point 65537 of post 1: its text is not that of its parent from 21 to 39"},
	},
	"parent's title": {
		damage: func(f *fixture) { f.parents[2].Title = "Something" }, filesOnly: true,
		want: []string{"post 7: its title is not that of its parent"},
	},
	"place of a chunk": {
		damage: editPoint("csharp", 1, func(r *shard.Point) { r.Start, r.End = 20, 38 }), filesOnly: true,
		want: []string{"point 65537 of post 1: its place is 20 to 38, the text of its parent makes 21 to 39"},
	},
	"no empty line": {
		damage: editPoint("cpp", 0, func(r *shard.Point) { r.Text = strings.Replace(r.Text, "\n", " ", 1); r.ContentHash = hash(r.Text) }), filesOnly: true,
		want: []string{"post 7: its text is not that of its parent from 0 to 9"},
	},
	"invented text": {
		damage: func(f *fixture) {
			f.parents[2].Text = "an answer"
			editPoint("cpp", 0, func(r *shard.Point) { setText(r, "Nothing\n\nan answer") })(f)
		},
		want: []string{"parents/part-00000.parquet: post 7 has another title or text than the tables"},
	},
	"fewer chunks": {
		damage: edit("csharp", func(r []shard.Point) []shard.Point { r[0].Chunks = 1; return r[:1] }), filesOnly: true,
		want: []string{"point 65536 of post 1: its post has 1 chunks, the text of its parent makes 2"},
	},
	"dense vector of another point": {
		damage: editPoint("csharp", 0, func(r *shard.Point) { r.Dense = point(1, 1, "c#").Dense }), filesOnly: true,
		want: []string{"vectors/csharp/part-00000.parquet: point 65536 of post 1: its dense vector has "},
	},
	"dense vector negated": {
		damage: editPoint("cpp", 0, func(r *shard.Point) {
			r.Dense = slices.Clone(r.Dense)
			for i := range r.Dense {
				r.Dense[i] = -r.Dense[i]
			}
		}), filesOnly: true,
		want: []string{"point 458752 of post 7: its dense vector has "},
	},
	"dense vector one ulp off": {
		damage: editPoint("cpp", 0, func(r *shard.Point) {
			r.Dense = slices.Clone(r.Dense)
			r.Dense[1] = math.Nextafter32(r.Dense[1], 1)
		}), filesOnly: true,
		want: []string{"point 458752 of post 7: its dense vector has ", " at 1, the model makes "},
	},
	"sparse index": {
		damage: editPoint("cpp", 0, func(r *shard.Point) { r.SparseIndices[0]-- }), filesOnly: true,
		want: []string{"point 458752 of post 7: its sparse_indices have "},
	},
	"sparse value": {
		damage: editPoint("cpp", 0, func(r *shard.Point) { r.SparseValues[0] = math.Nextafter32(r.SparseValues[0], 9) }), filesOnly: true,
		want: []string{"point 458752 of post 7: its sparse_values have "},
	},
	"sparse term less": {
		damage: editPoint("cpp", 0, func(r *shard.Point) { r.SparseIndices, r.SparseValues = r.SparseIndices[1:], r.SparseValues[1:] }), filesOnly: true,
		want: []string{"point 458752 of post 7: its sparse vector has 1 terms, its text has 2"},
	},
	"extra column": {
		damage: func(f *fixture) { f.extra = "vectors/cpp/part-00000.parquet" }, filesOnly: true,
		want: []string{"vectors/cpp/part-00000.parquet: it has the column note, which the format does not have"},
	},
	"bit of the model": {
		damage: func(f *fixture) { f.model = changeModel(f.model) }, filesOnly: true,
		want: []string{"its dense vector has "},
	},
	"damaged model": {
		damage: func(f *fixture) { f.model = append(bytes.Clone(f.model[:len(f.model)-1]), 0) }, filesOnly: true,
		want: []string{"model: model.bin: read the dense embedder", "its checksum is wrong"},
	},
	"parent twice": {
		damage: func(f *fixture) { f.parents[2] = f.parents[1] }, filesOnly: true,
		want: []string{"post 5 comes after post 5"},
	},
}

var nan = func() float32 { var zero float32; return zero / zero }()

func TestDamageIsFound(t *testing.T) {
	db := miniTables(t)
	for name, c := range damages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := c.write(t)
			_, err := Run(t.Context(), out, db, Options{})
			if fault, _ := schema.FaultOf(err); err == nil || fault != schema.FaultVerification {
				t.Fatalf("error %v, want a verification fault", err)
			}
			for _, part := range c.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("error %q does not contain %q", err, part)
				}
			}
			if _, err := Run(t.Context(), out, nil, Options{}); (err != nil) != c.filesOnly {
				t.Errorf("without tables the error is %v", err)
			}
		})
	}
}

// write writes a build with the damage.
func (d damage) write(t *testing.T) string {
	f := newFixture(t)
	d.damage(f)
	out := f.write(t)
	if f.after != nil {
		f.after(t, out)
	}
	return out
}

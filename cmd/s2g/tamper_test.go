package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"s2g/cmd/s2g/internal/build"
	"s2g/cmd/s2g/internal/buildtest"
	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/schematest"
	"s2g/schema/tables"
	"s2g/schema/vocab"
	"s2g/vectors/shard"
)

// tamper is a change of a build that a person makes on purpose: afterwards the manifest, the sums and the
// documents fit the files.
type tamper struct {
	change func(*tampered)
	sealed func(*tampered) // a further change, after everything else fits
	want   []string        // parts of the message: file, post or field
}

// edited changes the first point of a language's shard that fits.
func edited(slug string, fits func(*shard.Point) bool, change func(*tampered, *shard.Point)) func(*tampered) {
	return func(b *tampered) {
		b.editPoints(slug, func(points []shard.Point) []shard.Point {
			for i := range points {
				if fits(&points[i]) {
					change(b, &points[i])
					return points
				}
			}
			b.t.Fatalf("%s has no such point", slug)
			return nil
		})
	}
}

func anyPoint(*shard.Point) bool { return true }

// inOnePiece fits the only chunk of a post of one language.
func inOnePiece(p *shard.Point) bool {
	return p.Chunks == 1 && len(p.Languages) == 1 && len(p.LinkedTo) == 0
}

// payload changes the payload of the first post of the python shard in all of its chunks.
func payload(change func(*shard.Point)) func(*tampered) {
	return func(b *tampered) {
		b.editPoints("python", func(points []shard.Point) []shard.Point {
			for i := range points {
				if points[i].PostID == points[0].PostID {
					change(&points[i])
				}
			}
			return points
		})
	}
}

// document changes a text of a document after everything else fits.
func document(name, old, with string) func(*tampered) {
	return func(b *tampered) {
		b.edit(name, old, with, 1)
		b.sealDocument(name)
	}
}

// entry changes the manifest after everything else fits.
func entry(change func(*manifest.Manifest)) func(*tampered) {
	return func(b *tampered) {
		change(b.manifest)
		b.save()
	}
}

// tampers are the ways of tampering, by name.
var tampers = map[string]tamper{
	// vectors
	"dense vectors swapped": {change: func(b *tampered) {
		b.editPoints("python", func(p []shard.Point) []shard.Point { p[0].Dense, p[1].Dense = p[1].Dense, p[0].Dense; return p })
	}, want: []string{partName("python"), "dense vector"}},
	"dense vector negated": {change: edited("java", anyPoint, func(_ *tampered, p *shard.Point) {
		for i := range p.Dense {
			p.Dense[i] = -p.Dense[i]
		}
	}), want: []string{partName("java"), "dense vector"}},
	"dense vector one ulp off": {change: edited("sql", anyPoint, func(_ *tampered, p *shard.Point) { p.Dense[7] = math.Nextafter32(p.Dense[7], 2) }),
		want: []string{partName("sql"), "dense vector", "at 7"}},
	"dense vector of fewer dimensions": {change: edited("sql", anyPoint, func(_ *tampered, p *shard.Point) { p.Dense = p.Dense[:255] }),
		want: []string{partName("sql"), "dimensions"}},
	"sparse index": {change: edited("php", anyPoint, func(_ *tampered, p *shard.Point) { p.SparseIndices[0]-- }),
		want: []string{partName("php"), "sparse_indices"}},
	"sparse value": {change: edited("php", anyPoint, func(_ *tampered, p *shard.Point) { p.SparseValues[0] = math.Nextafter32(p.SparseValues[0], 9) }),
		want: []string{partName("php"), "sparse_values"}},
	"sparse term less": {change: edited("php", anyPoint, func(_ *tampered, p *shard.Point) {
		p.SparseIndices, p.SparseValues = p.SparseIndices[1:], p.SparseValues[1:]
	}), want: []string{partName("php"), "sparse vector"}},
	"bit of the model": {change: func(b *tampered) {
		b.write("model.bin", changedModel(b.read("model.bin")))
		b.manifest.Stages[manifest.Vectors].Embedders.Dense = b.model().Model()
	}, want: []string{"model.bin"}},
	"another model, with its vectors": {change: func(b *tampered) {
		b.write("model.bin", changedModel(b.read("model.bin")))
		model := b.model()
		b.manifest.Stages[manifest.Vectors].Embedders.Dense = model.Model()
		for slug := range b.slugs() {
			b.editPoints(slug, func(p []shard.Point) []shard.Point {
				for i := range p {
					b.embed(&p[i], model, p[i].Text)
				}
				return p
			})
		}
	}, want: []string{"model.bin"}},

	// texts and chunks
	"invented text in shards and parents": {change: inventTexts, want: []string{parentsPart, "post "}},
	"invented text in a shard": {change: edited("python", inOnePiece, func(b *tampered, p *shard.Point) {
		b.embed(p, b.model(), strings.Replace(p.Text, " a ", " no ", 1)+"!")
	}), want: []string{partName("python"), "text"}},
	"text of a parent": {change: func(b *tampered) {
		rows := rowsOf[shard.Parent](b, parentsPart)
		rows[3].Text += "."
		setRows(b, parentsPart, rows)
	}, want: []string{"of post "}},
	"title of a parent": {change: func(b *tampered) {
		rows := rowsOf[shard.Parent](b, parentsPart)
		rows[3].Title += "?"
		setRows(b, parentsPart, rows)
	}, want: []string{"of post "}},
	"texts of two chunks exchanged": {change: func(b *tampered) {
		b.editPoints("python", func(p []shard.Point) []shard.Point {
			i := slices.IndexFunc(p, func(p shard.Point) bool { return p.Chunks > 1 })
			x, y := &p[i], &p[i+1]
			x.Text, y.Text, x.ContentHash, y.ContentHash, x.Dense, y.Dense = y.Text, x.Text, y.ContentHash, x.ContentHash, y.Dense, x.Dense
			x.SparseIndices, y.SparseIndices, x.SparseValues, y.SparseValues = y.SparseIndices, x.SparseIndices, y.SparseValues, x.SparseValues
			return p
		})
	}, want: []string{partName("python"), "its text is not that of its parent"}},
	"order of chunks": {change: func(b *tampered) {
		b.editPoints("python", func(p []shard.Point) []shard.Point { p[0], p[1] = p[1], p[0]; return p })
	}, want: []string{partName("python")}},
	"place of a chunk": {change: edited("python", func(p *shard.Point) bool { return p.Chunk == 1 }, func(_ *tampered, p *shard.Point) { p.Start-- }),
		want: []string{partName("python"), "its place is"}},
	"a chunk less": {change: func(b *tampered) {
		b.editPoints("python", func(p []shard.Point) []shard.Point {
			i := slices.IndexFunc(p, func(p shard.Point) bool { return p.Chunks == 2 })
			p[i].Chunks = 1
			return slices.Delete(p, i+1, i+2)
		})
	}, want: []string{partName("python"), "has 1 chunks"}},
	"rows of parents exchanged": {change: func(b *tampered) {
		rows := rowsOf[shard.Parent](b, parentsPart)
		rows[3], rows[4] = rows[4], rows[3]
		setRows(b, parentsPart, rows)
	}, want: []string{parentsPart, "comes after"}},
	"row of parents removed": {change: func(b *tampered) {
		setRows(b, parentsPart, slices.Delete(rowsOf[shard.Parent](b, parentsPart), 3, 4))
	}, want: []string{"parents"}},

	// columns
	"column more in a shard":  {change: otherColumns(partName("python"), func(p shard.Point) notedPoint { return notedPoint{p, "invented"} }), want: []string{partName("python"), "column note"}},
	"column more in parents":  {change: otherColumns(parentsPart, func(p shard.Parent) notedParent { return notedParent{p, "invented"} }), want: []string{parentsPart, "column note"}},
	"column less in a shard":  {change: otherColumns(partName("python"), func(p shard.Point) barePoint { return barePoint{p.PointID, p.PostID} }), want: []string{partName("python"), "column"}},
	"columns of another type": {change: otherColumns(partName("python"), func(p shard.Point) namedPoint { return namedPoint{p.PointID, "x"} }), want: []string{partName("python"), "post_id has the type"}},

	"creator of a file": {change: func(b *tampered) {
		b.edit(partName("python"), "s2g version ", "s2g vorsion ", 1)
	}, want: []string{partName("python"), "footer"}},
	"bounds in a footer of points": {change: func(b *tampered) {
		changeFooter(b, partName("python"), func(f *format.FileMetaData) {
			bounds := &columnOf(f, "score").MetaData.Statistics
			bounds.MaxValue, bounds.Max = bounds.MinValue, bounds.Min
		})
	}, want: []string{partName("python"), "footer"}},
	"bounds in a footer of parents": {change: func(b *tampered) {
		changeFooter(b, parentsPart, func(f *format.FileMetaData) {
			bounds := &columnOf(f, "post_id").MetaData.Statistics
			bounds.MinValue, bounds.Min = bounds.MaxValue, bounds.Max
		})
	}, want: []string{parentsPart, "footer"}},
	"nulls in a footer": {change: func(b *tampered) {
		changeFooter(b, partName("java"), func(f *format.FileMetaData) { columnOf(f, "author").MetaData.Statistics.NullCount = 1 << 20 })
	}, want: []string{partName("java"), "footer"}},
	"size of a row group": {change: func(b *tampered) {
		changeFooter(b, partName("java"), func(f *format.FileMetaData) { f.RowGroups[0].TotalByteSize++ })
	}, want: []string{partName("java"), "footer"}},
	"metadata in a footer": {change: func(b *tampered) {
		changeFooter(b, partName("java"), func(f *format.FileMetaData) {
			f.KeyValueMetadata = []format.KeyValue{{Key: "source", Value: "invented"}}
		})
	}, want: []string{partName("java"), "footer"}},
	"bounds of pages": {change: func(b *tampered) {
		file := b.read(partName("python"))
		in := must[*parquet.File](b.t)(parquet.OpenFile(bytes.NewReader(file), int64(len(file))))
		index := columnOf(in.Metadata(), "post_id")
		file[index.ColumnIndexOffset+int64(index.ColumnIndexLength)/2] ^= 1
		b.write(partName("python"), file)
	}, want: []string{partName("python"), "bytes"}},
	"rows written by another": {change: func(b *tampered) {
		var file bytes.Buffer
		w := parquet.NewGenericWriter[shard.Parent](&file, parquet.CreatedBy("s2g", strconv.Itoa(shard.Format), "vectors"))
		for _, row := range rowsOf[shard.Parent](b, parentsPart) {
			if _, err := w.Write([]shard.Parent{row}); err != nil {
				b.t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			b.t.Fatal(err)
		}
		b.write(parentsPart, file.Bytes())
	}, want: []string{parentsPart, "other bytes"}},
	"bytes between columns and footer": {change: func(b *tampered) {
		file := b.read(parentsPart)
		footer := len(file) - 8 - int(binary.LittleEndian.Uint32(file[len(file)-8:]))
		b.write(parentsPart, slices.Concat(file[:footer], []byte("invented"), file[footer:]))
	}, want: []string{parentsPart, "other bytes"}},

	// parts
	"empty part more": {change: func(b *tampered) {
		addEmptyPart[shard.Point](b, "vectors/python/part-00001.parquet")
	}, want: []string{"vectors/python/part-00001.parquet", "no rows"}},
	"empty part of parents more": {change: func(b *tampered) {
		addEmptyPart[shard.Parent](b, "parents/part-00001.parquet")
	}, want: []string{"parents/part-00001.parquet", "no rows"}},
	"part of another number": {change: func(b *tampered) {
		b.rename(partName("python"), "vectors/python/part-00001.parquet")
	}, want: []string{"vectors/python/part-00001.parquet", "parents of its part"}},

	// payload
	"score":             {change: payload(func(p *shard.Point) { n := int32(1234); p.Score = &n }), want: []string{partName("python"), "score"}},
	"tags":              {change: payload(func(p *shard.Point) { p.Tags[0] = "x" }), want: []string{partName("python"), "tags"}},
	"creation date":     {change: payload(func(p *shard.Point) { p.CreationDate++ }), want: []string{partName("python"), "creation_date"}},
	"author":            {change: payload(func(p *shard.Point) { p.Author = "http://stackoverflow.com/users/1" }), want: []string{partName("python"), "author"}},
	"licence":           {change: payload(func(p *shard.Point) { p.License = vocab.CC + "9.9/" }), want: []string{partName("python"), "license"}},
	"duplicate":         {change: payload(func(p *shard.Point) { p.DuplicateOf = append(p.DuplicateOf, p.PostID+1) }), want: []string{partName("python"), "duplicate_of"}},
	"link":              {change: payload(func(p *shard.Point) { p.LinkedTo = append(p.LinkedTo, p.PostID+1) }), want: []string{partName("python"), "linked_to"}},
	"closed":            {change: payload(func(p *shard.Point) { p.Closed = !p.Closed }), want: []string{partName("python"), "closed"}},
	"accepted answer":   {change: payload(func(p *shard.Point) { p.AcceptedAnswerID++ }), want: []string{partName("python"), "accepted_answer_id"}},
	"languages of post": {change: payload(func(p *shard.Point) { p.Languages = append(p.Languages, "zsh") }), want: []string{"languages"}},
	"IRI of post":       {change: payload(func(p *shard.Point) { p.IRI += "0" }), want: []string{partName("python"), "IRI"}},
	"kind of post": {change: payload(func(p *shard.Point) { p.Type, p.IRI = "answer", strings.Replace(p.IRI, "/questions/", "/a/", 1) }),
		want: []string{"python", "question"}},
	"id of post": {change: payload(func(p *shard.Point) {
		p.PostID--
		p.PointID -= 1 << shard.ChunkBits
		p.IRI = fmt.Sprintf("http://stackoverflow.com/questions/%d", p.PostID)
	}), want: []string{"python"}},
	"post in another language's shard": {change: func(b *tampered) {
		var moved []shard.Point
		b.editPoints("python", func(p []shard.Point) []shard.Point {
			i := slices.IndexFunc(p, func(p shard.Point) bool { return inOnePiece(&p) })
			if i < 0 {
				b.t.Error("python has no such post")
				return p
			}
			moved = append(moved, p[i])
			return slices.Delete(p, i, i+1)
		})
		b.editPoints("java", func(p []shard.Point) []shard.Point {
			moved[0].Language, moved[0].Languages = "java", []string{"java"}
			p = append(p, moved...)
			slices.SortFunc(p, func(x, y shard.Point) int { return int(int64(x.PointID) - int64(y.PointID)) })
			return p
		})
	}, want: []string{"java"}},
	"post twice": {change: func(b *tampered) {
		b.editPoints("python", func(p []shard.Point) []shard.Point { return append(p[:1:1], p...) })
	}, want: []string{partName("python")}},
	"shard removed": {change: func(b *tampered) {
		if err := os.RemoveAll(filepath.Dir(b.path(partName("sql")))); err != nil {
			b.t.Fatal(err)
		}
	}, want: []string{"/sql"}},

	// graph
	"literal changed":                {change: func(b *tampered) { b.editQuads(`so:hasTitle "`, `so:hasTitle "Re: `) }, want: []string{firstBatch, "so:hasTitle", "/questions/"}},
	"comment changed":                {change: editComment, want: []string{firstBatch, "so:hasBody", "/posts/comments/"}},
	"date changed":                   {change: func(b *tampered) { b.editQuads(`so:creationDate "20`, `so:creationDate "19`) }, want: []string{firstBatch, "so:creationDate"}},
	"score of a node":                {change: func(b *tampered) { b.editQuads("so:score ", "so:score 9") }, want: []string{firstBatch, "so:score"}},
	"count of a tag":                 {change: func(b *tampered) { b.editQuads("so:tagCount ", "so:tagCount 9") }, want: []string{firstBatch, "so:tagCount", "/tags/"}},
	"edge to another":                {change: func(b *tampered) { b.editQuads("so:HasAnswer a:", "so:HasAnswer a:1") }, want: []string{"so:HasAnswer"}},
	"quad twice":                     {change: func(b *tampered) { b.editQuads("\tso:viewCount", "\tso:viewCount 1 ;\n\tso:viewCount") }, want: []string{"so:viewCount"}},
	"quad moved":                     {change: moveQuad, want: []string{"so:viewCount"}},
	"comment in a file of the graph": {change: func(b *tampered) { b.setQuads(append(b.quads(), "# <script>alert(1)</script>\n"...)) }, want: []string{firstBatch, "comment"}},
	"graphs exchanged": {change: func(b *tampered) {
		text := replaced(b.t, b.quads(), "<http://stackoverflow.com/java> {", "<http://stackoverflow.com/x> {", 1)
		text = replaced(b.t, text, "<http://stackoverflow.com/python> {", "<http://stackoverflow.com/java> {", 1)
		b.setQuads(replaced(b.t, text, "<http://stackoverflow.com/x> {", "<http://stackoverflow.com/python> {", 1))
	}, want: []string{"<http://stackoverflow.com/java>"}},

	// documents
	"tool in void.ttl": {change: func(b *tampered) {
		b.edit("graph/void.ttl", "rdfs:label \"s2g ", "rdfs:label \"s2g v9 ", 1)
	}, want: []string{"graph/void.ttl, line "}},
	"report removed": {sealed: func(b *tampered) {
		if err := os.Remove(b.path("report.html")); err != nil {
			b.t.Fatal(err)
		}
	}, want: []string{"report.html is missing"}},
	"label in the ontology": {change: func(b *tampered) { b.edit("graph/ontology.ttl", `rdfs:label "`, `rdfs:label "Un`, 1) }, want: []string{"graph/ontology.ttl, line "}},
	"count in void.ttl":     {change: func(b *tampered) { b.edit("graph/void.ttl", "void:triples ", "void:triples 1", 1) }, want: []string{"graph/void.ttl, line "}},
	"card":                  {sealed: document("README.md", "quads", "quarks"), want: []string{"README.md, line "}},
	"Croissant":             {sealed: document("croissant.json", " rows", "0 rows"), want: []string{"croissant.json, line "}},
	"licence of the data":   {sealed: document("LICENSE", "BY-SA", "BY"), want: []string{"LICENSE, line "}},
	"attribution":           {sealed: document("ATTRIBUTION.md", "author", "editor"), want: []string{"ATTRIBUTION.md, line "}},
	"sums": {sealed: func(b *tampered) {
		b.write("SHA256SUMS", append(b.read("SHA256SUMS"), (strings.Repeat("0", 64)+"  notes.txt\n")...))
		at := slices.IndexFunc(b.manifest.Published, func(f manifest.File) bool { return f.Name == "SHA256SUMS" })
		b.manifest.Published[at] = b.entry(b.manifest.Published[at])
		b.save()
	}, want: []string{"SHA256SUMS, line "}},
	"script in the report": {sealed: func(b *tampered) {
		b.write("report.html", append(b.read("report.html"), "<script>alert(1)</script>\n"...))
	}, want: []string{"report.html, line "}},
	"number in the report": {sealed: func(b *tampered) { b.edit("report.html", "questions", "quests", 1) }, want: []string{"report.html, line "}},
	"rejects": {change: func(b *tampered) {
		b.write("rejects.jsonl", []byte(`{"table":"Posts","file":"Posts.xml","class":"malformed","id":"7"}`+"\n"))
		b.manifest.Stages[manifest.Ingest].Files[0].Rows = 1
	}, want: []string{"stages.ingest.errors.malformed"}},

	// manifest
	"count in the manifest":   {sealed: entry(func(m *manifest.Manifest) { m.Stages["graph"].Counts["links"]++ }), want: []string{"stages.graph.counts.links"}},
	"rows in the manifest":    {sealed: entry(func(m *manifest.Manifest) { m.Stages["vectors"].Rows++ }), want: []string{"stages.vectors.rows"}},
	"rows of the dump":        {sealed: entry(changeRows), want: []string{"dump.tables.Posts.rows"}},
	"errors of the dump":      {sealed: entry(func(m *manifest.Manifest) { m.Stages["ingest"].Errors = map[string]int64{"malformed": 3} }), want: []string{"malformed"}},
	"newest post of the dump": {sealed: entry(func(m *manifest.Manifest) { m.Dump.Newest = "2030-01-01T00:00:00.000Z" }), want: []string{"dump.newest"}},
	"hash in the manifest":    {sealed: entry(func(m *manifest.Manifest) { m.Stages["graph"].Files[0].SHA256 = strings.Repeat("0", 64) }), want: []string{firstBatch, "SHA-256"}},
	"dense model's name":      {sealed: entry(func(m *manifest.Manifest) { m.Stages["vectors"].Embedders.Dense = "builtin/lsa-256-00" }), want: []string{"embedders.dense"}},
	"sparse model's name":     {sealed: entry(func(m *manifest.Manifest) { m.Stages["vectors"].Embedders.Sparse = "BAAI/bge-m3" }), want: []string{"embedders.sparse"}},
	"weight":                  {sealed: entry(func(m *manifest.Manifest) { m.Stages["vectors"].Embedders.Weight = 0.9 }), want: []string{"embedders.weight"}},
	"option window":           {sealed: entry(func(m *manifest.Manifest) { m.Options.Window = 512 }), want: []string{"chunks"}},
	"option overlap":          {sealed: entry(func(m *manifest.Manifest) { m.Options.Overlap = 8 }), want: []string{"post "}},
	"option links":            {sealed: entry(func(m *manifest.Manifest) { m.Options.Links = true }), want: []string{"post "}},
	"option units":            {sealed: entry(func(m *manifest.Manifest) { m.Options.Units = "question" }), want: []string{"answer"}},
	"option site":             {sealed: entry(func(m *manifest.Manifest) { m.Options.Site = "http://example.org" }), want: []string{"stackoverflow.com"}},
	"option without":          {sealed: entry(func(m *manifest.Manifest) { m.Options.Without = []string{"votes"} }), want: []string{"options.without"}},
	"option compress":         {sealed: entry(func(m *manifest.Manifest) { m.Options.Compress = "none" }), want: []string{"options.compress"}},
	"option graph-format":     {sealed: entry(func(m *manifest.Manifest) { m.Options.GraphFormat = "nquads" }), want: []string{"options.graph_format"}},
	"option dense":            {sealed: entry(func(m *manifest.Manifest) { m.Options.Dense = "openai+http://localhost/v1?model=x" }), want: []string{"dense"}},
	"option materialize":      {sealed: entry(func(m *manifest.Manifest) { m.Options.Materialize = true }), want: []string{"by the tables"}},
	"option other":            {sealed: entry(func(m *manifest.Manifest) { m.Options.Other = true }), want: []string{"/s2g/other"}},
	"option languages":        {sealed: entry(func(m *manifest.Manifest) { m.Options.Languages = slices.Clone(m.Options.Languages)[1:] }), want: []string{"abap"}},
	"key of a stage":          {sealed: entry(func(m *manifest.Manifest) { m.Stages["graph"].Key = "0123456789abcdef" }), want: []string{"stages.graph.key"}},

	"option reuse": {sealed: entry(func(m *manifest.Manifest) { m.Options.Reuse = "/other" }), want: []string{"options.reuse"}},
	"option reuse of a run": {sealed: entry(func(m *manifest.Manifest) {
		m.Options.Reuse, m.Stages["vectors"].Options.Reuse = "/other", "/other"
	}), want: []string{"options.reuse"}},
	"key of reused vectors": {sealed: entry(func(m *manifest.Manifest) { m.Stages["vectors"].Key += "-0123456789abcdef" }), want: []string{"reuse"}},
	"options of a run":      {sealed: entry(func(m *manifest.Manifest) { m.Stages["graph"].Options.Materialize = true }), want: []string{"stages.graph.options.materialize"}},
	"tool":                  {sealed: entry(func(m *manifest.Manifest) { m.Tool = "v9" }), want: []string{"tool is"}},
	"tool of a stage":       {sealed: entry(func(m *manifest.Manifest) { m.Stages["graph"].Tool = "v9" }), want: []string{"void.ttl"}},
	"fingerprints": {sealed: entry(func(m *manifest.Manifest) {
		for name, t := range m.Dump.Tables {
			t.Fingerprint = ""
			m.Dump.Tables[name] = t
		}
	}), want: []string{"fingerprints"}},
	"replaced files": {sealed: entry(func(m *manifest.Manifest) {
		m.Replaced = map[string][]manifest.File{"graph": {{Name: "graph/batch-000009.trig.gz", Size: 1}}}
	}), want: []string{"replaced"}},
	"checkpoint":         {sealed: entry(func(m *manifest.Manifest) { m.Stages["graph"].Files[0].At = "{}" }), want: []string{".at is"}},
	"fitted weight":      {sealed: entry(func(m *manifest.Manifest) { e := m.Stages["vectors"].Embedders; e.Fitted, e.Weight = 9, 1.5 }), want: []string{"embedders"}},
	"stage of ingest":    {sealed: entry(func(m *manifest.Manifest) { delete(m.Stages, "ingest") }), want: []string{"stages.ingest is missing"}},
	"seconds of a stage": {sealed: entry(func(m *manifest.Manifest) { m.Stages["graph"].Seconds++ }), want: []string{"report"}},
	"name of the dump":   {change: func(b *tampered) { b.manifest.Dump.Name = "other" }, want: []string{"report"}},
	"copy of the manifest": {sealed: func(b *tampered) {
		b.edit(".s2g/manifest.json", `"tool": "`, `"tool": "v9`, 1)
	}, want: []string{".s2g/manifest.json", "line "}},
	"sum of the report":       {sealed: entry(func(m *manifest.Manifest) { m.Report = strings.Repeat("0", 64) }), want: []string{"report"}},
	"months in the manifest":  {sealed: figures(func(f *schema.Figures) { f.Months["2007-01"] = schema.PostCounts{Questions: 1} }), want: []string{"stages.graph.figures.months.2007-01"}},
	"best of the manifest":    {sealed: figures(func(f *schema.Figures) { f.Best[0].Score += 1000 }), want: []string{"stages.graph.figures.best"}},
	"example of the manifest": {sealed: figures(func(f *schema.Figures) { f.Examples = f.Examples[1:] }), want: []string{"stages.graph.figures.examples"}},
	"links in the manifest":   {sealed: figures(func(f *schema.Figures) { f.Links.Linked[0][0]++ }), want: []string{"stages.graph.figures.links.linked"}},

	// files
	"empty folder":             {sealed: func(b *tampered) { b.makeFolder("vectors/zsh") }, want: []string{"vectors/zsh", "empty folder"}},
	"empty folders":            {sealed: func(b *tampered) { b.makeFolder("graph/a/b") }, want: []string{"graph/a/b", "empty folder"}},
	"empty folder of parents":  {sealed: func(b *tampered) { b.makeFolder("parents/a") }, want: []string{"parents/a", "empty folder"}},
	"foreign file":             {sealed: func(b *tampered) { b.write("notes.txt", nil) }, want: []string{"notes.txt"}},
	"foreign file in a folder": {sealed: func(b *tampered) { b.write("vectors/python/notes.txt", nil) }, want: []string{"vectors/python/notes.txt"}},
	"foreign file in the manifest": {change: func(b *tampered) {
		b.write("vectors/notes.txt", []byte("x"))
		s := b.manifest.Stages[manifest.Vectors]
		s.Files = append(s.Files, manifest.File{Name: "vectors/notes.txt"})
	}, want: []string{"vectors/notes.txt"}},
}

// columnOf returns the entry of a column in the footer of a Parquet file.
func columnOf(f *format.FileMetaData, name string) *format.ColumnChunk {
	columns := f.RowGroups[0].Columns
	return &columns[slices.IndexFunc(columns, func(c format.ColumnChunk) bool { return c.MetaData.PathInSchema[0] == name })]
}

// changeFooter changes the footer of a Parquet file.
func changeFooter(b *tampered, name string, change func(*format.FileMetaData)) {
	b.t.Helper()
	file := b.read(name)
	end := len(file) - 8 - int(binary.LittleEndian.Uint32(file[len(file)-8:]))
	var footer format.FileMetaData
	protocol := &thrift.CompactProtocol{}
	if err := thrift.Unmarshal(protocol, file[end:len(file)-8], &footer); err != nil {
		b.t.Fatal(err)
	}
	change(&footer)
	text := must[[]byte](b.t)(thrift.Marshal(protocol, &footer))
	size := binary.LittleEndian.AppendUint32(nil, uint32(len(text)))
	b.write(name, slices.Concat(file[:end], text, size, []byte("PAR1")))
}

// addEmptyPart adds a file without rows to the vectors.
func addEmptyPart[T shard.Point | shard.Parent](b *tampered, name string) {
	b.t.Helper()
	setRows[T](b, name, nil)
	s := b.manifest.Stages[manifest.Vectors]
	s.Files = append(s.Files, manifest.File{Name: name})
	slices.SortFunc(s.Files, func(x, y manifest.File) int { return strings.Compare(x.Name, y.Name) })
}

// figures changes the figures of the manifest after everything else fits.
func figures(change func(*schema.Figures)) func(*tampered) {
	return entry(func(m *manifest.Manifest) { change(m.Stages[manifest.Graph].Figures) })
}

// inventTexts gives 40 posts another text, in all shards and in the parents.
func inventTexts(b *tampered) {
	invented, model := map[int64]string{}, b.model()
	for slug := range b.slugs() {
		b.editPoints(slug, func(points []shard.Point) []shard.Point {
			for i := range points {
				p := &points[i]
				if p.Chunks != 1 || len(invented) == 40 && invented[p.PostID] == "" || p.End == 0 {
					continue
				}
				invented[p.PostID] = strings.Repeat("word ", int(p.End))[:p.End]
				head := ""
				if p.Title != "" {
					head = p.Title + "\n\n"
				}
				b.embed(p, model, head+invented[p.PostID])
			}
			return points
		})
	}
	if len(invented) < 40 {
		b.t.Fatalf("only %d posts of one chunk", len(invented))
	}
	rows := rowsOf[shard.Parent](b, parentsPart)
	for i, r := range rows {
		if text := invented[r.PostID]; text != "" {
			rows[i].Text = text
		}
	}
	setRows(b, parentsPart, rows)
}

// changedModel returns a model with another bit, and with the checksum of that content.
func changedModel(model []byte) []byte {
	changed := bytes.Clone(model[:len(model)-sha256.Size])
	changed[len(changed)-4*256*100] ^= 1
	sum := sha256.Sum256(changed)
	return append(changed, sum[:]...)
}

func changeRows(m *manifest.Manifest) {
	t := m.Dump.Tables["Posts"]
	t.Rows++
	m.Dump.Tables["Posts"] = t
}

func editComment(b *tampered) {
	text := b.quads()
	at := regexp.MustCompile(`c:\d+ a so:Comment ;`).FindIndex(text)
	body := bytes.Index(text[at[0]:], []byte(`so:hasBody "`)) + at[0] + len(`so:hasBody "`)
	b.setQuads(slices.Concat(text[:body], []byte("No: "), text[body:]))
}

// moveQuad moves a number of views from the graph of python to that of java.
func moveQuad(b *tampered) {
	text := b.quads()
	python := bytes.Index(text, []byte("<http://stackoverflow.com/python> {"))
	line := regexp.MustCompile(`\tso:viewCount \d+ ;\n`).FindIndex(text[python:])
	node := regexp.MustCompile(`q:\d+`).Find(text[python:])
	views := bytes.TrimSuffix(bytes.TrimSpace(text[python+line[0]:python+line[1]]), []byte(" ;"))
	moved := slices.Concat(text[:python+line[0]], text[python+line[1]:])
	b.setQuads(replaced(b.t, moved, "<http://stackoverflow.com/java> {\n", fmt.Sprintf("<http://stackoverflow.com/java> {\n%s %s .\n", node, views), 1))
}

// TestTampering changes a build in each way, makes the manifest fit, and requires that verify finds and
// names the change.
func TestTampering(t *testing.T) {
	schematest.Long(t)
	out := filepath.Join(t.TempDir(), "out")
	s2g(t, "build", "--dump", buildtest.Sample(t, 600), "--out", out, "--quiet", "--units", "question,answer", "--window", "128", "--overlap", "16")
	o := &build.Options{Out: out}
	db, err := o.OpenTables(t.Context(), tables.Read)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	s2g(t, "verify", "--out", out, "--quiet")
	t.Run("sealed without a change", func(t *testing.T) {
		b := copyOf(t, out)
		b.seal()
		s2g(t, "verify", "--out", b.out, "--dsn", db.DSN(), "--quiet")
	})
	for name, c := range tampers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := copyOf(t, out)
			if c.change != nil {
				c.change(b)
			}
			b.seal()
			if c.sealed != nil {
				c.sealed(b)
			}
			_, stderr := s2gExits(t, 5, "verify", "--out", b.out, "--dsn", db.DSN(), "--quiet")
			for _, part := range c.want {
				if !strings.Contains(stderr, part) {
					t.Errorf("%q is not in: %s", part, stderr)
				}
			}
		})
	}
}

// Rows with other columns than those of the format.
type (
	notedPoint struct {
		shard.Point
		Note string `parquet:"note"`
	}
	notedParent struct {
		shard.Parent
		Note string `parquet:"note"`
	}
	barePoint struct {
		PointID uint64 `parquet:"point_id"`
		PostID  int64  `parquet:"post_id"`
	}
	namedPoint struct {
		PointID uint64 `parquet:"point_id"`
		PostID  string `parquet:"post_id"`
	}
)

// otherColumns writes the rows of a file with other columns.
func otherColumns[T, U any](name string, other func(T) U) func(*tampered) {
	return func(b *tampered) {
		var file bytes.Buffer
		w := parquet.NewGenericWriter[U](&file)
		for _, row := range rowsOf[T](b, name) {
			if _, err := w.Write([]U{other(row)}); err != nil {
				b.t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			b.t.Fatal(err)
		}
		b.write(name, file.Bytes())
	}
}

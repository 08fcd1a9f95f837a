package projection

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"s2g/schema"
	"s2g/schema/schematest"
	"s2g/schema/tables"
)

// write writes the file of posts, in their order, and returns its content.
func write(t testing.TB, key string, posts []Post) []byte {
	t.Helper()
	folder := t.TempDir()
	w, err := NewWriter(folder, key)
	if err != nil {
		t.Fatal(err)
	}
	for i := range posts {
		if err := w.Add(&posts[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Commit(folder); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path(folder, key))
	if err != nil {
		t.Fatal(err)
	}
	if entries, _ := os.ReadDir(folder); len(entries) != 1 {
		t.Errorf("%d files are left", len(entries))
	}
	return content
}

// parse returns the posts of a file.
func parse(t testing.TB, key string, content []byte) (posts []Post, err error) {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(content); err != nil {
		t.Fatal(err)
	}
	r, err := newReader(f, key)
	if err != nil {
		return nil, err
	}
	for {
		p, err := r.next()
		if err != nil || p == nil {
			return posts, err
		}
		post := *p
		post.Tags = bytes.Clone(p.Tags)
		posts = append(posts, post)
	}
}

// difference returns the first difference of two lists, empty where there is none.
func difference(want, got []Post) string {
	for i := range min(len(want), len(got)) {
		a, b := want[i], got[i]
		same := bytes.Equal(a.Tags, b.Tags)
		a.Tags, b.Tags = nil, nil
		if !same || !reflect.DeepEqual(a, b) {
			return fmt.Sprintf("post %d is %+v, want %+v", i, got[i], want[i])
		}
	}
	if len(want) != len(got) {
		return fmt.Sprintf("%d posts, want %d", len(got), len(want))
	}
	return ""
}

// somePosts returns n posts in the order of their ids, with the extremes of all values.
func somePosts(n int) []Post {
	r := rand.New(rand.NewPCG(uint64(n), 1))
	number := func(of ...int64) int64 { return of[r.IntN(len(of))] }
	var posts []Post
	id := int64(-1)
	for i := range n {
		id += 1 + number(0, 0, 1, r.Int64N(1<<20))
		p := Post{ID: id, Type: number(1, 2, 2, 4, 5, 17, math.MaxInt16), Linked: number(0, id, id-1, id+9, -1, math.MinInt64, math.MaxInt64), Created: number(0, 1<<40+r.Int64N(1<<30), -30610224000000, 253402300799999)}
		if r.IntN(5) > 0 {
			p.HasScore, p.Score = true, int32(number(0, 1, -7, math.MinInt32, math.MaxInt32))
		}
		if p.Question() {
			var list strings.Builder
			for range 1 + r.IntN(5) {
				fmt.Fprintf(&list, "|%s%d", []string{"c", "é\t\\", strings.Repeat("long", 70)}[r.IntN(3)], r.IntN(9))
			}
			p.Tags = []byte(list.String() + "|")
		}
		if i == n/2 {
			p.Tags = []byte(strings.Repeat("|a|b", 100_000) + "|") // longer than a block
		}
		posts = append(posts, p)
	}
	return posts
}

// A file holds the posts that were added, and has the same bytes whichever came late.
func TestFileHoldsThePosts(t *testing.T) {
	for _, n := range []int{0, 1, 2, 50_000} {
		posts := somePosts(n)
		content := write(t, "key", posts)
		got, err := parse(t, "key", content)
		if err != nil {
			t.Fatal(err)
		}
		if diff := difference(posts, got); diff != "" {
			t.Fatalf("%d posts: %s", n, diff)
		}
		r := rand.New(rand.NewPCG(7, 7))
		var inTime, late []Post
		for _, p := range posts {
			if r.IntN(3) > 0 {
				inTime = append(inTime, p)
			} else {
				late = append(late, p)
			}
		}
		if !bytes.Equal(write(t, "key", slices.Concat(inTime, late)), content) {
			t.Errorf("%d posts: another file where posts come late", n)
		}
	}
}

func TestWriterRefusesAnIdThatComesTwice(t *testing.T) {
	for name, ids := range map[string][]int64{"a third sequence": {5, 4, 3}, "in both sequences": {3, 5, 4, 5}} {
		w, err := NewWriter(t.TempDir(), "key")
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range ids {
			if err == nil {
				err = w.Add(&Post{ID: id, Type: 2})
			}
		}
		if err == nil {
			err = w.Commit(w.tmp)
		}
		if err == nil {
			t.Errorf("%s: no error", name)
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
		if entries, _ := os.ReadDir(w.tmp); len(entries) > 0 {
			t.Errorf("%s: %d files are left", name, len(entries))
		}
	}
}

// Tags beyond the room of the dictionary, and long ones, are as in the table.
func TestMoreTagsThanTheDictionaryTakes(t *testing.T) {
	schematest.Long(t)
	var posts []Post
	for i := range int64(2) {
		var list []byte
		for n := range maxTags + 10 {
			list = fmt.Appendf(list, "|%x", n)
		}
		list = append(append(append(list, '|'), bytes.Repeat([]byte("x"), maxTagLength+1)...), '|')
		posts = append(posts, Post{ID: i, Type: 1, Tags: list})
	}
	got, err := parse(t, "key", write(t, "key", posts))
	if diff := difference(posts, got); err != nil || diff != "" {
		t.Errorf("%v, %.200s", err, diff)
	}
}

// A file with any other byte, or cut anywhere, is damaged, and one of another key.
func TestDamageIsFound(t *testing.T) {
	content := write(t, "key", somePosts(40)[:20])
	if _, err := parse(t, "key", content); err != nil {
		t.Fatal(err)
	}
	if _, err := parse(t, "kex", content); err == nil {
		t.Error("a file of another key is read")
	}
	for at := range content {
		damaged := bytes.Clone(content)
		damaged[at] ^= 1 << (at % 8)
		if _, err := parse(t, "key", damaged); err == nil {
			t.Errorf("byte %d of %d is other, and no error", at, len(content))
		}
		if _, err := parse(t, "key", content[:at]); err == nil {
			t.Errorf("cut after %d of %d bytes, and no error", at, len(content))
		}
	}
	if _, err := parse(t, "key", append(content, 0)); err == nil {
		t.Error("a byte more, and no error")
	}
}

// FuzzReader reads what has the checksums of a file and any content.
func FuzzReader(f *testing.F) {
	f.Add([]byte{1, 2, 3})
	f.Fuzz(func(t *testing.T, block []byte) {
		r := reader{rest: block}
		for len(r.rest) > 0 && r.decode() {
		}
	})
}

// A line of TSV gives the post that the values of the row give.
func TestParseLine(t *testing.T) {
	table, _ := schema.TableByName("Posts")
	for _, row := range []map[string]string{
		{"Id": "1", "PostTypeId": "1", "AcceptedAnswerId": "7", "ParentId": "8", "CreationDate": "2008-07-31 21:42:52.667", "Score": "-3", "Body": "a\tb\nc\\", "Tags": "|a\tb|c\\d|e\r\n\x00f|é|"},
		{"Id": "2", "PostTypeId": "2", "AcceptedAnswerId": "7", "ParentId": "8", "CreationDate": "1000-01-01 00:00:00.000", "Score": "0", "Tags": ""},
		{"Id": "140737488355327", "PostTypeId": "4", "CreationDate": "9999-12-31 23:59:59.999", "ContentLicense": "CC BY-SA 4.0"},
		{"Id": "0", "PostTypeId": "1", "CreationDate": "2024-02-29 12:00:00.001", "ParentId": "8", "Tags": `\N`},
	} {
		var values [][]byte
		of := map[string][]byte{}
		for _, c := range table.Columns {
			var value []byte
			if v, ok := row[c.Name]; ok {
				value = []byte(v)
			}
			values = append(values, value)
			of[c.Name] = value
		}
		linked := of["ParentId"]
		if row["PostTypeId"] == "1" {
			linked = of["AcceptedAnswerId"]
		}
		want := newPost(of["Id"], of["PostTypeId"], linked, of["CreationDate"], of["Score"], of["Tags"])
		parser := LineParser{tags: []byte("|of the row before|")}
		got := *parser.Parse(tables.AppendRow(nil, values))
		if len(got.Tags) == 0 && len(want.Tags) == 0 {
			got.Tags, want.Tags = nil, nil
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%v (-want +got)\n%s", row, diff)
		}
	}
}

func TestMilliseconds(t *testing.T) {
	check := func(date time.Time) {
		t.Helper()
		if got := milliseconds([]byte(date.Format("2006-01-02 15:04:05.000"))); got != date.UnixMilli() {
			t.Errorf("%v: %d, want %d", date, got, date.UnixMilli())
		}
	}
	for day := time.Date(1999, 12, 1, 23, 59, 59, 999e6, time.UTC); day.Year() < 2031; day = day.AddDate(0, 0, 1) {
		check(day)
	}
	for _, year := range []int{1000, 1600, 1700, 1900, 1970, 2100, 9999} {
		for month := range time.Month(12) {
			check(time.Date(year, month+1, 1, 0, 0, 0, 1e6, time.UTC))
			check(time.Date(year, month+2, 0, 12, 30, 1, 0, time.UTC))
		}
	}
	if got := milliseconds([]byte("2008-07-31")); got != 0 {
		t.Errorf("a date of another form: %d", got)
	}
}

// ordinaryPosts returns n posts as sites have them: two answers to a question, ids with gaps.
func ordinaryPosts(n int) []Post {
	r := rand.New(rand.NewPCG(1, 2))
	posts := make([]Post, n)
	var id, question int64
	for i := range posts {
		id += 1 + r.Int64N(3)
		posts[i] = Post{ID: id, Type: schema.PostAnswer, Created: 1_400_000_000_000 + int64(i)*9_000 + r.Int64N(9_000), HasScore: true, Score: r.Int32N(10), Linked: question}
		if i%3 == 0 {
			posts[i].Type, posts[i].Linked, question = schema.PostQuestion, id+2, id
			posts[i].Tags = fmt.Appendf(nil, "|tag%d|tag%d|tag%d|", r.IntN(99), r.IntN(2000), r.IntN(60_000))
		}
	}
	return posts
}

// A post takes some 12 bytes in the file, and a reader the memory of its buffers and tags.
func TestFileAndReaderAreSmall(t *testing.T) {
	const n = 200_000
	content := write(t, "key", ordinaryPosts(n))
	if perPost := float64(len(content)) / n; perPost > 12.5 {
		t.Errorf("%.1f bytes a post", perPost)
	}
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r, err := newReader(f, "key")
	for p := (&Post{}); err == nil && p != nil; {
		p, err = r.next()
	}
	runtime.ReadMemStats(&after)
	if err != nil || r.read != n {
		t.Fatalf("%d posts, %v", r.read, err)
	}
	if all := after.TotalAlloc - before.TotalAlloc; all > 8<<20 { // of 50,000 tags, too
		t.Errorf("the reader has allocated %d bytes", all)
	}
}

// The bytes of a post, and the time to read one.
func BenchmarkRead(b *testing.B) {
	posts := ordinaryPosts(300_000)
	name := filepath.Join(b.TempDir(), "file")
	content := write(b, "key", posts)
	if err := os.WriteFile(name, content, 0o600); err != nil {
		b.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	b.ReportAllocs()
	for b.Loop() {
		r, err := newReader(f, "key")
		for p := (&Post{}); err == nil && p != nil; {
			p, err = r.next()
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(content))/float64(len(posts)), "bytes/post")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(posts)), "ns/post")
}

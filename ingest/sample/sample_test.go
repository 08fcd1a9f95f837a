package sample

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"s2g/schema/schematest"
)

var update = flag.Bool("update", false, "write the golden sums anew")

var tables = []string{"Posts", "Comments", "Votes", "PostLinks", "Tags"}

// write writes a sample to a folder of its own and returns it.
func write(t testing.TB, o Options) (string, Stats) {
	t.Helper()
	o.Out = t.TempDir()
	st, err := Write(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return o.Out, st
}

// TestGolden compares the bytes of two small samples with their stored sums. A change
// of the texts or of the generation changes everybody's samples; -update stores the
// new sums.
func TestGolden(t *testing.T) {
	var got strings.Builder
	for _, o := range []Options{
		{Posts: 500},
		{Posts: 5000, Seed: 7, Tags: TagsPipe, Shuffle: true, Licence: true},
	} {
		dir, _ := write(t, o)
		for _, table := range tables {
			b := read(t, dir, table)
			sum := sha256.Sum256(b)
			got.WriteString(hex.EncodeToString(sum[:]) + " " + table + "\n")
		}
	}
	golden := filepath.Join("testdata", "golden.txt")
	if *update {
		if err := os.MkdirAll("testdata", 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(golden, []byte(got.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("sums differ (-want +got):\n%s", diff)
	}
}

func TestSeedMakesAnotherSite(t *testing.T) {
	a, _ := write(t, Options{Posts: 200, Seed: 1})
	b, _ := write(t, Options{Posts: 200, Seed: 2})
	if bytes.Equal(read(t, a, "Posts"), read(t, b, "Posts")) {
		t.Error("two seeds wrote the same posts")
	}
}

func read(t testing.TB, dir, table string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, table+".xml"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// lines returns the lines of a table's rows.
func lines(t testing.TB, dir, table string) []string {
	var rows []string
	for l := range strings.Lines(string(read(t, dir, table))) {
		if strings.HasPrefix(l, rowOpen) {
			rows = append(rows, strings.TrimRight(l, "\r\n"))
		}
	}
	return rows
}

// TestFormOfFiles compares the first and last bytes of a file and its line ends with those
// of real dumps.
func TestFormOfFiles(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		o    Options
		eol  string
	}{
		{"before 2018", Options{Posts: 300}, "\n"},
		{"since 2018", Options{Posts: 300, Licence: true}, "\r\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir, _ := write(t, tc.o)
			for _, table := range tables {
				s := string(read(t, dir, table))
				root := strings.ToLower(table)
				head := "\xef\xbb\xbf<?xml version=\"1.0\" encoding=\"utf-8\"?>" + tc.eol + "<" + root + ">" + tc.eol + "  <row Id=\""
				if !strings.HasPrefix(s, head) {
					t.Errorf("%s begins %q", table, s[:min(len(s), 80)])
				}
				if tail := "\" />" + tc.eol + "</" + root + ">"; !strings.HasSuffix(s, tail) {
					t.Errorf("%s ends %q", table, s[max(0, len(s)-40):])
				}
				if strings.Count(s, "\n") != strings.Count(s, tc.eol) {
					t.Errorf("%s: line ends are mixed", table)
				}
				licensed := strings.Contains(s, "ContentLicense=")
				if want := tc.o.Licence && (table == "Posts" || table == "Comments"); licensed != want {
					t.Errorf("%s: licences: %t, want %t", table, licensed, want)
				}
			}
		})
	}
}

// TestAttributeOrder compares the order of attributes with that of real dumps.
func TestAttributeOrder(t *testing.T) {
	t.Parallel()
	order := map[string]string{
		"Posts": "Id PostTypeId AcceptedAnswerId ParentId CreationDate Score ViewCount Body OwnerUserId OwnerDisplayName LastEditorUserId " +
			"LastEditorDisplayName LastEditDate LastActivityDate Title Tags AnswerCount CommentCount FavoriteCount ClosedDate CommunityOwnedDate ContentLicense",
		"Comments":  "Id PostId Score Text CreationDate UserDisplayName UserId ContentLicense",
		"Votes":     "Id PostId VoteTypeId UserId CreationDate BountyAmount",
		"PostLinks": "Id CreationDate PostId RelatedPostId LinkTypeId",
		"Tags":      "Id TagName Count ExcerptPostId WikiPostId",
	}
	dir, _ := write(t, Options{Posts: 5000, Licence: true})
	for _, table := range tables {
		want := strings.Fields(order[table])
		seen := make(map[string]bool)
		for _, row := range rows(t, dir, table) {
			at := -1
			for _, name := range row.names {
				i := slices.Index(want, name)
				if i <= at {
					t.Fatalf("%s: %s out of order in %v", table, name, row.names)
				}
				at, seen[name] = i, true
			}
		}
		for _, name := range want {
			if !seen[name] {
				t.Errorf("%s: no row has %s", table, name)
			}
		}
	}
}

// TestShuffle checks that only the order differs, and that it does.
func TestShuffle(t *testing.T) {
	t.Parallel()
	o := Options{Posts: 9000}
	ordered, _ := write(t, o)
	o.Shuffle = true
	shuffled, _ := write(t, o)
	for _, table := range tables {
		a, b := lines(t, ordered, table), lines(t, shuffled, table)
		if table == "Posts" {
			ids := column(rows(t, shuffled, table), "Id")
			if slices.IsSorted(ids) {
				t.Error("posts are in order")
			}
			far := 0
			for i := range ids[1:] {
				if d := ids[i+1] - ids[i]; d > 1000 || d < -1000 {
					far++
				}
			}
			if far < len(ids)/2 {
				t.Errorf("%d of %d neighbours are far apart", far, len(ids))
			}
			slices.Sort(a)
			slices.Sort(b)
		}
		if !slices.Equal(a, b) {
			t.Errorf("%s differs", table)
		}
	}
}

// TestGrowth checks that the dumps of a site that grows hold the same posts, of
// the same dates, and that the later one has more of them.
func TestGrowth(t *testing.T) {
	t.Parallel()
	const posts, grown = 6000, 9000
	early, err := newSite(Options{Posts: posts, Grow: grown})
	if err != nil {
		t.Fatal(err)
	}
	late, err := newSite(Options{Posts: grown})
	if err != nil {
		t.Fatal(err)
	}
	attribute := func(s *site, slot int64, name string) string {
		var b block
		b.fill(s.seed, slot/blockSize, len(s.corpus.tags))
		w := &postWriter{bodyWriter: bodyWriter{site: s}, questions: make([]int64, len(s.corpus.tags))}
		w.writeRow(&b, int(slot%blockSize))
		_, text, _ := strings.Cut(string(w.buf), " "+name+`="`)
		text, _, _ = strings.Cut(text, `"`)
		return text
	}
	edited := 0
	for slot := int64(0); slot < posts; slot += 7 {
		for _, name := range []string{"Id", "CreationDate", "Tags", "ParentId", "OwnerUserId"} {
			if a, b := attribute(early, slot, name), attribute(late, slot, name); a != b {
				t.Fatalf("%s of the post at slot %d: %s", name, slot, cmp.Diff(a, b))
			}
		}
		// A question that was found to be a duplicate begins with a notice.
		if a, b := attribute(early, slot, "Body"), attribute(late, slot, "Body"); a != b && !strings.HasPrefix(b, quote) {
			t.Fatalf("body of the post at slot %d: %s", slot, cmp.Diff(a, b))
		}
		if attribute(early, slot, "Score") != attribute(late, slot, "Score") {
			edited++
		}
	}
	if edited == 0 || edited > posts/7/2 {
		t.Errorf("the score of %d of %d posts has changed", edited, posts/7)
	}
	if at := early.clock.at(posts); at > opening+(closing-opening)*7/10 {
		t.Errorf("of two thirds of the posts the last was written at %d", at)
	}
}

func TestOptions(t *testing.T) {
	for _, tc := range []struct {
		name string
		o    Options
	}{
		{"no folder", Options{}},
		{"negative", Options{Posts: -1, Out: "x"}},
		{"smaller at its end", Options{Posts: 20, Grow: 10, Out: "x"}},
		{"tags", Options{Tags: "commas", Out: "x"}},
		{"compression", Options{Compress: "lzma", Out: "x"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if _, err := Write(context.Background(), tc.o); err == nil {
				t.Error("no error")
			}
		})
	}
}

func TestCancelLeavesNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	o := Options{Posts: 20_000, Out: t.TempDir(), Progress: func(string, int64, int64) { cancel() }}
	if _, err := Write(ctx, o); err == nil {
		t.Fatal("no error")
	}
	left, err := os.ReadDir(o.Out)
	if err != nil {
		t.Fatal(err)
	}
	if len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestGzipHoldsTheSame(t *testing.T) {
	t.Parallel()
	gunzip := schematest.Tool(t, "gzip")
	plain, _ := write(t, Options{Posts: 300})
	zipped, _ := write(t, Options{Posts: 300, Compress: CompressGzip})
	for _, table := range tables {
		got, err := exec.Command(gunzip, "-dc", filepath.Join(zipped, table+".xml.gz")).Output()
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, read(t, plain, table)) {
			t.Errorf("%s differs", table)
		}
	}
}

func TestProgress(t *testing.T) {
	t.Parallel()
	last := make(map[string]int64)
	write(t, Options{Posts: 9000, Progress: func(what string, done, total int64) {
		if done < last[what] || total != 9000 {
			t.Errorf("%s: %d of %d after %d", what, done, total, last[what])
		}
		last[what] = done
	}})
	for _, table := range tables {
		if last[table+".xml"] != 9000 {
			t.Errorf("%s ended at %d", table, last[table+".xml"])
		}
	}
}

// TestMemory checks that allocations, garbage included, hardly grow with the number
// of posts: no row allocates.
func TestMemory(t *testing.T) {
	allocated := func(posts int) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		write(t, Options{Posts: posts})
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	small, large := allocated(8192), allocated(65536)
	if large > small+(4<<20) {
		t.Errorf("8192 posts allocate %d bytes, 65536 posts %d", small, large)
	}
}

func BenchmarkWrite(b *testing.B) {
	for _, posts := range []int{20_000, 200_000} {
		b.Run("posts="+map[int]string{20_000: "20k", 200_000: "200k"}[posts], func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, st := write(b, Options{Posts: posts})
				b.SetBytes(st.Bytes)
			}
		})
	}
}

package dumptest

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	ulikunitz "github.com/ulikunitz/xz"

	"s2g/schema"
)

const sevenZip = "7z"

// folder writes the tables as .xml files.
func folder(t testing.TB, docs map[string][]byte, _, to string) string {
	t.Helper()
	for table, doc := range docs {
		write(t, filepath.Join(to, table+".xml"), doc)
	}
	return to
}

func write(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// A compressor compresses a document and tells the suffix of its file.
type compressor func(t testing.TB, doc []byte) (suffix string, out []byte)

// each compresses every table by itself.
func each(c compressor) func(testing.TB, map[string][]byte, string, string) string {
	return func(t testing.TB, docs map[string][]byte, _, to string) string {
		t.Helper()
		for table, doc := range docs {
			suffix, out := c(t, doc)
			write(t, filepath.Join(to, table+".xml"+suffix), out)
		}
		return to
	}
}

// mixed writes every table in another format, one with a name in lower case.
func mixed(t testing.TB, docs map[string][]byte, site, to string) string {
	t.Helper()
	for table, c := range map[string]compressor{"Posts": xz, "Comments": bz2, "Votes": zst} {
		each(c)(t, map[string][]byte{table: docs[table]}, site, to)
	}
	each(gz)(t, map[string][]byte{"postlinks": docs["PostLinks"]}, site, to)
	return folder(t, map[string][]byte{"Tags": docs["Tags"]}, site, to)
}

func gz(t testing.TB, doc []byte) (string, []byte) {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(doc); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return ".gz", b.Bytes()
}

func gzMembers(t testing.TB, doc []byte) (string, []byte) {
	t.Helper()
	_, first := gz(t, doc[:len(doc)/3])
	_, second := gz(t, doc[len(doc)/3:])
	return ".gz", append(first, second...)
}

func zst(t testing.TB, doc []byte) (string, []byte) {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return ".zst", w.EncodeAll(doc, nil)
}

func xz(t testing.TB, doc []byte) (string, []byte) {
	t.Helper()
	var b bytes.Buffer
	w, err := ulikunitz.WriterConfig{DictCap: 1 << 20}.NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(doc); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return ".xz", b.Bytes()
}

func bz2(t testing.TB, doc []byte) (string, []byte) {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "doc"), doc)
	out := filepath.Join(dir, "doc.bz2")
	SevenZip(t, out, []string{filepath.Join(dir, "doc")}, "-tbzip2")
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return ".bz2", b
}

// SevenZip packs files into an archive with 7-Zip.
func SevenZip(t testing.TB, archive string, files []string, args ...string) {
	t.Helper()
	args = append([]string{"a", "-bd", "-mx=1"}, args...)
	args = append(append(args, "--", archive), files...)
	if out, err := exec.Command(sevenZip, args...).CombinedOutput(); err != nil {
		t.Fatalf("7z: %v\n%s", err, out)
	}
}

// site7z packs all tables into site.7z, beside tables that are not used and
// what else lies about.
func site7z(args ...string) func(testing.TB, map[string][]byte, string, string) string {
	return func(t testing.TB, docs map[string][]byte, site, to string) string {
		t.Helper()
		dir := t.TempDir()
		folder(t, docs, site, dir)
		write(t, filepath.Join(dir, "readme.txt"), []byte("Posts.xml holds the posts.\n"))
		write(t, filepath.Join(dir, "._Posts.xml"), []byte("\x00\x05\x16\x07"))
		write(t, filepath.Join(dir, "Users.xml"), []byte("<users>\n</users>"))
		write(t, filepath.Join(dir, "Badges.xml"), nil)
		archive := filepath.Join(to, site+".7z")
		files, err := filepath.Glob(filepath.Join(dir, "*"))
		if err != nil {
			t.Fatal(err)
		}
		SevenZip(t, archive, files, args...)
		return archive
	}
}

// tables7z packs every table into an archive of its own, site-Table.7z.
func tables7z(t testing.TB, docs map[string][]byte, site, to string) string {
	t.Helper()
	dir := t.TempDir()
	folder(t, docs, site, dir)
	for _, table := range schema.Tables() {
		SevenZip(t, filepath.Join(to, site+"-"+table.Name+".7z"), []string{filepath.Join(dir, table.Name+".xml")})
	}
	write(t, filepath.Join(dir, "Users.xml"), []byte("<users />"))
	SevenZip(t, filepath.Join(to, site+"-Users.7z"), []string{filepath.Join(dir, "Users.xml")})
	return to
}

// nested packs the archives that inner makes into one.
func nested(inner func(testing.TB, map[string][]byte, string, string) string) func(testing.TB, map[string][]byte, string, string) string {
	return func(t testing.TB, docs map[string][]byte, site, to string) string {
		t.Helper()
		dir := t.TempDir()
		inner(t, docs, site, dir)
		files, err := filepath.Glob(filepath.Join(dir, "*.7z"))
		if err != nil {
			t.Fatal(err)
		}
		archive := filepath.Join(to, "dump.7z")
		SevenZip(t, archive, files)
		return archive
	}
}

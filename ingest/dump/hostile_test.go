package dump

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/ulikunitz/xz"

	"s2g/schema"
	"s2g/schema/schematest"
)

// readCode finds and reads a dump and returns the exit code, with its error.
func readCode(ctx context.Context, path string, o Options) (int, error) {
	d, err := Find(path, o)
	if err == nil {
		_, err = rowsOf(ctx, d)
	}
	if err == nil {
		return 0, nil
	}
	fault, _ := schema.FaultOf(err)
	return fault.ExitCode(), err
}

func compress(t *testing.T, open func(io.Writer) (io.WriteCloser, error), text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := open(&b)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func zipped(t *testing.T, text []byte) []byte {
	return compress(t, func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil }, text)
}

// A dump's folder may hold anything: what cannot be read is refused at once.
func TestHostileFolders(t *testing.T) {
	posts := documents()["Posts"]
	gz := zipped(t, posts)
	badSum := bytes.Clone(gz)
	badSum[len(badSum)-6] ^= 1
	packed := compress(t, func(w io.Writer) (io.WriteCloser, error) { return xz.NewWriter(w) }, posts)
	file := func(name string, text []byte) func(string) error {
		return func(folder string) error { return os.WriteFile(filepath.Join(folder, name), text, 0o600) }
	}
	link := func(name, target string) func(string) error {
		return func(folder string) error { return os.Symlink(target, filepath.Join(folder, name)) }
	}
	for name, c := range map[string]struct {
		posts func(folder string) error // adds what takes the place of Posts.xml
		code  int
		part  string // of the error
	}{
		"a pipe":   {func(f string) error { return syscall.Mkfifo(filepath.Join(f, "Posts.xml"), 0o600) }, 2, "is a pipe"},
		"a device": {link("Posts.xml", "/dev/zero"), 2, "is a device"},
		"a socket": {func(f string) error {
			l, err := net.Listen("unix", filepath.Join(f, "Posts.xml"))
			if err == nil {
				t.Cleanup(func() { l.Close() })
			}
			return err
		}, 2, "is a socket"},
		"a pipe as an archive": {func(f string) error { return syscall.Mkfifo(filepath.Join(f, "site.7z"), 0o600) }, 2, "is a pipe"},
		"a folder":             {func(f string) error { return os.Mkdir(filepath.Join(f, "Posts.xml"), 0o700) }, 3, "has no Posts.xml"},
		"a link to itself":     {link("Posts.xml", "Posts.xml"), 3, "too many levels"},
		"a link to nothing":    {link("Posts.xml", "nowhere"), 3, "has no Posts.xml"},
		"links of folders in a circle": {func(f string) error {
			return errors.Join(link("self", ".")(f), link("up", "..")(f), file("Posts.xml", posts)(f))
		}, 0, ""},
		"a link to a file":           {func(f string) error { return errors.Join(file("real", posts)(f), link("Posts.xml", "real")(f)) }, 0, ""},
		"two cases of a name":        {func(f string) error { return errors.Join(file("posts.xml", posts)(f), file("Posts.xml", posts)(f)) }, 3, "twice"},
		"gzip, cut":                  {file("Posts.xml.gz", gz[:len(gz)-4]), 3, "unexpected EOF"},
		"gzip, empty":                {file("Posts.xml.gz", nil), 3, "unexpected EOF"},
		"gzip, more behind it":       {file("Posts.xml.gz", append(bytes.Clone(gz), "garbage"...)), 3, "Posts.xml.gz"},
		"gzip, another sum":          {file("Posts.xml.gz", badSum), 3, "checksum"},
		"gzip in name alone":         {file("Posts.xml.gz", posts), 3, "invalid header"},
		"gzip of two members":        {file("Posts.xml.gz", append(zipped(t, posts[:20]), zipped(t, posts[20:])...)), 0, ""},
		"xz, cut":                    {file("Posts.xml.xz", packed[:len(packed)-5]), 3, "Posts.xml.xz"},
		"xz, more behind it":         {file("Posts.xml.xz", append(bytes.Clone(packed), "garbage"...)), 3, "Posts.xml.xz"},
		"xz, empty":                  {file("Posts.xml.xz", nil), 3, "Posts.xml.xz"},
		"an archive of random bytes": {file("site.7z", bytes.Repeat([]byte("random"), 99)), 3, "site.7z"},
		"an empty archive":           {file("site.7z", nil), 3, "site.7z"},
	} {
		for _, builtIn := range []bool{false, true} {
			folder := writeFolder(t, documents())
			if err := os.Remove(filepath.Join(folder, "Posts.xml")); err != nil {
				t.Fatal(err)
			}
			if err := c.posts(folder); err != nil {
				t.Fatal(err)
			}
			started := time.Now()
			code, err := readCode(t.Context(), folder, Options{builtIn: builtIn})
			if code != c.code || err != nil && !strings.Contains(err.Error(), c.part) {
				t.Errorf("%s, built in %v: exit code %d, %v; want %d, %q", name, builtIn, code, err, c.code, c.part)
			}
			if took := time.Since(started); took > time.Minute {
				t.Errorf("%s: it took %s", name, took)
			}
		}
	}
}

// Names of folders, archives and members are never patterns, options or lists of files.
func TestHostileNames(t *testing.T) {
	schematest.Tool(t, "7z")
	for _, name := range []string{"-x", "-so", "@list", "a b'\"c", "größe 大", "a\nb", "*", "[a]", "..dots", "#;$HOME`id`", "%s"} {
		folder := filepath.Join(t.TempDir(), name)
		if err := os.Rename(writeFolder(t, documents()), folder); err != nil {
			t.Fatal(err)
		}
		archive := filepath.Join(t.TempDir(), name+".7z")
		sevenZip(t, archive, []string{folder}, "-spd")
		for _, path := range []string{folder, archive} {
			for _, builtIn := range []bool{false, true} {
				if code, err := readCode(t.Context(), path, Options{builtIn: builtIn}); code != 0 {
					t.Errorf("%q, built in %v: %v", path, builtIn, err)
				}
			}
		}
	}
}

// Members whose names lead out of a folder are read, and nothing is written.
func TestMembersThatLeadOut(t *testing.T) {
	schematest.Tool(t, "7z")
	for _, name := range []string{"../../Posts.xml", "/etc/Posts.xml"} {
		archive := filepath.Join(t.TempDir(), "site.7z")
		folder := writeFolder(t, documents())
		packFolder(t, archive, folder)
		if out, err := exec.Command("7z", "rn", archive, "Posts.xml", name).CombinedOutput(); err != nil {
			t.Fatalf("7z: %v\n%s", err, out)
		}
		for _, builtIn := range []bool{false, true} {
			if code, err := readCode(t.Context(), archive, Options{builtIn: builtIn}); code != 0 {
				t.Errorf("%s, built in %v: %v", name, builtIn, err)
			}
		}
		if entries, err := os.ReadDir(filepath.Dir(archive)); err != nil || len(entries) != 1 {
			t.Errorf("%s: %v, %v", name, entries, err)
		}
	}
}

// The list of an archive may be damaged in any way and still have the right checksum.
func TestHostileArchiveLists(t *testing.T) {
	schematest.Tool(t, "7z")
	path := filepath.Join(t.TempDir(), "site.7z")
	packFolder(t, path, writeFolder(t, documents()), "-ms=on")
	sound, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := binary.LittleEndian.Uint64(sound[12:]) + 32
	list := sound[at:]
	r := rand.New(rand.NewPCG(1, 2))
	rounds := 4000 // the decoder panics in a few of them
	if testing.Short() {
		rounds = 300
	}
	for i := range rounds {
		damaged := bytes.Clone(list)
		for range 1 + r.IntN(3) {
			damaged[r.IntN(len(damaged))] = []byte{0, 1, 0x80, 0xff, byte(r.IntN(256))}[r.IntN(5)]
		}
		size := uint64(len(damaged))
		if i%50 == 0 {
			size = []uint64{1 << 20, 1 << 40, 1 << 63, 1<<64 - 1}[r.IntN(4)]
		}
		archive := append(bytes.Clone(sound[:at]), damaged...)
		binary.LittleEndian.PutUint64(archive[20:], size)
		binary.LittleEndian.PutUint32(archive[28:], crc32.ChecksumIEEE(damaged))
		binary.LittleEndian.PutUint32(archive[8:], crc32.ChecksumIEEE(archive[12:32]))
		if err := os.WriteFile(path, archive, 0o600); err != nil {
			t.Fatal(err)
		}
		if code, err := readCode(t.Context(), path, Options{builtIn: true}); code != 0 && code != 3 {
			t.Fatalf("round %d: exit code %d, %v", i, code, err)
		}
	}
}

// A file that changes between its finding and the end of its reading is a service fault, whatever the change.
func TestFileThatChangesWhileItIsRead(t *testing.T) {
	schematest.Long(t)
	schematest.Tool(t, "7z")
	docs := documents()
	docs["Posts"] = postsDocument(20_000)
	plain, zip := t.TempDir(), t.TempDir()
	for table, doc := range docs {
		put(t, plain, table+".xml", string(doc))
		put(t, zip, table+".xml.gz", string(zipped(t, doc)))
	}
	for name, change := range map[string]func(path string) error{
		"appended": func(path string) error {
			f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
			if err != nil {
				return err
			}
			_, err = f.WriteString(" ")
			return errors.Join(err, f.Close())
		},
		"overwritten in place": func(path string) error {
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			_, err = f.WriteAt([]byte("x"), 100)
			return errors.Join(err, f.Close())
		},
		"cut": func(path string) error { return os.Truncate(path, 5000) },
		"replaced, of the same time": func(path string) error {
			info, err := os.Stat(path)
			if err != nil {
				return err
			}
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			fresh := path + ".new"
			return errors.Join(os.WriteFile(fresh, content, 0o600), os.Chtimes(fresh, info.ModTime(), info.ModTime()), os.Rename(fresh, path))
		},
		"touched": func(path string) error { return os.Chtimes(path, time.Now(), time.Now().Add(time.Hour)) },
		"removed": os.Remove,
	} {
		for _, source := range []string{plain, zip, "archive"} {
			for _, when := range []string{"before", "while"} {
				path := filepath.Join(t.TempDir(), "dump")
				if source == "archive" {
					path += ".7z"
					packFolder(t, path, plain, "-ms=off", "-mx=0")
				} else if err := os.CopyFS(path, os.DirFS(source)); err != nil {
					t.Fatal(err)
				}
				d, err := Find(path, Options{})
				if err != nil {
					t.Fatal(err)
				}
				var posts *Stream
				for _, s := range d.Streams {
					if s.indexOf("Posts") >= 0 {
						posts = s
					}
				}
				changed := when == "before"
				if changed {
					err = change(posts.File.Path)
				}
				if err == nil {
					err = posts.Each(t.Context(), func(_ Member, r io.Reader) error {
						buf := make([]byte, 1000)
						if _, err := io.ReadFull(r, buf); err != nil {
							return err
						}
						if !changed {
							changed = true
							if err := change(posts.File.Path); err != nil {
								return fmt.Errorf("the test: %w", err)
							}
						}
						_, err := io.Copy(io.Discard, r)
						return err
					})
				}
				if fault, remedy := schema.FaultOf(err); fault != schema.FaultService || remedy == "" || !strings.Contains(err.Error(), "while it was read") {
					t.Errorf("%s %s it is read, %s: fault %v, %v", name, when, filepath.Ext(posts.File.Name), fault, err)
				}
			}
		}
	}
}

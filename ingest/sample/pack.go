package sample

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"

	"s2g/schema"
)

// sevenZip is the program that packs .7z and .bz2.
const sevenZip = "7z"

// A packer writes the documents of a site's tables, by table, into the folder to,
// and returns the path of the dump: the folder, or an archive in it.
type packer func(docs map[string][]byte, site, to string) (path string, err error)

// packFolder writes each table as an .xml file.
func packFolder(docs map[string][]byte, _, to string) (string, error) {
	return packEach(compression{})(docs, "", to)
}

// packEach writes each table as a compressed file.
func packEach(c compression) packer {
	return func(docs map[string][]byte, _, to string) (string, error) {
		for table, doc := range docs {
			if c.compress != nil {
				var err error
				if doc, err = c.compress(doc); err != nil {
					return "", fmt.Errorf("compressing %s: %w", table, err)
				}
			}
			if err := os.WriteFile(filepath.Join(to, table+".xml"+c.suffix), doc, 0o600); err != nil {
				return "", err
			}
		}
		return to, nil
	}
}

// packMixed writes each table in another format, one with a name in lower case.
func packMixed(docs map[string][]byte, _, to string) (string, error) {
	for _, file := range []struct {
		table, name string
		c           compression
	}{
		{"Posts", "Posts", xzipped}, {"Comments", "Comments", bzipped}, {"Votes", "Votes", zstandard},
		{"PostLinks", "postlinks", gzipped}, {"Tags", "Tags", compression{}},
	} {
		if _, err := packEach(file.c)(map[string][]byte{file.name: docs[file.table]}, "", to); err != nil {
			return "", err
		}
	}
	return to, nil
}

// packSite returns a packer that writes all tables into site.7z, beside tables
// that are not read and files that are no tables. args are 7z's.
func packSite(args ...string) packer {
	return func(docs map[string][]byte, site, to string) (string, error) {
		archive := filepath.Join(to, site+".7z")
		return archive, inTemporaryFolder(func(dir string) error {
			if _, err := packFolder(docs, site, dir); err != nil {
				return err
			}
			for name, text := range map[string]string{
				"readme.txt": "Posts.xml holds the posts.\n", "._Posts.xml": "\x00\x05\x16\x07", "Users.xml": "<users>\n</users>", "Badges.xml": "",
			} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
					return err
				}
			}
			return packMatches(archive, dir, "*", args...)
		})
	}
}

// packTables writes each table into an archive of its own, site-Table.7z.
func packTables(docs map[string][]byte, site, to string) (string, error) {
	return to, inTemporaryFolder(func(dir string) error {
		if _, err := packFolder(docs, site, dir); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, "Users.xml"), []byte("<users />"), 0o600); err != nil {
			return err
		}
		for _, table := range append(schema.Tables(), schema.Table{Name: "Users"}) {
			if err := packMatches(filepath.Join(to, site+"-"+table.Name+".7z"), dir, table.Name+".xml"); err != nil {
				return err
			}
		}
		return nil
	})
}

// packNested returns a packer that writes the archives of another into one.
func packNested(inner packer) packer {
	return func(docs map[string][]byte, site, to string) (string, error) {
		archive := filepath.Join(to, "dump.7z")
		return archive, inTemporaryFolder(func(dir string) error {
			if _, err := inner(docs, site, dir); err != nil {
				return err
			}
			return packMatches(archive, dir, "*.7z")
		})
	}
}

// SevenZip packs files into an archive with the program 7z. args are 7z's.
func SevenZip(archive string, files []string, args ...string) error {
	args = append(append([]string{"a", "-bd", "-mx=1"}, args...), "--", archive)
	if out, err := exec.Command(sevenZip, append(args, files...)...).CombinedOutput(); err != nil {
		return fmt.Errorf("packing %s: %w: %s", archive, err, out)
	}
	return nil
}

// packMatches packs the files of a folder whose names match a pattern; see
// [filepath.Match].
func packMatches(archive, folder, pattern string, args ...string) error {
	files, err := filepath.Glob(filepath.Join(folder, pattern))
	if err != nil {
		return err
	}
	return SevenZip(archive, files, args...)
}

func inTemporaryFolder(do func(dir string) error) error {
	dir, err := os.MkdirTemp("", "sample-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	return do(dir)
}

// A compression is a way in which a table's file is compressed. The zero value
// compresses nothing.
type compression struct {
	suffix   string // after .xml
	compress func(doc []byte) ([]byte, error)
}

var (
	gzipped        = compression{".gz", gzipOnce}
	gzippedMembers = compression{".gz", gzipTwice}
	bzipped        = compression{".bz2", bzip2Once}
	zstandard      = compression{".zst", zstdOnce}
	xzipped        = compression{".xz", xzOnce}
)

func gzipOnce(doc []byte) ([]byte, error) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(doc); err != nil {
		return nil, err
	}
	err := w.Close()
	return b.Bytes(), err
}

// gzipTwice returns a gzip file of two members.
func gzipTwice(doc []byte) ([]byte, error) {
	first, err := gzipOnce(doc[:len(doc)/3])
	if err != nil {
		return nil, err
	}
	second, err := gzipOnce(doc[len(doc)/3:])
	return append(first, second...), err
}

func bzip2Once(doc []byte) (packed []byte, err error) {
	err = inTemporaryFolder(func(dir string) error {
		if err := os.WriteFile(filepath.Join(dir, "doc"), doc, 0o600); err != nil {
			return err
		}
		archive := filepath.Join(dir, "doc.bz2")
		if err := packMatches(archive, dir, "doc", "-tbzip2"); err != nil {
			return err
		}
		packed, err = schema.ReadRegular(archive)
		return err
	})
	return packed, err
}

func zstdOnce(doc []byte) ([]byte, error) {
	w, err := zstd.NewWriter(nil)
	if err != nil {
		return nil, err
	}
	return w.EncodeAll(doc, nil), w.Close()
}

func xzOnce(doc []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := xz.WriterConfig{DictCap: 1 << 20}.NewWriter(&b)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(doc); err != nil {
		return nil, err
	}
	err = w.Close()
	return b.Bytes(), err
}

package sample

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/klauspost/compress/gzip"
)

// bom begins every file of a dump.
const bom = "\ufeff"

// A file is one XML file of the dump. It has its name only once it is whole.
type file struct {
	*os.File
	name  string // where it goes
	root  string // element
	eol   string
	out   *bufio.Writer
	zip   *gzip.Writer // nil where not compressed
	bytes int64        // XML written
	rows  int64
}

// Files are the paths of what [Write] writes.
func Files(o Options) (paths []string) {
	for _, table := range []string{"Posts", "Comments", "Votes", "PostLinks", "Tags"} {
		paths = append(paths, o.path(table))
	}
	return paths
}

// path is where a table's file goes.
func (o Options) path(table string) string {
	name := table + ".xml"
	if o.Compress == CompressGzip {
		name += ".gz"
	}
	return filepath.Join(o.Out, name)
}

// create begins the file of a table, whose root element is the name in lower
// case.
func create(o Options, table, root string) (*file, error) {
	f := &file{name: o.path(table), root: root, eol: "\n"}
	if o.Licence {
		f.eol = "\r\n"
	}
	var err error
	if f.File, err = os.Create(f.name + ".tmp"); err != nil {
		return nil, fmt.Errorf("creating %s: %w", f.name, err)
	}
	var w io.Writer = f.File
	if o.Compress == CompressGzip {
		f.zip = gzip.NewWriter(w)
		w = f.zip
	}
	f.out = bufio.NewWriterSize(w, 1<<18)
	f.text(bom + `<?xml version="1.0" encoding="utf-8"?>` + f.eol + "<" + root + ">" + f.eol)
	return f, nil
}

// text writes as it is. The writer keeps an error until commit.
func (f *file) text(s string) {
	n, _ := f.out.WriteString(s)
	f.bytes += int64(n)
}

// row writes a row and the end of its line.
func (f *file) row(b []byte) error {
	n, _ := f.out.Write(b)
	m, err := f.out.WriteString(f.eol)
	f.bytes += int64(n + m)
	f.rows++
	if err != nil {
		return fmt.Errorf("writing %s: %w", f.name, err)
	}
	return nil
}

// commit ends the file and gives it its name.
func (f *file) commit() error {
	f.text("</" + f.root + ">")
	err := f.out.Flush()
	if f.zip != nil && err == nil {
		err = f.zip.Close()
	}
	if shut := f.Close(); err == nil {
		err = shut
	}
	if err == nil {
		err = os.Rename(f.name+".tmp", f.name)
	}
	if err != nil {
		os.Remove(f.name + ".tmp")
		return fmt.Errorf("writing %s: %w", f.name, err)
	}
	return nil
}

// abandon removes what there is of the file.
func (f *file) abandon() {
	f.Close()
	os.Remove(f.name + ".tmp")
}

// A row begins and ends like this; the line's end is the file's to add.
const (
	rowOpen = "  <row"
	rowShut = " />"
)

// attr writes an attribute whose value needs no escaping.
func attr(dst []byte, name, value string) []byte {
	dst = append(append(append(dst, ' '), name...), `="`...)
	return append(append(dst, value...), '"')
}

func attrInt(dst []byte, name string, n int64) []byte {
	dst = append(append(append(dst, ' '), name...), `="`...)
	return append(strconv.AppendInt(dst, n, 10), '"')
}

// attrTime writes a moment, given in milliseconds since 1970.
func attrTime(dst []byte, name string, ms int64) []byte {
	dst = append(append(append(dst, ' '), name...), `="`...)
	return append(appendTime(dst, ms), '"')
}

// attrUserName writes the name that the dumps keep of a deleted user.
func attrUserName(dst []byte, name string, user int64) []byte {
	dst = append(append(append(dst, ' '), name...), `="`...)
	if user%3 == 0 {
		return append(append(dst, people[user%int64(len(people))]...), '"')
	}
	return append(strconv.AppendInt(append(dst, "user"...), user, 10), '"')
}

func appendInt(dst []byte, n int64) []byte { return strconv.AppendInt(dst, n, 10) }

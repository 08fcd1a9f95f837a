package sample

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/klauspost/compress/gzip"

	"s2g/schema"
)

// bom is the byte order mark that every file of a dump begins with.
const bom = "\ufeff"

// An xmlFile is one XML file of the dump. It gets its name when it is complete.
type xmlFile struct {
	*os.File
	name  string // final path
	root  string // name of the root element
	eol   string
	out   *bufio.Writer
	zip   *gzip.Writer // nil if not compressed
	bytes int64        // of XML
	rows  int64
}

// Files returns the paths of the files that [Write] writes.
func Files(o Options) (paths []string) {
	for _, t := range schema.Tables() {
		paths = append(paths, o.path(t.Name))
	}
	return paths
}

// path returns the path of a table's file.
func (o Options) path(table string) string {
	name := table + ".xml"
	if o.Compress == CompressGzip {
		name += ".gz"
	}
	return filepath.Join(o.Out, name)
}

// createXML creates the file of a table and writes the beginning of its document.
func createXML(o Options, table, root string) (*xmlFile, error) {
	f := &xmlFile{name: o.path(table), root: root, eol: "\n"}
	if o.Licence {
		f.eol = "\r\n"
	}
	var err error
	if f.File, err = os.Create(f.name + ".tmp"); err != nil {
		return nil, fmt.Errorf("create %s: %w", f.name, err)
	}
	var w io.Writer = f.File
	if o.Compress == CompressGzip {
		f.zip = gzip.NewWriter(w)
		w = f.zip
	}
	f.out = bufio.NewWriterSize(w, 1<<18)
	f.writeText(bom + `<?xml version="1.0" encoding="utf-8"?>` + f.eol + "<" + root + ">" + f.eol)
	return f, nil
}

// writeText writes a text. commit returns its error.
func (f *xmlFile) writeText(s string) {
	n, _ := f.out.WriteString(s)
	f.bytes += int64(n)
}

// writeRow writes a row and the end of its line.
func (f *xmlFile) writeRow(b []byte) error {
	n, _ := f.out.Write(b)
	m, err := f.out.WriteString(f.eol)
	f.bytes += int64(n + m)
	f.rows++
	if err != nil {
		return fmt.Errorf("write %s: %w", f.name, err)
	}
	return nil
}

// commit completes the file and gives it its name.
func (f *xmlFile) commit() error {
	f.writeText("</" + f.root + ">")
	err := f.out.Flush()
	if f.zip != nil && err == nil {
		err = f.zip.Close()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.name+".tmp", f.name)
	}
	if err != nil {
		os.Remove(f.name + ".tmp")
		return fmt.Errorf("write %s: %w", f.name, err)
	}
	return nil
}

// abort removes the file.
func (f *xmlFile) abort() {
	f.Close()
	os.Remove(f.name + ".tmp")
}

// The beginning and the end of a row, without the end of its line.
const (
	rowOpen = "  <row"
	rowShut = " />"
)

// attr appends an attribute whose value needs no escaping.
func attr(dst []byte, name, value string) []byte {
	return append(append(attrOpen(dst, name), value...), '"')
}

// attrOpen appends an attribute up to its value.
func attrOpen(dst []byte, name string) []byte {
	return append(append(append(dst, ' '), name...), `="`...)
}

func attrInt(dst []byte, name string, n int64) []byte {
	return append(strconv.AppendInt(attrOpen(dst, name), n, 10), '"')
}

// attrTime appends a time in milliseconds since 1970.
func attrTime(dst []byte, name string, ms int64) []byte {
	return append(appendTime(attrOpen(dst, name), ms), '"')
}

// attrUserName appends the name that dumps keep of a deleted user.
func attrUserName(dst []byte, name string, user int64) []byte {
	if user%3 == 0 {
		return attr(dst, name, displayNames[user%int64(len(displayNames))])
	}
	return append(strconv.AppendInt(append(attrOpen(dst, name), "user"...), user, 10), '"')
}

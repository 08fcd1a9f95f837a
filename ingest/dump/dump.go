// Package dump finds, decodes and scans the files of a Stack Exchange data dump.
// It does not use SQL.
//
// From a path to rows:
//
//  1. [Find] returns the tables at a path as [Stream]s. A stream is one pass over
//     one file or one block of an archive, so nothing is decoded twice.
//     [Dump.DetectForm] examines the beginning of Posts.
//  2. [Stream.Each] decodes a stream and yields its tables one after the other.
//  3. [Scanner] reads the rows of one table; [Parallel] does so on several cores
//     and keeps the order.
//
// A table is one XML document: a root element named as the table, which contains
// only <row Attribute="value" ... /> elements. The scanner reads that shape and no
// other XML: no DTD, no entities but the five of XML. The document is in UTF-8 or
// UTF-16, in either byte order, with or without a byte order mark.
//
// A damaged row is a record with a [Class], and scanning continues after it.
// Damage to the whole document is an error of class schema.FaultInput that names
// the file: a truncated or corrupt file, another root element, or text after its
// end.
package dump

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"s2g/schema"
)

// Options select what Find returns and how it is read. The zero value reads
// everything.
type Options struct {
	Site    string   // site to read, where the path holds several; "" is the only one
	Without []string // tables to leave out: "comments", "votes", "links", "tags"
	Tmp     string   // folder for archives inside archives while they are read; "" is the system's

	builtIn bool // use the built-in decoders of .7z and .xz even where programs are installed
}

// A Dump is the tables of one site, found but not read.
type Dump struct {
	Site    string    // host name that the path contains, "" if none
	Files   []File    // the files to read, by path
	Streams []*Stream // the passes over them, the largest first; each table is in one
}

// A File is one file of a dump. Name, size and time identify its version.
type File struct {
	Path    string
	Name    string // last element of Path, for messages
	Size    int64
	ModTime time.Time

	found fs.FileInfo // nil for a spooled archive
}

func newFile(path string, info fs.FileInfo) File {
	return File{Path: path, Name: filepath.Base(path), Size: info.Size(), ModTime: info.ModTime(), found: info}
}

// checkUnchanged returns a service fault if the file is no longer the one that was
// found: another process writes or replaces it. Its contents are then of no
// version.
func (f File) checkUnchanged() error {
	if f.found == nil {
		return nil // a spooled archive, which is this process's own
	}
	const remedy = "wait until nothing writes to the dump, and run again"
	now, err := os.Stat(f.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return schema.Faultf(schema.FaultService, remedy, "%s was removed while it was read", f.Path)
	}
	if err != nil {
		return inputError(f.Name, err)
	}
	if !os.SameFile(now, f.found) || now.Size() != f.Size || !now.ModTime().Equal(f.ModTime) {
		return schema.Faultf(schema.FaultService, remedy, "%s changed while it was read: it had %d bytes of %s, and has %d of %s", f.Path,
			f.Size, f.ModTime.UTC().Format(time.RFC3339Nano), now.Size(), now.ModTime().UTC().Format(time.RFC3339Nano))
	}
	return nil
}

// Find finds the tables of a dump. path is a folder of Posts.xml, Comments.xml.gz
// and so on, a folder of site-Posts.7z, site-Comments.7z and so on, the .7z archive
// of a site, or a .7z of such archives. Where it holds several sites, as
// sub-folders or archives, Options.Site selects one. The site of a folder is that
// in its file schema.DumpSiteFile, else that in the name of the folder or archive. A table that
// is missing and not left out is a fault of the input. Find reads names and the
// lists of archives, no table.
func Find(path string, o Options) (*Dump, error) {
	wanted, err := wantedTables(o.Without)
	if err != nil {
		return nil, err
	}
	f := &finder{path: path, wanted: wanted, o: o}
	site, found, err := f.find()
	if err != nil {
		return nil, err
	}
	d := &Dump{Site: site}
	for _, c := range found {
		d.Streams = append(d.Streams, c.stream)
		d.Files = append(d.Files, c.stream.File)
	}
	if err := f.checkTables(d.Streams); err != nil {
		return nil, err
	}
	// Streams are read side by side, so the largest determines the time.
	slices.SortStableFunc(d.Streams, func(a, b *Stream) int { return cmp.Compare(b.Size, a.Size) })
	slices.SortFunc(d.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	d.Files = slices.CompactFunc(d.Files, func(a, b File) bool { return a.Path == b.Path })
	return d, nil
}

// wantedTables returns the names of the tables to read.
func wantedTables(without []string) ([]string, error) {
	var names []string
	for _, t := range schema.Tables() {
		names = append(names, t.Name)
	}
	for _, w := range without {
		if strings.EqualFold(w, "links") {
			w = "PostLinks"
		}
		i := slices.IndexFunc(names, func(n string) bool { return strings.EqualFold(n, w) && n != "Posts" })
		if i < 0 {
			return nil, schema.Faultf(schema.FaultUsage, "it takes comments, votes, links, tags", "option without: %s is not a table that can be left out", w)
		}
		names = slices.Delete(names, i, i+1)
	}
	return names, nil
}

// Tables returns the tables in the order of schema.Tables.
func (d *Dump) Tables() []Member {
	var all []Member
	for _, t := range schema.Tables() {
		for _, s := range d.Streams {
			if i := s.indexOf(t.Name); i >= 0 {
				all = append(all, s.Members[i])
			}
		}
	}
	return all
}

// Expansion returns how many bytes of XML a byte of a file of this name usually is.
func Expansion(name string) int64 {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".xml":
		return 1
	case ".gz":
		return 5
	case ".zst":
		return 6
	}
	return 7 // .bz2, .xz, .7z
}

// XMLBytes returns the size of all tables as XML, estimated where the files do not
// have it.
func (d *Dump) XMLBytes() int64 {
	var n int64
	for _, s := range d.Streams {
		var known int64
		for _, m := range s.Members {
			if m.Size == unknownSize {
				known = s.Size * Expansion(s.File.Name)
				break
			}
			known += m.Size
		}
		n += known
	}
	return n
}

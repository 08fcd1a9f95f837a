// Package dump finds, decodes and scans the files of a Stack Exchange data
// dump. It knows no SQL.
//
// From a path to rows:
//
//  1. [Find] looks at a path and says which tables it holds, as [Stream]s: one
//     stream is one pass over one file or archive block, so nothing is decoded
//     twice. [Dump.DetectForm] tells what the beginning of Posts looks like.
//  2. [Stream.Open] decodes a stream. Its [Reader] yields the tables that are
//     in it one after the other, as archive/tar does.
//  3. [Scanner] reads the rows of one table; [Parallel] does so on several
//     cores with the order kept.
//
// A dump is one XML document a table: a root element named as the table, which
// holds nothing but <row Attribute="value" ... /> elements. The scanner reads
// that shape and no other XML: no DTD, no entities but the five of XML. It is in
// UTF-8 or UTF-16, in either byte order, with or without a byte order mark.
//
// A damaged row is data, with its [Class], and scanning goes on behind it. What
// makes the whole document untrustworthy is an error of class
// schema.FaultInput that names the file: a cut or corrupt file, another
// root element, or text after its end.
package dump

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"s2g/schema"
)

// Options say what of a dump is read, and how. The zero value reads everything.
type Options struct {
	Site    string   // which site, where the path holds several; "" = the only one
	Without []string // tables to leave out: "comments", "votes", "links", "tags"
	Tmp     string   // folder for archives that stand in archives while they are read; "" = that of the system
	BuiltIn bool     // use the built-in decoders of .7z and .xz even where programs are there
}

// A Dump is the tables of one site, found but not read.
type Dump struct {
	Site    string    // host name guessed from the path, "" if it holds none
	Files   []File    // what is read, by path
	Streams []*Stream // how it is read, the largest first; each table is in one of them
}

// A File is one file of a dump, with what tells it from another version of it.
type File struct {
	Path    string // where it is
	Name    string // its last element, which messages show
	Size    int64
	ModTime time.Time
}

// damaged is the remedy of most faults of the input.
const damaged = "the file is damaged or cut short: fetch it again, or compare its size and checksum with the publisher's"

// Find looks for the tables of a dump at path, which is a folder of Posts.xml,
// Comments.xml.gz and so on, a folder of site-Posts.7z, site-Comments.7z and so
// on, the .7z archive of a site, or a .7z of such archives. Where it holds
// several sites, as sub-folders or archives, Options.Site says which. A table
// that is missing and not left out is a fault of the input. Find reads names and
// the lists of archives, no table.
func Find(path string, o Options) (*Dump, error) {
	wanted, err := wantedTables(o.Without)
	if err != nil {
		return nil, err
	}
	f := &finder{path: path, wanted: wanted, o: o}
	all, err := f.find()
	if err != nil {
		return nil, err
	}
	d := &Dump{}
	if d.Site, all, err = f.choose(all); err != nil {
		return nil, err
	}
	for _, c := range all {
		d.Streams = append(d.Streams, c.stream)
	}
	if err := f.complete(d.Streams); err != nil {
		return nil, err
	}
	d.list()
	return d, nil
}

// A finder is one Find.
type finder struct {
	path   string
	wanted []string // names of tables
	o      Options
	others []string // files that may hold tables in a form that is not read
}

// A candidate is what may be read: a stream, or the archive of which expand
// makes streams when it is chosen.
type candidate struct {
	site   string // whose tables it holds, "" if nothing names it
	stream *Stream
	expand func() ([]candidate, error)
}

// find returns the streams of the dump; of several sites only if no name of a
// file tells them apart.
func (f *finder) find() ([]candidate, error) {
	info, err := os.Stat(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, schema.Faultf(schema.FaultInput, "give --dump the folder or archive of one site", "dump %s does not exist", f.path)
	}
	if err != nil {
		return nil, fmt.Errorf("look at the dump: %w", err)
	}
	var all []candidate
	switch {
	case info.IsDir():
		if all, err = f.folder(f.path, siteOf(f.path), true); err == nil {
			_, all, err = f.choose(all)
		}
	case isSevenZip(f.path):
		all = []candidate{f.archive(newFile(f.path, info), siteOf(f.path), f.wanted)}
	case !info.Mode().IsRegular():
		err = schema.Faultf(schema.FaultInput, "give --dump a folder of .xml files or a .7z archive", "dump %s is no file", f.path)
	default:
		err = f.refuse(f.path)
	}
	if err != nil {
		return nil, err
	}
	var streams []candidate
	for _, c := range all {
		if c.expand == nil {
			streams = append(streams, c)
			continue
		}
		expanded, err := c.expand()
		if err != nil {
			return nil, err
		}
		streams = append(streams, expanded...)
	}
	return streams, nil
}

// wantedTables are the names of the tables to read.
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
			return nil, schema.Faultf(schema.FaultUsage, "it takes comments, votes, links, tags", "--without %s: not a table that can be left out", w)
		}
		names = slices.Delete(names, i, i+1)
	}
	return names, nil
}

// complete holds what was found against what is wanted.
func (f *finder) complete(streams []*Stream) error {
	found := make(map[string]string)
	for _, s := range streams {
		for _, m := range s.Members {
			if other, twice := found[m.Table]; twice {
				return schema.Faultf(schema.FaultInput, "remove one of them", "dump %s holds table %s twice: %s and %s", f.path, m.Table, other, m.Name)
			}
			found[m.Table] = m.Name
		}
	}
	var missing []string
	for _, t := range f.wanted {
		if _, ok := found[t]; !ok {
			missing = append(missing, t)
		}
	}
	if len(missing) > 0 && len(f.others) > 0 {
		return f.refuse(f.others[0])
	}
	return missingError(f.path, missing)
}

// missingError is the error of tables that are not there, nil if there are none.
func missingError(path string, missing []string) error {
	var files, without []string
	for _, t := range missing {
		files = append(files, t+".xml")
		without = append(without, strings.TrimPrefix(strings.ToLower(t), "post"))
	}
	switch {
	case len(missing) == 0:
		return nil
	case slices.Contains(missing, "Posts"):
		return schema.Faultf(schema.FaultInput, "give --dump the folder or archive of one site", "dump %s has no Posts.xml", path)
	}
	return schema.Faultf(schema.FaultInput, "add the file, or build without it: --without "+strings.Join(without, ","),
		"dump %s has no %s", path, strings.Join(files, ", "))
}

// list fills in Files and orders the streams, the largest first: they are read
// side by side and the longest decides when all are done.
func (d *Dump) list() {
	slices.SortStableFunc(d.Streams, func(a, b *Stream) int { return cmp.Compare(b.Size, a.Size) })
	for _, s := range d.Streams {
		d.Files = append(d.Files, s.File)
	}
	slices.SortFunc(d.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	d.Files = slices.Compact(d.Files)
}

// Tables returns the tables in the order of schema.Tables.
func (d *Dump) Tables() []Member {
	var all []Member
	for _, t := range schema.Tables() {
		for _, s := range d.Streams {
			if i := slices.IndexFunc(s.Members, func(m Member) bool { return m.Table == t.Name }); i >= 0 {
				all = append(all, s.Members[i])
			}
		}
	}
	return all
}

// Spool returns how many bytes reading all streams side by side needs in
// Options.Tmp.
func (d *Dump) Spool() int64 {
	var n int64
	for _, s := range d.Streams {
		n += s.Spool
	}
	return n
}

func newFile(path string, info fs.FileInfo) File {
	return File{Path: path, Name: filepath.Base(path), Size: info.Size(), ModTime: info.ModTime()}
}

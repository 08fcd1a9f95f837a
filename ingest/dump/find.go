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

// Options say what of a dump is read. The zero value reads everything.
type Options struct {
	Site    string   // which site, where the path holds several; "" = the only one
	Without []string // tables to leave out: "comments", "votes", "links", "tags"
	BuiltIn bool     // decode .7z with the built-in decoder even if a 7z program is there
}

// A Dump is the tables of one site, found but not read.
type Dump struct {
	Site    string    // host name guessed from the path, "" if it holds none
	Files   []File    // what is read, by name
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

// Find looks for the tables of a dump at path: a folder of Posts.xml,
// Comments.xml.gz and so on, or the .7z archive of a site. A table that is
// missing and not left out is a fault of the input.
func Find(path string, o Options) (*Dump, error) {
	wanted, err := wantedTables(o.Without)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, schema.Faultf(schema.FaultInput, "give --dump the folder or archive of one site", "dump %s does not exist", path)
	}
	if err != nil {
		return nil, fmt.Errorf("look at the dump: %w", err)
	}
	d := &Dump{Site: siteOf(path)}
	switch {
	case info.IsDir():
		d.Streams, err = findInFolder(path, wanted)
	case isSevenZip(path):
		d.Streams, err = findInSevenZip(newFile(path, info), wanted, o)
	default:
		err = schema.Faultf(schema.FaultInput, "give --dump a folder of .xml files or a .7z archive", "dump %s is neither a folder nor an archive", path)
	}
	if err != nil {
		return nil, err
	}
	if o.Site != "" && !strings.EqualFold(o.Site, d.Site) {
		return nil, schema.Faultf(schema.FaultUsage, "leave --dump-site out: it chooses among several sites", "dump %s is not known to hold site %s", path, o.Site)
	}
	if err := d.complete(path, wanted); err != nil {
		return nil, err
	}
	d.list()
	return d, nil
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

// siteOf guesses a site's host from the path of its folder or archive.
func siteOf(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	name := strings.ToLower(filepath.Base(path))
	name = strings.TrimSuffix(name, ".7z")
	if host, table, ok := strings.Cut(name, "-"); ok && isTable(table) {
		name = host
	}
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
			return ""
		}
	}
	if !strings.HasSuffix(name, ".com") && !strings.HasSuffix(name, ".net") {
		return "" // every site of the network is one of these; dump.v2 is none
	}
	return name
}

func isTable(name string) bool {
	return slices.ContainsFunc(schema.Tables(), func(t schema.Table) bool { return strings.EqualFold(t.Name, name) })
}

// tableOf returns the table that a file or archive member named name holds,
// given the suffixes that may follow its name, as "Posts" for posts.xml.
func tableOf(name string, wanted []string, suffixes ...string) (string, bool) {
	for _, t := range wanted {
		for _, s := range suffixes {
			if strings.EqualFold(name, t+s) {
				return t, true
			}
		}
	}
	return "", false
}

// complete holds what was found against what is wanted.
func (d *Dump) complete(path string, wanted []string) error {
	found := make(map[string]string)
	for _, s := range d.Streams {
		for _, m := range s.Members {
			if other, twice := found[m.Table]; twice {
				return schema.Faultf(schema.FaultInput, "remove one of them", "dump %s holds table %s twice: %s and %s", path, m.Table, other, s.File.Name)
			}
			found[m.Table] = s.File.Name
		}
	}
	var missing, without []string
	for _, t := range wanted {
		if _, ok := found[t]; !ok {
			missing = append(missing, t+".xml")
			without = append(without, strings.TrimPrefix(strings.ToLower(t), "post"))
		}
	}
	switch {
	case len(missing) == 0:
		return nil
	case slices.Contains(missing, "Posts.xml"):
		return schema.Faultf(schema.FaultInput, "give --dump the folder or archive of one site", "dump %s has no Posts.xml", path)
	}
	return schema.Faultf(schema.FaultInput, "add the file, or build without it: --without "+strings.Join(without, ","),
		"dump %s has no %s", path, strings.Join(missing, ", "))
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

func newFile(path string, info fs.FileInfo) File {
	return File{Path: path, Name: filepath.Base(path), Size: info.Size(), ModTime: info.ModTime()}
}
